import type { Step as StepOf } from '../search.ts';

/** A hub with one rule of the live command broken. The model must notice each. */
export type Mutation =
  | 'disconnect forgets what waits'
  | 'disconnect frees no slot'
  | 'hand-on does not insert the row first'
  | 'hand-on sends no message, and no node reads the rows'
  | 'settle does not wake the callers'
  | 'an idempotency conflict keeps the slot'
  | 'the caller is told before the outcome is stored'
  | 'send before the dispatched mark'
  | 'two sessions get the same epoch'
  | 'a turn that is fenced off loses its command'
  | 'the periodic look leaves what waits'
  | 'no look finds what has lost its slot'
  | 'a caller who comes after the outcome is not woken'
  | 'a late answer frees the slot of a later session'
  | 'an object without slot and callers is kept';

/** How a command is requested. Only `key` can be repeated; only `later` has no caller that waits. */
export type Kind = 'no key' | 'key' | 'later';
export type Fault = 'disconnect' | 'message lost' | 'insert fails' | 'node kill' | 'repeat' | 'take back' | 'wait over';

export type Config = {
  /** Hub processes over one database. */
  nodes: 1 | 2;
  /** The commands, all for one player: they are sent one after the other. */
  commands: Kind[];
  /** How often each fault may happen on one path. */
  faults: Partial<Record<Fault, number>>;
  /** Whether the deadline of the commands may pass. */
  canExpire?: boolean;
  mutation?: Mutation;
};

export type Status = 'none' | 'accepted' | 'dispatched' | 'succeeded' | 'voided' | 'expired';
/** `had`: every status that the row had. `epoch`: of the session that it was dispatched in. */
export type Row = { status: Status; epoch: number; had: Status[] };

/** The object of a command at one node. Undefined: the node has forgotten it. */
export type Live = {
  slot: 'unplaced' | 'queued' | 'inFlight';
  /** Whether its row is still to be inserted, and nothing has begun to. */
  isUnwritten: boolean;
  /** Whether a frame was sent since it is in flight. */
  isSent: boolean;
  /** The node whose caller waits for it. */
  asker: number;
};

/** Work of a node that waits for the database: other steps come between its own. */
export type Task = {
  what: 'insert' | 'hand over' | 'keep' | 'turn' | 'unsent' | 'settle' | 'leave behind' | 'take' | 'resume';
  /** The command; 0 where there is none. */
  c: number;
  /** Which of its own steps came last. */
  after: string;
  /** The epoch of the session that it works for; 0: none. */
  epoch: number;
  /** `resume`: the epoch that was read. `take`: the node that asks, or -1. */
  from: number;
};

export type Hub = {
  isUp: boolean;
  /** The session as the node sees it; it may be over. `window`: earlier commands have been reconciled. */
  session: { epoch: number; phase: 'greeted' | 'reconciling' | 'open' } | undefined;
  live: (Live | undefined)[];
  /** The callers of each command, all as one: none, waiting, or the status that they were told last. */
  callers: ('none' | 'waiting' | 'failed' | Status)[];
  /** The commands with the slot `queued`, in their order. */
  queue: number[];
  tasks: Task[];
};

/** A message between nodes. `status`: of the row that it carries. */
export type Message = {
  to: number;
  what: 'run' | 'look' | 'settled' | 'event';
  c: number;
  from: number;
  status: Status;
};

/** One game server and its commands. Times are the order of steps; the deadline is one moment for all commands. */
export type World = {
  rows: Row[];
  /** The row of the newest session. */
  sessionRow: { epoch: number; node: number; isConnected: boolean };
  hubs: Hub[];
  messages: Message[];
  bridge: {
    /** The epoch of its connection; 0: none. */
    epoch: number;
    node: number;
    /** Frames in flight to the bridge, by command. */
    frames: ('none' | 'command' | 'void')[];
    /** Entries of its journal, by command. */
    results: ('none' | 'succeeded' | 'voided')[];
    /** Whether a result is on the way to the hub, and whether the hub has confirmed one, by command. */
    hasNews: boolean[];
    isConfirmed: boolean[];
  };
  requested: boolean[];
  isLate: boolean;
  /** The promise that a step broke. */
  broken: string | undefined;
  faults: Record<Fault, number>;
};
export type Step = StepOf<World>;

