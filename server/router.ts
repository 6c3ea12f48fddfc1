import type { HubMessage, JournalClass, ParamsSchema } from '../bridge-protocol/index.ts';
import type { Store } from '../db/store.ts';
import type { Bus } from './bus.ts';

export type ServerState = {
  players?: { online: number; max?: number | undefined } | undefined;
  database?: { engine: string; status: 'pass' | 'warn' | 'fail'; latencyMs?: number | undefined } | undefined;
  tickMs?: number | undefined;
  draining?: boolean | undefined;
  reportedAt: number;
};

/** A command that the game server adds to those of the catalogue. */
export type CustomCommand = { readonly name: string; readonly description: string; readonly params: ParamsSchema };

/** One accepted, welcomed connection of a bridge, as the layers above the socket see it. */
export type Session = {
  readonly id: string;
  readonly projectId: string;
  readonly serverId: string;
  readonly epoch: number;
  readonly instance: string;
  readonly journalClass: JournalClass;
  readonly commands: ReadonlySet<string>;
  readonly accounts: readonly string[];
  readonly connectedAt: number;
  /** What the bridge announced last, by name; undefined: it has announced nothing yet. */
  custom: ReadonlyMap<string, CustomCommand> | undefined;
  /** What the bridge reported last; `draining` refuses new commands. */
  state: ServerState;
  /** How many commands may be in flight to it; 0 until those of earlier sockets have been looked at. */
  window: number;
  /** False once the socket is gone or fenced: nothing may be sent any more. */
  isOpen(): boolean;
  send(message: HubMessage): void;
};

/** The address of a game server: its id is unique inside a project only. */
export const addressOf = (projectId: string, serverId: string): string => `${projectId}/${serverId}`;

/** A session that another node holds, as its row has it. */
export type Place = Pick<Session, 'id' | 'epoch' | 'journalClass' | 'commands' | 'accounts' | 'connectedAt'> & {
  readonly node: string;
  readonly state: Pick<ServerState, 'draining'>;
};

/** What decides whether a bridge can do a command, on whichever node it is. */
export type Reached = Omit<Place, 'node'> & {
  readonly custom: ReadonlyMap<string, CustomCommand> | undefined;
};

/** A place is believed for so long; a node that does not have the server any more says so. */
const BELIEVED_MS = 1_000;
const MAX_BELIEVED = 50_000;

/**
 * Who holds this server's socket: this node, by a table, or another one, by the session's row. Removal from the table
 * compares, so that an old socket never removes a new one.
 */
export const createRouter = ({
  node,
  bus,
  store,
}: {
  /** This node, as session rows name it. */
  node: string;
  bus: Pick<Bus, 'engine' | 'isUp'>;
  store: Pick<Store, 'sessions'>;
}) => {
  const sessions = new Map<string, Session>();
  const believed = new Map<string, { place: Place | undefined; until: number }>();

  const lookUp = async (projectId: string, serverId: string): Promise<Place | undefined> => {
    const row = await store.sessions.place(projectId, serverId);
    if (row === undefined || row.node === node) return undefined;
    const { id, epoch, journalClass, accounts, connectedAt } = row;
    return {
      node: row.node,
      id,
      epoch,
      journalClass,
      accounts,
      connectedAt,
      commands: new Set(row.commands),
      state: {},
    };
  };

  return {
    engine: bus.engine,
    node,
    isUp: bus.isUp,
    find: (projectId: string, serverId: string): Session | undefined => sessions.get(addressOf(projectId, serverId)),
    /** Where the bridge is if another node holds it. In a hub of one node there is no other. */
    locate: async (projectId: string, serverId: string): Promise<Place | undefined> => {
      if (bus.engine === 'local') return undefined;
      const address = addressOf(projectId, serverId);
      const known = believed.get(address);
      if (known !== undefined && known.until > performance.now()) return known.place;
      const place = await lookUp(projectId, serverId);
      if (believed.size >= MAX_BELIEVED) believed.clear();
      if (place !== undefined) believed.set(address, { place, until: performance.now() + BELIEVED_MS });
      return place;
    },
    /** The place turned out to be wrong. */
    doubt: (projectId: string, serverId: string): void => {
      believed.delete(addressOf(projectId, serverId));
    },
    /** Makes the session the one that is addressed. */
    attach: (session: Session): void => {
      sessions.set(addressOf(session.projectId, session.serverId), session);
    },
    /** Removes this very session; false if another one has taken its place. */
    detach: (session: Session): boolean => {
      const address = addressOf(session.projectId, session.serverId);
      return sessions.get(address) === session && sessions.delete(address);
    },
    count: (): number => sessions.size,
    all: (): IterableIterator<Session> => sessions.values(),
  };
};
export type Router = ReturnType<typeof createRouter>;
