/**
 * The class of a command's effect, see the specification of the protocol.
 *
 * The model has one command without a name, because the name changes nothing here: hub and bridge treat every
 * exactly-once command alike. The name decides only which parameters and results are valid. Commands differ in two ways
 * that matter, and the model has both: each has a class of its own, which may be weaker than the journal's, and some (of
 * items) can be refused or applied in part, depending on room that the game changes by itself.
 */
export type BridgeClass = 'atomic' | 'durable' | 'saved';

/** A protocol with one rule broken. The model must notice each. */
export type Mutation =
  | 'no journal'
  | 'journal after the effect'
  | 'send before the dispatched mark'
  | 'timeout reported as failed'
  | 'done before the save'
  | 'id forgotten at ack'
  | 'void without tombstone'
  | 'no journal identity check'
  | 'class of the journal instead of the command'
  | 'refusal without journal'
  | 'refused after a part was applied'
  | 'done although nothing fits'
  | 'all reported although a part was applied'
  | 'part applied although all was asked';

/** How many pieces the command asks for. */
export const ASKED = 2;
/** A balance always has room. */
const UNLIMITED = 9;

export type Config = {
  /** The class of the command. */
  bridgeClass: BridgeClass;
  /** The class of the journal, if it is stronger than the command's. */
  journalClass?: BridgeClass;
  /** Pieces that fit at first, and whether a part of them may be applied; absent: a payment, which always fits. */
  items?: { room: number; allowPartial: boolean };
  mutation?: Mutation;
  /** Hub processes over one database. */
  nodes: 1 | 2;
  /** The bridge goes on reading a socket after it has opened a newer one. */
  readsOldSockets?: boolean;
  /** How often each fault may happen on one path. */
  faults: Partial<Record<Fault, number>>;
};
export type Fault = 'hub kill' | 'bridge kill' | 'cut' | 'stall' | 'journal lost' | 'hub restored' | 'room changes';

export type Status =
  | 'none'
  | 'accepted'
  | 'dispatched'
  | 'succeeded'
  | 'failed'
  | 'rejected'
  | 'voided'
  | 'expired'
  | 'indeterminate';
export type ToBridge = 'command' | 'void' | 'ack';
/** `part`: done, and applied to one piece instead of all. */
export type ToHub = 'hello' | 'done' | 'part' | 'failed' | 'rejected' | 'voided' | 'indeterminate';

/** `judged`: open commands are reconciled, the journal's identity is not stored yet. */
type Phase = 'silent' | 'greeted' | 'judged' | 'ready';

export type Socket = {
  node: number;
  /** Which end still has it open. What was sent before the other end closed may still be read. */
  hubEnd: boolean;
  bridgeEnd: boolean;
  /** The bridge has opened a newer one. */
  isOld: boolean;
  /** Later frames are lost; neither end knows yet. */
  isCut: boolean;
  phase: Phase;
  /** It has the highest epoch of its server. */
  current: boolean;
  /** The journal that its hello named. */
  journal: number;
  /** Decided by the hub, not written yet: lost with its process. */
  owed: ToBridge[];
  down: ToBridge[];
  up: ToHub[];
  /** The hub has asked to take the command back over this socket. */
  voided: boolean;
};

/** One command, one server, everything that can differ. Times are the order of steps; the deadline is one moment. */
export type World = {
  row: Status;
  /** How many pieces the hub reports as applied. */
  told: number;
  /** A send that has not been marked; only with that mutation. */
  unmarked: boolean;
  knownJournal: number;
  nodes: boolean[];
  isLate: boolean;
  sockets: Socket[];
  bridge: {
    isUp: boolean;
    journal: number;
    entry: 'unknown' | 'started' | Exclude<ToHub, 'hello'>;
    acked: boolean;
    /** Where the handler is: lost with the process. */
    running: 'no' | 'begun' | 'applied' | 'finished';
    /** How many pieces each effect has applied, durably and in the memory of the game. */
    effects: number[];
    unsaved: number[];
  };
  /** How many more pieces fit. */
  room: number;
  isRestored: boolean;
  faults: Record<Fault, number>;
};

const NO_FAULTS: World['faults'] = {
  'hub kill': 0,
  'bridge kill': 0,
  cut: 0,
  stall: 0,
  'journal lost': 0,
  'hub restored': 0,
  'room changes': 0,
};

export const firstWorld = ({ nodes, faults, items }: Config): World => ({
  row: 'none',
  told: 0,
  unmarked: false,
  knownJournal: 1,
  nodes: Array.from({ length: nodes }, () => true),
  isLate: false,
  sockets: [],
  bridge: { isUp: true, journal: 1, entry: 'unknown', acked: false, running: 'no', effects: [], unsaved: [] },
  room: items?.room ?? UNLIMITED,
  isRestored: false,
  faults: { ...NO_FAULTS, ...faults },
});

export const copyOf = (world: World): World => ({
  ...world,
  nodes: [...world.nodes],
  sockets: world.sockets.map((socket) => ({
    ...socket,
    owed: [...socket.owed],
    down: [...socket.down],
    up: [...socket.up],
  })),
  bridge: { ...world.bridge, effects: [...world.bridge.effects], unsaved: [...world.bridge.unsaved] },
  faults: { ...world.faults },
});
