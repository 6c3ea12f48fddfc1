import { isCustomName, nameOfCustom, playerParamOf } from '../../bridge-protocol/index.ts';
import type { CommandRow } from '../../db/queries/commands/read.ts';
import type { Store } from '../../db/store.ts';
import type { Session } from '../cluster/router.ts';
import { HubError, invalidField } from '../platform/errors.ts';
import { assertCapable, isStillExpected, type Wish } from './catalogue.ts';
import type { LaneState, Lanes, Line } from './lanes.ts';
import type { CommandSource } from './queue.ts';
import type { Run } from './run.ts';

/** How long a round may be sent after it has begun. */
const ROUND_MS = 30_000;
/** A player who was reported as online and then was not is tried again after this. */
const AGAIN_MS = 10_000;

const wishOf = ({ name, params, target, roles }: CommandRow): Wish =>
  // The row was made of a checked wish.
  ({ name, params, ...(roles !== null && { roles }), ...(target !== null && { player: target }) }) as Wish;

/** A refusal of the hub in the words of the protocol, in which outcomes are stored. */
const storedRefusal = ({ code, message, extras }: HubError): NonNullable<CommandRow['error']> => {
  const [fault] = extras.errors ?? [];
  if (fault !== undefined) return { code: 'invalid_params', message, details: { ...fault } };
  return { code: code === 'journal_required' ? 'journal_unavailable' : 'unsupported', message };
};

/**
 * The command as the game server declares it now, if it was not known when it was accepted: another parameter than
 * `target` may be the player. Undefined: it stays as it is.
 */
const declaredNow = ({ custom }: Session, row: CommandRow): Pick<CommandRow, 'params' | 'roles'> | undefined => {
  if (row.roles !== null || row.target === null || !isCustomName(row.name)) return undefined;
  const { params: schema, roles } = custom?.get(nameOfCustom(row.name)) ?? {};
  const player = playerParamOf(roles);
  if (roles === undefined || Object.hasOwn(schema?.properties ?? {}, 'target')) return undefined;
  const { target: _, ...rest } = row.params;
  return Object.hasOwn(rest, player) ? undefined : { params: { ...rest, [player]: row.target }, roles };
};

/** A batch that was accepted before its custom command was known names the player in each command: nothing else may. */
const faultOfBatch = ({ custom }: Session, { batchId, roles, name }: CommandRow): HubError | undefined => {
  const declared =
    batchId === null || roles !== null || !isCustomName(name) ? undefined : custom?.get(nameOfCustom(name));
  if (declared === undefined) return undefined;
  const player = playerParamOf(declared.roles);
  if (declared.params.properties?.[player] === undefined) {
    return invalidField('/name', 'must be a command with a player: this one has no such parameter');
  }
  return player === 'target' ? undefined : invalidField(`/params/${player}`, 'must be absent: targets has the players');
};

/** Begins rounds of commands that wait. */
export const createRounds = ({
  store,
  lanes,
  run,
  take,
  now,
}: {
  store: Pick<Store, 'commands' | 'players' | 'projects'>;
  lanes: Lanes;
  run: Pick<Run, 'expire' | 'refuse'>;
  /** Gives a command a place in the queue of its server. */
  take: (source: CommandSource) => unknown;
  now: () => number;
}) => {
  const tryLater = (line: Line, state: LaneState): void => {
    state.againAt = performance.now() + AGAIN_MS;
    line.later.add(state);
  };

  const isPlaying = async (line: Line, target: string): Promise<boolean> => {
    if (!line.isSynced || line.absent.has(target)) return false;
    const { projectId, serverId } = line.address;
    const [player] = await store.players.states(projectId, serverId, [target]);
    return player?.online === true;
  };

  /** The command that left this lane before this node knew the lane goes first. */
  const isBehindAnother = async (line: Line, state: LaneState): Promise<boolean> => {
    if (!state.isNew) return false;
    const open = await store.commands.openInLane(line.address, state.lane);
    state.isNew = false;
    if (open === undefined) return false;
    lanes.fly(line, state, open, { isFound: true });
    return true;
  };

  const refusalOf = async (session: Session, row: CommandRow): Promise<HubError | undefined> => {
    const project = await store.projects.byId(row.projectId);
    if (project === undefined) return new HubError('server_not_found');
    const fault = faultOfBatch(session, row);
    if (fault !== undefined) return fault;
    try {
      assertCapable(session, wishOf(row), project);
      return undefined;
    } catch (error) {
      if (error instanceof HubError) return error;
      throw error;
    }
  };

  /** Begins a round of the lane's first command. Returns whether the lane's next command may be tried at once. */
  const begin = async (session: Session, line: Line, state: LaneState): Promise<'flying' | 'next' | 'rest'> => {
    const { lane } = state;
    if (await isBehindAnother(line, state)) return 'flying';
    if (lane.deliver === 'when_online' && !(lane.target !== null && (await isPlaying(line, lane.target))))
      return 'rest';
    const found = await store.commands.firstWaiting(line.address, lane);
    if (found === undefined) {
      if (!state.isAsked) lanes.forget(line, state);
      return 'rest';
    }
    const declared = declaredNow(session, found);
    const row = { ...found, ...declared };
    if (isStillExpected(session, wishOf(row))) {
      tryLater(line, state);
      return 'rest';
    }
    const refusal = await refusalOf(session, row);
    if (refusal?.extras.retryAfterS !== undefined) {
      tryLater(line, state);
      return 'rest';
    }
    if (refusal !== undefined) {
      await run.refuse(row.id, storedRefusal(refusal));
      return 'next';
    }
    const at = now();
    const expiresAt = Math.min(row.deliverUntil ?? at, at + ROUND_MS);
    if (declared !== undefined) await store.commands.declare({ id: row.id, ...declared });
    const released = await store.commands.release({ id: row.id, expiresAt, at });
    if (released === undefined) {
      // Another node has it, or its time is over.
      await run.expire(row.id);
      return 'next';
    }
    lanes.fly(line, state, released.id);
    take(released);
    return 'flying';
  };

  return { begin, isPlaying, tryLater };
};
