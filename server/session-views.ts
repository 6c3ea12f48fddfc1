import type { SessionRow } from '../db/sessions.ts';
import type { Store } from '../db/store.ts';
import type { Bus } from './bus.ts';
import type { Router, ServerState, Session } from './router.ts';

const ANSWER_WITHIN_MS = 1_000;

/** A connected bridge as people see it, whichever node holds it. */
export type SessionView = Pick<Session, 'commands' | 'accounts' | 'journalClass' | 'connectedAt' | 'custom'> & {
  readonly state: ServerState;
};

type States = Record<string, ServerState>;

/** What is known of connected bridges: of this node's by themselves, of others' by their rows and what their node says. */
export const createSessionViews = ({
  router,
  bus,
  store,
}: {
  router: Router;
  bus: Pick<Bus, 'ask'>;
  store: Pick<Store, 'sessions'>;
}) => {
  const askStates = async (node: string, projectId: string): Promise<States> => {
    const reply = await bus.ask(node, { type: 'states', projectId }, ANSWER_WITHIN_MS);
    return typeof reply === 'object' ? ((reply.answer as States | null) ?? {}) : {};
  };

  const viewOf = (row: SessionRow, states: States): SessionView => ({
    commands: new Set(row.commands),
    accounts: row.accounts,
    journalClass: row.journalClass,
    connectedAt: row.connectedAt,
    custom: undefined,
    state: states[row.serverId] ?? { reportedAt: row.connectedAt },
  });

  const elsewhere = async (projectId: string): Promise<[string, SessionView][]> => {
    if (router.engine === 'local') return [];
    const rows = (await store.sessions.places(projectId)).filter(({ node }) => node !== router.node);
    const nodes = [...new Set(rows.map(({ node }) => node))];
    const states = await Promise.all(nodes.map((node) => askStates(node, projectId)));
    const statesOf = new Map(nodes.map((node, index) => [node, states[index] ?? {}]));
    return rows.map((row) => [row.serverId, viewOf(row, statesOf.get(row.node) ?? {})]);
  };

  return {
    /** Those of these servers that have a bridge, by server. */
    of: async (projectId: string, serverIds: readonly string[]): Promise<ReadonlyMap<string, SessionView>> => {
      const views = new Map<string, SessionView>(await elsewhere(projectId));
      for (const serverId of serverIds) {
        const session = router.find(projectId, serverId);
        if (session !== undefined) views.set(serverId, session);
      }
      return views;
    },
    /** What this node's bridges of a project reported last, by server. */
    statesHere: (projectId: string): States => {
      const here = [...router.all()].filter((session) => session.projectId === projectId);
      return Object.fromEntries(here.map(({ serverId, state }) => [serverId, state]));
    },
  };
};
export type SessionViews = ReturnType<typeof createSessionViews>;
