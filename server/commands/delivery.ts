import type { CommandRow } from '../../db/queries/commands/read.ts';
import type { Lane } from '../../db/queries/commands/waiting.ts';
import type { Store } from '../../db/store.ts';
import type { Bus } from '../cluster/bus.ts';
import type { Router, Session } from '../cluster/router.ts';
import type { Background } from '../platform/background.ts';
import { createAdditions } from './additions.ts';
import type { Lanes, Line } from './lanes.ts';
import { createPump, targetsOf } from './pump.ts';
import type { CommandSource, Queues } from './queue.ts';
import { createRounds } from './rounds.ts';
import type { Run } from './run.ts';

/** After so many rounds without effect in succession, the next one waits, although the player seems to play. */
const MAX_REFUSALS = 3;

type Address = { readonly projectId: string; readonly serverId: string };

const lanesIn = ({ lanes }: Line): Lane[] => [...lanes.values()].map(({ lane }) => lane);

/** Tells the first obstacle of a waiting command; undefined: it does not wait. */
const createWaitingFor =
  (router: Router) =>
  async ({ status, deliver, projectId, serverId }: CommandRow): Promise<'server' | 'player' | undefined> => {
    if (status !== 'waiting') return undefined;
    if (deliver !== 'when_online') return 'server';
    // The command is stored, whatever else cannot be read now.
    const elsewhere = () => router.locate(projectId, serverId).catch(() => undefined);
    const place = router.find(projectId, serverId) ?? (await elsewhere());
    return place === undefined ? 'server' : 'player';
  };

type Deps = {
  store: Pick<Store, 'commands' | 'players' | 'projects'>;
  router: Router;
  bus: Pick<Bus, 'tell'>;
  queues: Queues;
  lanes: Lanes;
  background: Background;
  run: Pick<Run, 'expire' | 'refuse'>;
  /** Gives a command a place in the queue of its server. */
  take: (source: CommandSource) => unknown;
  now: () => number;
};

/**
 * Sends commands that wait, when their server is connected and, with `when_online`, when their player plays. Each time
 * is a round with an id of its own at the bridge, because a bridge that has refused an id never carries it out. A new
 * round begins only after a final answer that the last one had no effect.
 */
export const createDelivery = (deps: Deps) => {
  const { store, router, bus, queues, lanes, background } = deps;
  const { begin, isPlaying, tryLater } = createRounds(deps);
  const { sessionOf, pump, wake, wakeOnline } = createPump({
    store,
    router,
    queues,
    lanes,
    background,
    begin,
    tryLater,
  });

  const load = async (line: Line): Promise<void> => {
    for (const lane of await store.commands.lanesOf(line.address)) {
      const state = lanes.add(line, lane, true);
      if (lane.deliver !== 'when_online') wake(line, state);
    }
    pump(line);
    if (line.isSynced) await wakeOnline(line, targetsOf(lanesIn(line)));
  };

  const lookUp = async (line: Line, id: string): Promise<void> => {
    const row = await store.commands.get(line.address.projectId, id);
    if (row?.status !== 'accepted' && row?.status !== 'dispatched') {
      const landed = row && lanes.land(row);
      if (landed === undefined) return;
      wake(landed.line, landed.state);
      pump(landed.line);
    }
  };

  const returned = (row: CommandRow): void => {
    const line = lanes.find(row);
    if (line === undefined || row.deliver === null) return;
    const state = lanes.add(line, { target: row.target, deliver: row.deliver }, true);
    if (line.flying.has(state)) state.isAsked = true;
    else tryLater(line, state);
  };

  return {
    waitingFor: createWaitingFor(router),
    /** A bridge of this node takes new commands now. */
    attach: async (session: Session): Promise<void> => {
      const line = lanes.find(session);
      if (line !== undefined) await load(line);
    },
    detach: (session: Session): void => lanes.close(session),
    ...createAdditions({ router, bus, lanes, sessionOf, pump, wake, wakeOnline, isPlaying, tryLater }),
    /** A command has ended: the next one of its player may leave. */
    ended: (row: CommandRow): void => {
      const landed = lanes.land(row);
      if (landed === undefined) return;
      landed.state.refusals = 0;
      wake(landed.line, landed.state);
      pump(landed.line);
    },
    /** A round had no effect, and the command waits again. */
    postponed: (row: CommandRow): void => {
      const landed = lanes.land(row);
      // It had left before this node knew its lane.
      if (landed === undefined) return returned(row);
      const { line, state } = landed;
      state.refusals += 1;
      // The bridge may have repeated its answer to a round from before a restore.
      const isCaused = state.isAsked || row.restoredAt !== null;
      if (isCaused && state.refusals < MAX_REFUSALS) wake(line, state);
      else tryLater(line, state);
      pump(line);
    },
    /** The bridge reported players: those who play now, and those who are online and cannot play yet. */
    reported: (
      session: Address,
      players: readonly { identifier: string; online: boolean; playable?: boolean | undefined }[],
    ): void => {
      const line = lanes.find(session);
      if (line === undefined) return;
      for (const { identifier, online, playable = online } of players) {
        if (online && !playable) line.absent.add(identifier);
        else line.absent.delete(identifier);
        const state = playable && line.isSynced ? lanes.ofPlayer(line, identifier) : undefined;
        if (state !== undefined && state.refusals < MAX_REFUSALS) wake(line, state);
      }
      pump(line);
    },
    /** The bridge has announced its custom commands: those that waited for one may leave. */
    announced: (session: Address): void => {
      const line = lanes.find(session);
      if (line === undefined) return;
      for (const state of line.later) wake(line, state);
      pump(line);
    },
    /** The bridge has reported all its players. */
    synced: (session: Address): void => {
      const line = lanes.find(session);
      if (line === undefined) return;
      line.isSynced = true;
      background.run('deliver to online players', () => wakeOnline(line, targetsOf(lanesIn(line))));
    },
    /** Reads the waiting commands that other nodes have stored for bridges of this one. */
    pickUp: async (): Promise<void> => {
      for (const address of await store.commands.serversThatWait(router.node)) {
        const line = lanes.find(address);
        if (line !== undefined) await load(line);
      }
    },
    sweep: (): void => {
      const at = performance.now();
      for (const line of lanes.all()) {
        for (const id of lanes.toLookUp(line)) background.run('look up a delivery', () => lookUp(line, id));
        for (const state of line.later) if (state.againAt <= at) wake(line, state);
        pump(line);
      }
    },
  };
};
export type Delivery = ReturnType<typeof createDelivery>;
