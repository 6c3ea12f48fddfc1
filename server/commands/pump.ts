import type { Lane } from '../../db/queries/commands/waiting.ts';
import type { Store } from '../../db/store.ts';
import type { Router, Session } from '../cluster/router.ts';
import type { Background } from '../platform/background.ts';
import type { LaneState, Lanes, Line } from './lanes.ts';
import type { Queues } from './queue.ts';
import type { createRounds } from './rounds.ts';

const STATES = 500;

/** The players of lanes that wait for them to play. */
export const targetsOf = (waiting: Iterable<Lane>): string[] =>
  [...waiting].flatMap(({ deliver, target }) => (deliver === 'when_online' && target !== null ? [target] : []));

/** A command that takes longer may wait for something else than the game's processor: some of them hold no others up. */
const HELD_UP_MS = 250;
const MOST_HELD_UP = 4;

/** How many waiting commands are on their way and keep the game at work. */
const atWork = ({ flying }: Line): number => {
  const since = performance.now() - HELD_UP_MS;
  return [...flying].filter((state) => state.flying === undefined || state.flying.since > since).length;
};

/** Begins rounds: waiting commands take at most half of a bridge's window, and one place beside single commands. */
export const createPump = ({
  store,
  router,
  queues,
  lanes,
  background,
  begin,
  tryLater,
}: {
  store: Pick<Store, 'players'>;
  router: Router;
  queues: Queues;
  lanes: Lanes;
  background: Background;
} & Pick<ReturnType<typeof createRounds>, 'begin' | 'tryLater'>) => {
  const sessionOf = ({ address: { projectId, serverId } }: Line): Session | undefined => {
    const session = router.find(projectId, serverId);
    return session?.isOpen() === true && session.window > 0 && session.state.draining !== true ? session : undefined;
  };

  const pump = (line: Line): void => {
    const session = sessionOf(line);
    if (session === undefined) return;
    const most = Math.max(1, Math.floor(session.window / 2));
    const isShared = queues.peek(line.address)?.isShared() === true;
    for (const state of line.ready) {
      const { size } = line.flying;
      if (size >= most || (isShared && (size > MOST_HELD_UP || atWork(line) > 0))) return;
      line.ready.delete(state);
      line.flying.add(state);
      background.run('deliver', () => deliverNext(session, line, state));
    }
  };

  const wake = (line: Line, state: LaneState): void => {
    state.isAsked = true;
    line.later.delete(state);
    if (!line.flying.has(state)) line.ready.add(state);
  };

  const deliverNext = async (session: Session, line: Line, state: LaneState): Promise<void> => {
    let end: Awaited<ReturnType<typeof begin>> = 'rest';
    state.isAsked = false;
    try {
      end = await begin(session, line, state);
    } catch (error) {
      tryLater(line, state);
      throw error;
    } finally {
      if (end !== 'flying') {
        line.flying.delete(state);
        if (end === 'next' || state.isAsked) wake(line, state);
      }
      pump(line);
    }
  };

  /** Players who are online now may have waiting commands. */
  const wakeOnline = async (line: Line, targets: string[]): Promise<void> => {
    const { projectId, serverId } = line.address;
    while (targets.length > 0) {
      for (const { identifier, online } of await store.players.states(projectId, serverId, targets.splice(0, STATES))) {
        const state = online && !line.absent.has(identifier) ? lanes.ofPlayer(line, identifier) : undefined;
        if (state !== undefined) wake(line, state);
      }
      pump(line);
    }
  };

  return { sessionOf, pump, wake, wakeOnline };
};
export type Pump = ReturnType<typeof createPump>;
