import {
  afterClose,
  type CustomRoles,
  type HubMessage,
  type JournalClass,
  type ParamsSchema,
} from '../../bridge-protocol/index.ts';
import type { SessionRow } from '../../db/queries/sessions.ts';
import type { Store } from '../../db/store.ts';
import { Newest } from '../platform/windows.ts';
import type { Bus, BusMessageOf } from './bus.ts';

export type ServerState = {
  players?: { online: number; max?: number | undefined } | undefined;
  database?: { engine: string; status: 'pass' | 'warn' | 'fail'; latencyMs?: number | undefined } | undefined;
  tickMs?: number | undefined;
  /** Milliseconds that the bridge took to answer the hub's last ping. */
  pingMs?: number | undefined;
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
  /** Whether the bridge has reported all its players in this session. */
  isSynced: boolean;
  /** Players who are online and cannot play yet, as it has reported. */
  readonly absent: Set<string>;
  /** The last status of the bridge; `draining` refuses new commands. */
  state: ServerState;
  /** The most commands in flight; 0 until the commands of earlier sessions are reconciled. */
  window: number;
  /** False once the socket is closed or fenced: nothing may be sent any more. */
  isOpen(): boolean;
  send(message: HubMessage): void;
};

/** A game server: its id is unique inside a project only. */
export type Address = { readonly projectId: string; readonly serverId: string };
export const addressOf = (projectId: string, serverId: string): string => `${projectId}/${serverId}`;

/** The time for which a place is cached. A node that no longer holds the bridge answers so. */
const BELIEVED_MS = 1_000;
const MAX_BELIEVED = 50_000;
/** The time for which a bridge that left without `goodbye` is expected back. */
const BACK_WITHIN_MS = 3_000;
/** The close code of a bridge whose game server stops. */
const GOODBYE = 1000;

const isExpectedBack = ({ connected, disconnectedAt, closeCode }: SessionRow): boolean =>
  !connected &&
  Date.now() - (disconnectedAt ?? 0) < BACK_WITHIN_MS &&
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

const ANSWER_WITHIN_MS = 1_000;

/** A node tells the others this about one of its bridges. */
type Report = { readonly state: ServerState; readonly customCommands: readonly string[] };

/** A connected bridge as REST shows it, on any node. */
export type SessionView = Pick<Session, 'commands' | 'accounts' | 'journalClass' | 'classes' | 'connectedAt'> & Report;

const reportOf = ({ state, custom }: Session): Report => ({ state, customCommands: [...(custom?.keys() ?? [])] });

const viewOf = (row: SessionRow, report: Report | undefined): SessionView => ({
  commands: new Set(row.commands),
  accounts: row.accounts,
  journalClass: row.journalClass,
  classes: row.classes ?? {},
  connectedAt: row.connectedAt,
  ...(report ?? { state: { reportedAt: row.connectedAt }, customCommands: [] }),
});

/**
 * Finds the node that holds a server's socket: this node, by a table, or another one, by the session's row. Removing from
 * the table compares, so that an old socket never removes a new one.
 */
export class Router {
  /** The id of this node in session rows. */
  readonly node: string;
  readonly engine: Bus['engine'];
  readonly #bus: Pick<Bus, 'isUp' | 'ask'>;
  readonly #store: Pick<Store, 'sessions'>;
  readonly #sessions = new Map<string, Session>();
  readonly #believed = new Newest<{ bridge: Bridge; until: number }>(MAX_BELIEVED);
  readonly #arrivals = new Map<string, Promise<unknown>>();

  constructor(node: string, bus: Pick<Bus, 'engine' | 'isUp' | 'ask'>, store: Pick<Store, 'sessions'>) {
    this.node = node;
    this.engine = bus.engine;
    this.#bus = bus;
    this.#store = store;
  }

  isUp(): boolean {
    return this.#bus.isUp();
  }

  find(projectId: string, serverId: string): Session | undefined {
    return this.#sessions.get(addressOf(projectId, serverId));
  }

