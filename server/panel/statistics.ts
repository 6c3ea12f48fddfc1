import type { CommandRow } from '../../db/queries/commands/read.ts';
import type { StatisticsPoint, StatisticsRow } from '../../db/queries/panel.ts';
import type { CommandStatus } from '../../db/schema/commands.ts';
import type { Store } from '../../db/store.ts';
import { addressOf, type Router } from '../cluster/router.ts';

/** Length of a chart's step, milliseconds. */
export const STEP_MS = 5 * 60_000;
const KEPT_MS = 8 * 24 * 60 * 60_000;
const PRUNE_ROWS = 500;

type Counts = Pick<StatisticsRow, 'succeeded' | 'refused' | 'failed' | 'unknown'>;
type Step = Counts & { projectId: string; serverId: string };

const COUNTED: Record<CommandStatus, keyof Counts | undefined> = {
  waiting: undefined,
  accepted: undefined,
  dispatched: undefined,
  succeeded: 'succeeded',
  rejected: 'refused',
  voided: 'refused',
  expired: 'refused',
  failed: 'failed',
  indeterminate: 'unknown',
  // An operator's verdict changes an outcome that was counted before.
  resolved_applied: undefined,
  resolved_not_applied: undefined,
};

const stepOf = (at: number): number => at - (at % STEP_MS);
const nothing = (): Counts => ({ succeeded: 0, refused: 0, failed: 0, unknown: 0 });

/**
 * Data of charts: players online and outcomes of commands, by server and step. The current step is counted in memory and
 * written at its end; a crash loses that step.
 */
export const createStatistics = ({
  store,
  router,
  now = Date.now,
}: {
  store: Pick<Store, 'statistics'>;
  router: Pick<Router, 'find' | 'all' | 'viewsElsewhere'>;
  now?: () => number;
}) => {
  let steps = new Map<string, Step>();
  let begun = stepOf(now());

  const of = (projectId: string, serverId: string): Step => {
    const address = addressOf(projectId, serverId);
    const found = steps.get(address) ?? { projectId, serverId, ...nothing() };
    steps.set(address, found);
    return found;
  };

  const onlineOf = (projectId: string, serverId: string): number =>
    router.find(projectId, serverId)?.state.players?.online ?? 0;

  const running = (): StatisticsRow[] => {
    for (const { projectId, serverId } of router.all()) of(projectId, serverId);
    return [...steps.values()].map((step) => ({
      ...step,
      at: begun,
      online: onlineOf(step.projectId, step.serverId),
    }));
  };

  const flush = async (): Promise<void> => {
    const rows = running();
    steps = new Map();
    begun = stepOf(now());
    await store.statistics.add(rows);
  };

  return {
    /** Counts a command that has ended at this node. */
    count: ({ projectId, serverId, status }: Pick<CommandRow, 'projectId' | 'serverId' | 'status'>): void => {
      const counted = COUNTED[status];
      if (counted !== undefined) of(projectId, serverId)[counted] += 1;
    },
    /** Writes a finished step. */
    sweep: async (): Promise<void> => {
      if (stepOf(now()) === begun) return;
      await flush();
      await store.statistics.prune(now() - KEPT_MS, PRUNE_ROWS);
    },
    flush,
    /**
     * The steps since (epoch milliseconds), oldest first, including the current one, with players of all nodes and outcomes
     * of this node. `servers`: only of these.
     */
    since: async (
      projectId: string,
      servers: readonly string[] | undefined,
      at: number,
    ): Promise<StatisticsPoint[]> => {
      const isAsked = (serverId: string): boolean => servers === undefined || servers.includes(serverId);
      const stored = await store.statistics.since(projectId, servers, stepOf(at));
      const elsewhere = (await router.viewsElsewhere(projectId)).filter(([serverId]) => isAsked(serverId));
      const online = elsewhere.reduce((sum, [, { state }]) => sum + (state.players?.online ?? 0), 0);
      const latest = { at: begun, online, ...nothing() };
      const live = running().filter((row) => row.projectId === projectId && isAsked(row.serverId));
      // After a restart, the current step may have been written before.
      const last = stored.at(-1)?.at === latest.at ? stored.pop() : undefined;
      for (const row of [{ ...nothing(), ...last, online: 0 }, ...live]) {
        latest.online += row.online;
        for (const name of ['succeeded', 'refused', 'failed', 'unknown'] as const) latest[name] += row[name];
      }
      return [...stored, latest];
    },
  };
};
export type Statistics = ReturnType<typeof createStatistics>;
