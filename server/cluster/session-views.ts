import type { SessionRow } from '../../db/queries/sessions.ts';
import type { Store } from '../../db/store.ts';
import type { Bus, BusMessageOf } from './bus.ts';
import type { Router, ServerState, Session } from './router.ts';

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