  /** The place of the bridge at another node. Not asked in a hub of one node, which has none. */
  async locate(projectId: string, serverId: string): Promise<Bridge | undefined> {
    const address = addressOf(projectId, serverId);
    const known = this.#believed.get(address);
    if (known !== undefined && known.until > performance.now()) return known.bridge;
    const row = await this.#store.sessions.place(projectId, serverId);
    if (row === undefined || row.node === this.node) return undefined;
    const bridge = bridgeOf(row);
    this.#believed.set(address, { bridge, until: performance.now() + BELIEVED_MS });
    return bridge;
  }

  /**
   * The place of a bridge that left its node a moment ago without `goodbye`: its next session takes the commands that
   * wait for it. Not asked in a hub of one node, which stores nothing for a bridge that is not connected.
   */
  async lastPlace(projectId: string, serverId: string): Promise<Bridge | undefined> {
    const row = await this.#store.sessions.get(projectId, serverId);
    return row !== undefined && isExpectedBack(row) ? bridgeOf(row) : undefined;
  }

  /** Drops a cached place that was wrong. */
  doubt(projectId: string, serverId: string): void {
    this.#believed.delete(addressOf(projectId, serverId));
  }

  /**
   * Runs `work`, which writes the row of a session and attaches it. Other nodes may read the row before the session is
   * attached here; their requests wait in `arrived`.
   */
  async arrive<T>(projectId: string, serverId: string, work: () => Promise<T>): Promise<T> {
    const address = addressOf(projectId, serverId);
    const arrival = work();
    const arrivalOfAll = Promise.allSettled([this.#arrivals.get(address), arrival]);
    this.#arrivals.set(address, arrivalOfAll);
    try {
      return await arrival;
    } finally {
      if (this.#arrivals.get(address) === arrivalOfAll) this.#arrivals.delete(address);
    }
  }

  /** The session of a server, after waiting for one that is being written. */
  async arrived(projectId: string, serverId: string): Promise<Session | undefined> {
    const address = addressOf(projectId, serverId);
    await this.#arrivals.get(address);
    return this.#sessions.get(address);
  }

  /** Makes this session the one that receives commands. */
  attach(session: Session): void {
    this.#sessions.set(addressOf(session.projectId, session.serverId), session);
  }

  /** Removes exactly this session; false if another one has replaced it. */
  detach(session: Session): boolean {
    const address = addressOf(session.projectId, session.serverId);
    return this.#sessions.get(address) === session && this.#sessions.delete(address);
  }

  count(): number {
    return this.#sessions.size;
  }

  all(): IterableIterator<Session> {
    return this.#sessions.values();
  }

  /** Views of the bridges of a project at other nodes, by server: from their rows and their node's reports. */
  async viewsElsewhere(projectId: string): Promise<[string, SessionView][]> {
    if (this.engine === 'local') return [];
    const rows = (await this.#store.sessions.places(projectId)).filter(({ node }) => node !== this.node);
    const nodes = [...new Set(rows.map(({ node }) => node))];
    const reports = await Promise.all(nodes.map((node) => this.#askReports(node, projectId)));
    const reportsOf = new Map(nodes.map((node, index) => [node, reports[index]]));
    return rows.map((row) => [row.serverId, viewOf(row, reportsOf.get(row.node)?.[row.serverId])]);
  }

  /** Views of the connected bridges of these servers, by server. */
  async views(projectId: string, serverIds: readonly string[]): Promise<ReadonlyMap<string, SessionView>> {
    const views = new Map<string, SessionView>(await this.viewsElsewhere(projectId));
    for (const serverId of serverIds) {
      const session = this.find(projectId, serverId);
      if (session !== undefined) views.set(serverId, { ...session, ...reportOf(session) });
    }
    return views;
  }

  /** Returns the last status of this node's bridges of a project, by server; other nodes ask for it. */
  reports({ projectId }: BusMessageOf<'reports'>): Record<string, Report> {
    const here = [...this.#sessions.values()].filter((session) => session.projectId === projectId);
    return Object.fromEntries(here.map((session) => [session.serverId, reportOf(session)]));
  }

  async #askReports(node: string, projectId: string): Promise<Record<string, Report>> {
    const reply = await this.#bus.ask(node, { type: 'reports', projectId }, ANSWER_WITHIN_MS);
    return typeof reply === 'object' ? ((reply.answer as Record<string, Report> | null) ?? {}) : {};
  }
}
