import { afterClose, type HubMessage, type JournalClass, type ParamsSchema } from '../../bridge-protocol/index.ts';
import type { SessionRow } from '../../db/queries/sessions.ts';
import type { Store } from '../../db/store.ts';
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
  readonly journalId: string;
  readonly commands: ReadonlySet<string>;
  readonly accounts: readonly string[];
  readonly connectedAt: number;
  /** Results of commands that the hub does not know prove that it has lost those made after this; undefined: nothing. */
  readonly lostSince: number | undefined;
  /** What the bridge announced last, by name; undefined: it has announced nothing yet. */
  custom: ReadonlyMap<string, CustomCommand> | undefined;
  /** The announcement of them that is being read. */
  announcement: object | undefined;
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
/** A bridge that left its node without saying goodbye is expected back for so long. */
const BACK_WITHIN_MS = 3_000;
/** A bridge that says goodbye closes with this: its game server stops. */
const GOODBYE = 1000;

const isExpectedBack = ({ connected, disconnectedAt, closeCode }: SessionRow, at: number): boolean =>
  !connected &&
  at - (disconnectedAt ?? 0) < BACK_WITHIN_MS &&
  closeCode !== GOODBYE &&
  afterClose(closeCode ?? 0) === 'reconnect';

const placeOf = ({ node, id, epoch, journalClass, accounts, connectedAt, commands }: SessionRow): Place => ({
  node,
  id,
  epoch,
  journalClass,
  accounts,
  connectedAt,
  commands: new Set(commands),
  state: {},
});

/**
 * Who holds this server's socket: this node, by a table, or another one, by the session's row. Removal from the table
 * compares, so that an old socket never removes a new one.
 */
export const createRouter = ({
  node,
  bus,
  store,
  now = Date.now,
}: {
  /** This node, as session rows name it. */
  node: string;
  bus: Pick<Bus, 'engine' | 'isUp'>;
  store: Pick<Store, 'sessions'>;
  now?: () => number;
}) => {
  const sessions = new Map<string, Session>();
  const believed = new Map<string, { place: Place | undefined; until: number }>();
  const arrivals = new Map<string, Promise<unknown>>();

  const lookUp = async (projectId: string, serverId: string): Promise<Place | undefined> => {
    const row = await store.sessions.place(projectId, serverId);
    return row === undefined || row.node === node ? undefined : placeOf(row);
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
    /**
     * The place of a bridge that left its node a moment ago and did not say goodbye: its next session takes the commands
     * that wait for it. In a hub of one node nothing is stored for a bridge that is not there.
     */
    lastPlace: async (projectId: string, serverId: string): Promise<Place | undefined> => {
      if (bus.engine === 'local') return undefined;
      const row = await store.sessions.get(projectId, serverId);
      return row !== undefined && isExpectedBack(row, now()) ? placeOf(row) : undefined;
    },
    /** The place turned out to be wrong. */
    doubt: (projectId: string, serverId: string): void => {
      believed.delete(addressOf(projectId, serverId));
    },
    /**
     * Runs `work`, which writes the row of a session and attaches it. Other nodes read that row before the session is
     * attached here: requests wait in `arrived` meanwhile.
     */
    arrive: async <T>(projectId: string, serverId: string, work: () => Promise<T>): Promise<T> => {
      const address = addressOf(projectId, serverId);
      const arrival = work();
      const arrivalOfAll = Promise.allSettled([arrivals.get(address), arrival]);
      arrivals.set(address, arrivalOfAll);
      try {
        return await arrival;
      } finally {
        if (arrivals.get(address) === arrivalOfAll) arrivals.delete(address);
      }
    },
    /** The session of a server; one that is being written is waited for. */
    arrived: async (projectId: string, serverId: string): Promise<Session | undefined> => {
      const address = addressOf(projectId, serverId);
      await arrivals.get(address);
      return sessions.get(address);
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
