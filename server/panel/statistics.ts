import type { CommandRow } from '../../db/queries/commands/read.ts';
import {
  ENDS,
  noCounts,
  type StatisticsBucket,
  type StatisticsCounts,
  type StatisticsPoint,
  type StatisticsRow,
} from '../../db/queries/statistics.ts';
import type { CommandStatus } from '../../db/schema/commands.ts';
import type { Store } from '../../db/store.ts';
import { addressOf, type Router } from '../cluster/router.ts';

/** Length of a chart's step, milliseconds. */
export const STEP_MS = 5 * 60_000;
const DAY_MS = 24 * 60 * 60_000;
const STEPS_KEPT_MS = 8 * DAY_MS;
const HOURS_KEPT_MS = 32 * DAY_MS;
const PRUNE_ROWS = 500;
/** With more than these, the rest of a hub that was off for long goes at the next step. */
const PRUNE_SLICES = 20;

/** The ranges of a chart, each with the length of its buckets, milliseconds. A bucket begins at a multiple of it, in UTC. */
export const RANGES = {
  '24h': { ms: DAY_MS, bucketMs: 15 * 60_000, of: 'steps' },
  '7d': { ms: 7 * DAY_MS, bucketMs: 60 * 60_000, of: 'hours' },
  '30d': { ms: 30 * DAY_MS, bucketMs: 6 * 60 * 60_000, of: 'hours' },
} as const;
type Range = keyof typeof RANGES;

type End = (typeof ENDS)[number];
type Ends = Record<End, number>;
type Step = StatisticsCounts & { projectId: string; serverId: string };

