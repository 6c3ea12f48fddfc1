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
export class Statistics {
  readonly #store: Pick<Store, 'statistics'>;
  readonly #router: Pick<Router, 'find' | 'all' | 'viewsElsewhere'>;
  readonly #now: () => number;
  #steps = new Map<string, Step>();
  #begun: number;

  constructor(
    store: Pick<Store, 'statistics'>,
    router: Pick<Router, 'find' | 'all' | 'viewsElsewhere'>,
    now = Date.now,
  ) {
    this.#store = store;
    this.#router = router;
    this.#now = now;
    this.#begun = stepOf(now());
  }

  /** Counts a command that has ended at this node. */
  count({ projectId, serverId, status }: Pick<CommandRow, 'projectId' | 'serverId' | 'status'>): void {
    const counted = COUNTED[status];
    if (counted !== undefined) this.#stepOf(projectId, serverId)[counted] += 1;
  }

  /** Writes a finished step. */
  async sweep(): Promise<void> {
    if (stepOf(this.#now()) === this.#begun) return;
    await this.flush();
    await this.#store.statistics.prune(this.#now() - KEPT_MS, PRUNE_ROWS);
  }

  async flush(): Promise<void> {
    const rows = this.#running();
    this.#steps = new Map();
    this.#begun = stepOf(this.#now());
    await this.#store.statistics.add(rows);
  }

  /**
   * The steps since (epoch milliseconds), oldest first, including the current one, with players of all nodes and outcomes
   * of this node. `servers`: only of these.
   */
  async since(projectId: string, servers: readonly string[] | undefined, at: number): Promise<StatisticsPoint[]> {
    const isAsked = (serverId: string): boolean => servers === undefined || servers.includes(serverId);
    const stored = await this.#store.statistics.since(projectId, servers, stepOf(at));
    const elsewhere = (await this.#router.viewsElsewhere(projectId)).filter(([serverId]) => isAsked(serverId));
    const online = elsewhere.reduce((sum, [, { state }]) => sum + (state.players?.online ?? 0), 0);
    const latest = { at: this.#begun, online, ...nothing() };
    const live = this.#running().filter((row) => row.projectId === projectId && isAsked(row.serverId));
    // After a restart, the current step may have been written before.
    const last = stored.at(-1)?.at === latest.at ? stored.pop() : undefined;
    for (const row of [{ ...nothing(), ...last, online: 0 }, ...live]) {
      latest.online += row.online;
      for (const name of ['succeeded', 'refused', 'failed', 'unknown'] as const) latest[name] += row[name];
    }
    return [...stored, latest];
  }

  #stepOf(projectId: string, serverId: string): Step {
    const address = addressOf(projectId, serverId);
    const found = this.#steps.get(address) ?? { projectId, serverId, ...nothing() };
    this.#steps.set(address, found);
    return found;
  }

  /** The rows of the current step, one for each server with a bridge here or with a count. */
  #running(): StatisticsRow[] {
    for (const { projectId, serverId } of this.#router.all()) this.#stepOf(projectId, serverId);
    return [...this.#steps.values()].map((step) => ({
      ...step,
      at: this.#begun,
      online: this.#router.find(step.projectId, step.serverId)?.state.players?.online ?? 0,
    }));
  }
}
