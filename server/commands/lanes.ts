import type { CommandRow } from '../../db/queries/commands/read.ts';
import type { Lane } from '../../db/queries/commands/waiting.ts';
import { addressOf } from '../cluster/router.ts';

type Address = { readonly projectId: string; readonly serverId: string };

/** A round without an outcome is looked up after this: another node may have settled it. */
const LOOK_AFTER_MS = 45_000;
/** A command that the database reported as open is looked up after this: it may have been settled during that query. */
const LOOK_SOON_MS = 1_000;

/** A command that has left, and when, by `performance.now()`. */
type Flight = { readonly id: string; readonly since: number };

/** The waiting commands of one player on this node; at most one of them is on its way. */
export type LaneState = {
  readonly lane: Lane;
  /** The command that has left. */
  flying: Flight | undefined;
  /** When the database is asked what became of the command that has left, by `performance.now()`. */
  lookAt: number;
  /** Whether the journal may have a command of this lane that left before this node knew the lane. */
  isNew: boolean;
  /** Whether there was a cause to try it since its last try began. */
  isAsked: boolean;
  /** When it is tried again without a cause, by `performance.now()`. */
  againAt: number;
  /** Rounds without effect in succession. */
  refusals: number;
};

/** The lanes of one game server whose bridge is connected to this node. */
export type Line = {
  readonly address: Address;
  readonly lanes: Map<string, LaneState>;
  /** Lanes whose first command may leave now, in order. */
  readonly ready: Set<LaneState>;
  readonly flying: Set<LaneState>;
  /** Lanes that are tried again without a cause. */
  readonly later: Set<LaneState>;
  /** Whether the bridge has reported all its players since it connected. */
  isSynced: boolean;
  /** Players who are online and cannot play yet. */
  readonly absent: Set<string>;
};

const keyOf = ({ target, deliver }: Lane): string => `${deliver} ${target ?? ''}`;

/** The servers of this node with commands that wait. It holds no rows: 10,000 players cost two megabytes. */
export const createLanes = () => {
  const lines = new Map<string, Line>();
  const find = ({ projectId, serverId }: Address): Line | undefined => lines.get(addressOf(projectId, serverId));

  const add = (line: Line, lane: Lane, isNew: boolean): LaneState => {
    const key = keyOf(lane);
    const known = line.lanes.get(key);
    if (known !== undefined) return known;
    const state: LaneState = { lane, flying: undefined, lookAt: 0, isNew, isAsked: false, againAt: 0, refusals: 0 };
    line.lanes.set(key, state);
    return state;
  };

  /** The command of this row has ended or waits again: its lane is free. */
  const land = (row: CommandRow): { line: Line; state: LaneState } | undefined => {
    if (row.deliver === null) return undefined;
    const line = find(row);
    const state = line?.lanes.get(keyOf({ target: row.target, deliver: row.deliver }));
    if (line === undefined || state === undefined || state.flying?.id !== row.id) return undefined;
    state.flying = undefined;
    line.flying.delete(state);
    return { line, state };
  };

  return {
    find,
    all: (): IterableIterator<Line> => lines.values(),
    open: (address: Address): Line => {
      const line: Line = {
        address,
        lanes: new Map(),
        ready: new Set(),
        flying: new Set(),
        later: new Set(),
        isSynced: false,
        absent: new Set(),
      };
      lines.set(addressOf(address.projectId, address.serverId), line);
      return line;
    },
    close: ({ projectId, serverId }: Address): void => {
      lines.delete(addressOf(projectId, serverId));
    },
    add,
    /** The lane of a player who waits to play. */
    ofPlayer: (line: Line, target: string): LaneState | undefined =>
      line.lanes.get(keyOf({ target, deliver: 'when_online' })),
    fly: (line: Line, state: LaneState, id: string, { isFound = false } = {}): void => {
      line.flying.add(state);
      const since = performance.now();
      state.flying = { id, since };
      state.lookAt = since + (isFound ? LOOK_SOON_MS : LOOK_AFTER_MS);
    },
    land,
    /** Commands that left long ago; each one is returned once in a while. */
    toLookUp: (line: Line): string[] => {
      const at = performance.now();
      const due = [...line.flying].filter(({ flying, lookAt }) => flying !== undefined && lookAt <= at);
      for (const state of due) state.lookAt = at + LOOK_AFTER_MS;
      return due.flatMap(({ flying }) => flying?.id ?? []);
    },
    forget: (line: Line, state: LaneState): void => {
      line.lanes.delete(keyOf(state.lane));
      line.ready.delete(state);
      line.flying.delete(state);
      line.later.delete(state);
    },
    size: (): number => {
      let size = 0;
      for (const { lanes } of lines.values()) size += lanes.size;
      return size;
    },
  };
};
export type Lanes = ReturnType<typeof createLanes>;