const COUNTED: Record<CommandStatus, End | undefined> = {
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
/** The count of the commands of batches beside that of all. */
const OF_BATCHES = {
  succeeded: 'batchSucceeded',
  refused: 'batchRefused',
  failed: 'batchFailed',
  unknown: 'batchUnknown',
} as const satisfies Record<End, keyof StatisticsCounts>;

/**
 * A bucket of a chart: the average of the players online, and how the other commands and those of batches ended. Null: it
 * is not known, because no bridge was connected, or, of commands, also none has ended.
 */
export type Bucket = { at: number; online: number | null; ended: Ends | null; batches: Ends | null };

const stepOf = (at: number): number => at - (at % STEP_MS);
const endsOf = (numberOf: (name: End) => number): Ends => ({
  succeeded: numberOf('succeeded'),
  refused: numberOf('refused'),
  failed: numberOf('failed'),
  unknown: numberOf('unknown'),
});

/** With one more step. */
const withStep = (known: StatisticsBucket | undefined, step: StatisticsBucket): StatisticsBucket => {
  if (known === undefined) return step;
  const sum = { ...known };
  for (const name of ['online', 'seen', ...ENDS, ...Object.values(OF_BATCHES)] as const) sum[name] += step[name];
  return sum;
};

const bucketOf = (at: number, sums: StatisticsBucket | undefined): Bucket => {
  if (sums === undefined) return { at, online: null, ended: null, batches: null };
  return {
    at,
    online: sums.seen === 0 ? null : Math.round((sums.online / sums.seen) * 10) / 10,
    ended: endsOf((name) => sums[name] - sums[OF_BATCHES[name]]),
    batches: endsOf((name) => sums[OF_BATCHES[name]]),
  };
};

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
  count({
    projectId,
    serverId,
    status,
    batchId,
  }: Pick<CommandRow, 'projectId' | 'serverId' | 'status' | 'batchId'>): void {
    const { [status]: counted } = COUNTED;
    if (counted === undefined) return;
    const step = this.#stepOf(projectId, serverId);
    step[counted] += 1;
    if (batchId !== null) step[OF_BATCHES[counted]] += 1;
  }

  /** Writes a finished step. */
  async sweep(): Promise<void> {
    const now = this.#now();
    if (stepOf(now) === this.#begun) return;
    await this.flush();
    const { statistics } = this.#store;
    await this.#inSlices(() => statistics.prune(now - STEPS_KEPT_MS, PRUNE_ROWS));
    await this.#inSlices(() => statistics.pruneHours(now - HOURS_KEPT_MS, PRUNE_ROWS));
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
    const stored = await this.#store.statistics.since(projectId, servers, stepOf(at));
    const latest = { at: this.#begun, online: 0, ...endsOf(() => 0) };
    // After a restart, the current step may have been written before.
    const last = stored.at(-1)?.at === latest.at ? stored.pop() : undefined;
    const live = await this.#live(projectId, servers);
    for (const row of [{ ...latest, ...last, online: 0 }, ...live.values()]) {
      latest.online += row.online;
      for (const name of ENDS) latest[name] += row[name];
    }
    return [...stored, latest];
  }

  /** The buckets of a range, the oldest first; the last one is still running, with outcomes of this node in its current step. */
  async over(projectId: string, servers: readonly string[] | undefined, range: Range): Promise<Bucket[]> {
    const { request, times } = this.#askedFor(projectId, servers, range);
    const stored = await this.#store.statistics.buckets(request);
    const buckets = new Map(stored.map((bucket) => [bucket.at, bucket]));
    const live = [...(await this.#live(projectId, servers)).values()];
    const last = times.at(-1) ?? 0;
    const [first, ...others] = live;
    if (first !== undefined) {
      const together = others.reduce<StatisticsBucket>((sum, row) => withStep(sum, row), { ...first, at: last });
      const seen = Math.max(...live.map((row) => row.seen));
      buckets.set(last, withStep(buckets.get(last), { ...together, seen }));
    }
    return times.map((at) => bucketOf(at, buckets.get(at)));
  }

  /**
   * The most players at the same time in a range: by steps of five minutes, and by the averages of `buckets` where the steps
   * are gone. The step that runs counts only where there is no other, so that the number does not fall at its end.
   */
  async peak(
    projectId: string,
    servers: readonly string[] | undefined,
    { range, buckets }: { range: Range; buckets: readonly Bucket[] },
  ): Promise<number> {
    const { since } = this.#askedFor(projectId, servers, range).request;
    const ofSteps = await this.#store.statistics.peak({ projectId, servers, since });
    return Math.max(ofSteps, ...buckets.slice(0, -1).map(({ online }) => online ?? 0)) || (buckets.at(-1)?.online ?? 0);
  }

  /** The buckets of each server, in the order of their ids; without servers that have nothing in this range. */
  async overOfEach(
    projectId: string,
    servers: readonly string[] | undefined,
    range: Range,
  ): Promise<{ serverId: string; buckets: Bucket[] }[]> {
    const { request, times } = this.#askedFor(projectId, servers, range);
    const found = new Map<string, Map<number, StatisticsBucket>>();
    const bucketsOf = (serverId: string): Map<number, StatisticsBucket> => {
      const buckets = found.get(serverId) ?? new Map<number, StatisticsBucket>();
      found.set(serverId, buckets);
      return buckets;
    };
    for (const row of await this.#store.statistics.bucketsOfEach(request)) bucketsOf(row.serverId).set(row.at, row);
    const last = times.at(-1) ?? 0;
    for (const [serverId, row] of await this.#live(projectId, servers)) {
      const buckets = bucketsOf(serverId);
      buckets.set(last, withStep(buckets.get(last), row));
    }
    return [...found]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([serverId, buckets]) => ({ serverId, buckets: times.map((at) => bucketOf(at, buckets.get(at))) }));
  }

  #askedFor(projectId: string, servers: readonly string[] | undefined, range: Range) {
    const { ms, bucketMs, of } = RANGES[range];
    const now = this.#now();
    const last = now - (now % bucketMs);
    const since = last - ms + bucketMs;
    const times = Array.from({ length: ms / bucketMs }, (_, nth) => since + nth * bucketMs);
    return { request: { of, projectId, servers, since, bucketMs }, times };
  }

  /** The step that runs, of each server: its players on all nodes, and outcomes of this node. */
  async #live(projectId: string, servers: readonly string[] | undefined): Promise<Map<string, StatisticsBucket>> {
    const isAsked = (serverId: string): boolean => servers === undefined || servers.includes(serverId);
    const elsewhere = (await this.#router.viewsElsewhere(projectId)).filter(([serverId]) => isAsked(serverId));
    const here = this.#running().filter((row) => row.projectId === projectId && isAsked(row.serverId));
    const live = new Map<string, StatisticsBucket>(here.map((row) => [row.serverId, row]));
    for (const [serverId, { state }] of elsewhere) {
      if (state.players === undefined) continue;
      const step = { ...noCounts(), at: this.#begun, online: state.players.online, seen: 1 };
      live.set(serverId, withStep(live.get(serverId), step));
    }
    return live;
  }

  #stepOf(projectId: string, serverId: string): Step {
    const address = addressOf(projectId, serverId);
    const found = this.#steps.get(address) ?? { projectId, serverId, ...noCounts() };
    this.#steps.set(address, found);
    return found;
  }

  /** The rows of the current step, one for each server with a bridge here or with a count. */
  #running(): StatisticsRow[] {
    for (const { projectId, serverId } of this.#router.all()) this.#stepOf(projectId, serverId);
    return [...this.#steps.values()].map((step) => {
      const players = this.#router.find(step.projectId, step.serverId)?.state.players;
      return { ...step, at: this.#begun, online: players?.online ?? 0, seen: players === undefined ? 0 : 1 };
    });
  }

  async #inSlices(prune: () => Promise<number>): Promise<void> {
    for (let slice = 0; slice < PRUNE_SLICES; slice += 1) if ((await prune()) < PRUNE_ROWS) return;
  }
}