const NO_FAULTS: World['faults'] = {
  disconnect: 0,
  'message lost': 0,
  'insert fails': 0,
  'node kill': 0,
  repeat: 0,
  'take back': 0,
  'wait over': 0,
};

export const newHub = (commands: number): Hub => ({
  isUp: true,
  session: undefined,
  live: Array.from({ length: commands }, () => undefined),
  callers: Array.from({ length: commands }, () => 'none'),
  queue: [],
  tasks: [],
});

/** The bridge is connected to node 0, and nothing has been requested. */
export const firstWorld = ({ nodes, commands, faults }: Config): World => ({
  rows: commands.map(() => ({ status: 'none', epoch: 0, had: [] })),
  sessionRow: { epoch: 1, node: 0, isConnected: true },
  hubs: Array.from({ length: nodes }, (_, n) => ({
    ...newHub(commands.length),
    session: n === 0 ? { epoch: 1, phase: 'reconciling' } : undefined,
  })),
  messages: [],
  bridge: {
    epoch: 1,
    node: 0,
    frames: commands.map(() => 'none'),
    results: commands.map(() => 'none'),
    hasNews: commands.map(() => false),
    isConfirmed: commands.map(() => false),
  },
  requested: commands.map(() => false),
  isLate: false,
  broken: undefined,
  faults: { ...NO_FAULTS, ...faults },
});

export const copyOf = (world: World): World => ({
  ...world,
  rows: world.rows.map((row) => ({ ...row, had: [...row.had] })),
  sessionRow: { ...world.sessionRow },
  hubs: world.hubs.map(({ session, ...hub }) => ({
    ...hub,
    session: session && { ...session },
    live: hub.live.map((live) => live && { ...live }),
    callers: [...hub.callers],
    queue: [...hub.queue],
    tasks: hub.tasks.map((task) => ({ ...task })),
  })),
  messages: [...world.messages],
  bridge: {
    ...world.bridge,
    frames: [...world.bridge.frames],
    results: [...world.bridge.results],
    hasNews: [...world.bridge.hasNews],
    isConfirmed: [...world.bridge.isConfirmed],
  },
  requested: [...world.requested],
  faults: { ...world.faults },
});

const bits = (flags: readonly boolean[]): string => flags.map(Number).join('');
/** How a caller was answered is checked when it is: after that it makes no difference. */
const callerKey = (caller: Hub['callers'][number]): string =>
  caller === 'none' || caller === 'waiting' ? caller : 'answered';

const hubKey = ({ isUp, session, live, callers, queue, tasks }: Hub): string => {
  let key = `${Number(isUp)}${session?.epoch}${session?.phase}:${queue}`;
  for (const [c, each] of live.entries()) {
    key += `/${each?.slot}${each?.asker}${each?.isUnwritten}${each?.isSent}${callerKey(callers[c] ?? 'none')}`;
  }
  return key + tasks.map(({ what, c, after, epoch, from }) => `${what}${c}${after}${epoch}.${from}`).sort();
};

/** A state as a short text: equal exactly for equal states. */
export const keyOf = (world: World): string => {
  const { rows, sessionRow, hubs, messages, bridge, requested, isLate, broken = '', faults } = world;
  let key = broken + bits([sessionRow.isConnected, isLate, ...requested]);
  for (const { status, epoch, had } of rows) key += `/${status}${epoch}${had}`;
  for (const hub of hubs) key += `|${hubKey(hub)}`;
  key += messages.map(({ to, what, c, from, status }) => `${to}${what}${c}${from}${status}`).sort();
  key += `|${bridge.epoch}${bridge.node}${bits(bridge.hasNews)}${bits(bridge.isConfirmed)}${bridge.frames}${bridge.results}`;
  return `${key}|${sessionRow.epoch}${sessionRow.node}${Object.values(faults).join('')}`;
};
