import {
  afterClose,
  type CustomRoles,
  type HubMessage,
  type JournalClass,
  type ParamsSchema,
} from '../../bridge-protocol/index.ts';
import type { SessionRow } from '../../db/queries/sessions.ts';
import type { Store } from '../../db/store.ts';
import type { Bus, BusMessageOf } from './bus.ts';

export type ServerState = {
  players?: { online: number; max?: number | undefined } | undefined;
  database?: { engine: string; status: 'pass' | 'warn' | 'fail'; latencyMs?: number | undefined } | undefined;
  tickMs?: number | undefined;
  draining?: boolean | undefined;
  /** When the game server restarts, epoch milliseconds, as it has announced. */
  restartAt?: number | undefined;
  /** When the bridge last took a restart back, epoch milliseconds. */
  takenBackAt?: number | undefined;
  reportedAt: number;
};

/** A custom command of a game server. */
export type CustomCommand = {
  readonly name: string;
  readonly description: string;
  readonly params: ParamsSchema;
  readonly roles?: CustomRoles;
};

/** The facts about a bridge that decide where a command goes and whether the bridge can run it, of a session or of its row. */
export type Bridge = {
  /** The id of its session. */
  readonly id: string;
  /** The node that holds its socket. */
  readonly node: string;
  readonly epoch: number;
  readonly journalClass: JournalClass;
  /** The class of single commands, by tag, where it is not `journalClass`. */
  readonly classes: Readonly<Record<string, JournalClass>>;
  readonly commands: ReadonlySet<string>;
  readonly accounts: readonly string[];
  readonly state: Pick<ServerState, 'draining'>;
  /** The custom commands by name, as last announced; undefined: none announced yet, or not known. */
  readonly custom?: ReadonlyMap<string, CustomCommand> | undefined;
  /** The announcement of custom commands that is being read. */
  readonly announcement?: object | undefined;
  /** Until then (by `performance.now()`), a bridge that was just welcomed announces its custom commands. */
  readonly announcesUntil?: number;
};

/** One welcomed connection of a bridge to this node, as the layers above the socket see it. */
export type Session = Bridge & {
  readonly projectId: string;
  readonly serverId: string;
  readonly instance: string;
  readonly journalId: string;
  readonly connectedAt: number;
  announcesUntil: number;
  /** Until then, resources may still offer custom commands that are not announced. */
  offersUntil: number;
  custom: ReadonlyMap<string, CustomCommand> | undefined;
  announcement: object | undefined;
  /** The last status of the bridge; `draining` refuses new commands. */
  state: ServerState;
  /** How many commands may be in flight; 0 until the commands of earlier sessions are reconciled. */
  window: number;
  /** False once the socket is closed or fenced: nothing may be sent any more. */
  isOpen(): boolean;
  send(message: HubMessage): void;
};

/** The address of a game server: its id is unique inside a project only. */
export const addressOf = (projectId: string, serverId: string): string => `${projectId}/${serverId}`;

/** How long a place is cached. A node that no longer holds the bridge answers so. */
const BELIEVED_MS = 1_000;
const MAX_BELIEVED = 50_000;
/** How long a bridge that left without `goodbye` is expected back. */
const BACK_WITHIN_MS = 3_000;
/** The close code of a bridge whose game server stops. */
const GOODBYE = 1000;

const isExpectedBack = ({ connected, disconnectedAt, closeCode }: SessionRow, at: number): boolean =>
  !connected &&
  at - (disconnectedAt ?? 0) < BACK_WITHIN_MS &&
  closeCode !== GOODBYE &&
  afterClose(closeCode ?? 0) === 'reconnect';

/** The facts about a bridge as its row has them; its custom commands are not known. */
export const bridgeOf = ({ node, id, epoch, journalClass, classes, accounts, commands }: SessionRow): Bridge => ({
  node,
  id,
  epoch,
  journalClass,
  classes: classes ?? {},
  accounts,
  commands: new Set(commands),
  state: {},
});

/**
 * Finds the node that holds a server's socket: this node, by a table, or another one, by the session's row. Removing from
 * the table compares, so that an old socket never removes a new one.
 */
