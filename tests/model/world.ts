/** The effect class of a bridge, see the specification of the protocol. */
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
  | 'no journal identity check';

export type Config = {
  bridgeClass: BridgeClass;
  mutation?: Mutation;
  /** Hub processes over one database. */
  nodes: 1 | 2;
  /** The bridge goes on reading a socket after it has opened a newer one. */
  readsOldSockets?: boolean;
  /** How often each fault may happen on one path. */
  faults: Partial<Record<Fault, number>>;
};
export type Fault = 'hub kill' | 'bridge kill' | 'cut' | 'stall' | 'journal lost' | 'hub restored';

export type Status =
  | 'none'
  | 'accepted'
  | 'dispatched'
  | 'succeeded'
  | 'failed'
  | 'voided'
  | 'expired'
  | 'indeterminate';
export type ToBridge = 'command' | 'void' | 'ack';
export type ToHub = 'hello' | 'done' | 'failed' | 'voided' | 'indeterminate';

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
    /** How often the money has moved, durably and in the memory of the game. */
    effects: number;
    unsaved: number;
  };
  isRestored: boolean;
  faults: Record<Fault, number>;
};

export const firstWorld = ({ nodes, faults }: Config): World => ({
  row: 'none',
  unmarked: false,
  knownJournal: 1,
  nodes: Array.from({ length: nodes }, () => true),
  isLate: false,
  sockets: [],
  bridge: { isUp: true, journal: 1, entry: 'unknown', acked: false, running: 'no', effects: 0, unsaved: 0 },
  isRestored: false,
  faults: { 'hub kill': 0, 'bridge kill': 0, cut: 0, stall: 0, 'journal lost': 0, 'hub restored': 0, ...faults },
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
  bridge: { ...world.bridge },
  faults: { ...world.faults },
});