export const createRouter = ({
  node,
  bus,
  store,
  now = Date.now,
}: {
  /** The id of this node in session rows. */
  node: string;
  bus: Pick<Bus, 'engine' | 'isUp'>;
  store: Pick<Store, 'sessions'>;
  now?: () => number;
}) => {
  const sessions = new Map<string, Session>();
  const believed = new Map<string, { bridge: Bridge | undefined; until: number }>();
  const arrivals = new Map<string, Promise<unknown>>();

  const lookUp = async (projectId: string, serverId: string): Promise<Bridge | undefined> => {
    const row = await store.sessions.place(projectId, serverId);
    return row === undefined || row.node === node ? undefined : bridgeOf(row);
  };

  return {
    engine: bus.engine,
    node,
    isUp: bus.isUp,
    find: (projectId: string, serverId: string): Session | undefined => sessions.get(addressOf(projectId, serverId)),
    /** The place of the bridge at another node. A hub of one node has none. */
    locate: async (projectId: string, serverId: string): Promise<Bridge | undefined> => {
      if (bus.engine === 'local') return undefined;
      const address = addressOf(projectId, serverId);
      const known = believed.get(address);
      if (known !== undefined && known.until > performance.now()) return known.bridge;
      const place = await lookUp(projectId, serverId);
      if (believed.size >= MAX_BELIEVED) believed.clear();
      if (place !== undefined) believed.set(address, { bridge: place, until: performance.now() + BELIEVED_MS });
      return place;
    },
    /**
     * The place of a bridge that left its node a moment ago without `goodbye`: its next session takes the commands that
     * wait for it. A hub of one node stores nothing for a bridge that is not connected.
     */
    lastPlace: async (projectId: string, serverId: string): Promise<Bridge | undefined> => {
      if (bus.engine === 'local') return undefined;
      const row = await store.sessions.get(projectId, serverId);
      return row !== undefined && isExpectedBack(row, now()) ? bridgeOf(row) : undefined;
    },
    /** Drops a cached place that was wrong. */
    doubt: (projectId: string, serverId: string): void => {
      believed.delete(addressOf(projectId, serverId));
    },
    /**
     * Runs `work`, which writes the row of a session and attaches it. Other nodes may read the row before the session is
     * attached here; their requests wait in `arrived`.
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
    /** The session of a server, after waiting for one that is being written. */
    arrived: async (projectId: string, serverId: string): Promise<Session | undefined> => {
      const address = addressOf(projectId, serverId);
      await arrivals.get(address);
      return sessions.get(address);
    },
    /** Makes this session the one that receives commands. */
    attach: (session: Session): void => {
      sessions.set(addressOf(session.projectId, session.serverId), session);
    },
    /** Removes exactly this session; false if another one has replaced it. */
    detach: (session: Session): boolean => {
      const address = addressOf(session.projectId, session.serverId);
      return sessions.get(address) === session && sessions.delete(address);
    },
    count: (): number => sessions.size,
    all: (): IterableIterator<Session> => sessions.values(),
  };
};
export type Router = ReturnType<typeof createRouter>;

const ANSWER_WITHIN_MS = 1_000;

type Report = { readonly state: ServerState; readonly customCommands: readonly string[] };
type Reports = Record<string, Report>;

/** A connected bridge as REST shows it, on any node. */
export type SessionView = Pick<Session, 'commands' | 'accounts' | 'journalClass' | 'classes' | 'connectedAt'> & Report;

const reportOf = ({ state, custom }: Session): Report => ({ state, customCommands: [...(custom?.keys() ?? [])] });

/** Views of connected bridges: of this node from memory, of others from their rows and their node's reports. */
export const createSessionViews = ({
  router,
  bus,
  store,
}: {
  router: Router;
  bus: Pick<Bus, 'ask'>;
  store: Pick<Store, 'sessions'>;
}) => {
  const askReports = async (node: string, projectId: string): Promise<Reports> => {
    const reply = await bus.ask(node, { type: 'reports', projectId }, ANSWER_WITHIN_MS);
    return typeof reply === 'object' ? ((reply.answer as Reports | null) ?? {}) : {};
  };

  const viewOf = ({ serverId, ...row }: SessionRow, reports: Reports): SessionView => ({
    commands: new Set(row.commands),
    accounts: row.accounts,
    journalClass: row.journalClass,
    classes: row.classes ?? {},
    connectedAt: row.connectedAt,
    ...(reports[serverId] ?? { state: { reportedAt: row.connectedAt }, customCommands: [] }),
  });

  const elsewhere = async (projectId: string): Promise<[string, SessionView][]> => {
    if (router.engine === 'local') return [];
    const rows = (await store.sessions.places(projectId)).filter(({ node }) => node !== router.node);
    const nodes = [...new Set(rows.map(({ node }) => node))];
    const reports = await Promise.all(nodes.map((node) => askReports(node, projectId)));
    const reportsOf = new Map(nodes.map((node, index) => [node, reports[index] ?? {}]));
    return rows.map((row) => [row.serverId, viewOf(row, reportsOf.get(row.node) ?? {})]);
  };

  return {
    /** Bridges of a project at other nodes, by server. */
    elsewhere,
    /** The connected bridges of these servers, by server. */
    of: async (projectId: string, serverIds: readonly string[]): Promise<ReadonlyMap<string, SessionView>> => {
      const views = new Map<string, SessionView>(await elsewhere(projectId));
      for (const serverId of serverIds) {
        const session = router.find(projectId, serverId);
        if (session !== undefined) views.set(serverId, { ...session, ...reportOf(session) });
      }
      return views;
    },
    /** The last status of this node's bridges of a project, by server. */
    reportsHere: ({ projectId }: BusMessageOf<'reports'>): Reports => {
      const here = [...router.all()].filter((session) => session.projectId === projectId);
      return Object.fromEntries(here.map((session) => [session.serverId, reportOf(session)]));
    },
  };
};
export type SessionViews = ReturnType<typeof createSessionViews>;
