import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeTenantAt } from '../../tests/kit/make-tenant.ts';
import type { Core } from '../children.ts';
import { CONTESTANTS, startCauseway } from '../contestants.ts';
import type { Scenario } from '../scenario.ts';
import { round } from '../statistics.ts';
import { comeBack, type Storm, type StormPlan } from './come-back.ts';

const BRIDGES = 10_000;
const TARGET_ALL_MS = 3_000;
const TARGET_P99_MS = 50;

/** One server more than bridges: the kicks go to the first server. */
const serversOf = (bridges: number): string[] => Array.from({ length: bridges + 1 }, (_, n) => `s${n}`);

type Bounds = Pick<Parameters<typeof startCauseway>[0], 'env' | 'tuning'>;

/** Our hub, on one database before and after; `bounds` are those of the restarted hub. */
const ours = async (plan: StormPlan, core: Core | undefined, bounds: Bounds): Promise<Storm> => {
  const servers = serversOf(plan.bridges);
  const folder = mkdtempSync(join(tmpdir(), 'causeway-storm-'));
  try {
    const url = `file:${join(folder, 'hub.db')}`;
    const on = { url, ...(await makeTenantAt(url, 'bench', { servers })) };
    return await comeBack('causeway', (isBack) => startCauseway({ core, servers, on, ...(isBack && bounds) }), plan);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

const peer = (name: string, plan: StormPlan, core: Core | undefined): Promise<Storm> => {
  const start = CONTESTANTS[name];
  if (start === undefined) throw new Error(`unknown contestant ${name}`);
  return comeBack('json', () => start({ core, servers: serversOf(plan.bridges) }), plan);
};

const toTarget = ({ p99Ms }: Storm): Record<string, number> => ({
  [`p99 / ${TARGET_P99_MS} ms`]: round(p99Ms / TARGET_P99_MS, 2),
});

/** All bridges of a killed hub reconnect at once, without a limit on admissions. */
const wideOpen: Scenario = {
  name: `storm, bridges ${BRIDGES.toLocaleString('en-US')}, admission wide open`,
  about: 'All bridges connect again at once, with kicks beside them and no limit of admissions.',
  isQuick: false,
  run: async ({ isPinned }) => {
    const core = isPinned ? 0 : undefined;
    const plan = { bridges: BRIDGES, withinMs: 90_000, isPinned };
    const causeway = await ours(plan, core, {});
    const limit = await peer('limit', plan, core);
    const ratios = {
      'all / limit': round(causeway.allMs / Math.max(1, limit.allMs), 2),
      [`all / ${TARGET_ALL_MS} ms`]: round(causeway.allMs / TARGET_ALL_MS, 2),
      ...toTarget(causeway),
    };
    return { ours: causeway, peers: { limit }, ratios };
  },
};

/** The same with the hub's own limit on admissions per second, which keeps commands fast. */
const bounded: Scenario = {
  name: `storm, bridges ${BRIDGES.toLocaleString('en-US')}, 200 admissions a second`,
  about: 'All bridges connect again at once, with kicks beside them and the default limit of admissions.',
  isQuick: false,
  run: async ({ isPinned }) => {
    const plan = { bridges: BRIDGES, withinMs: 150_000, isPinned };
    const bounds = { env: { ADMISSIONS_PER_SECOND: '200' }, tuning: { connectsPerMinute: 30 } };
    const causeway = await ours(plan, isPinned ? 0 : undefined, bounds);
    return { ours: causeway, peers: {}, ratios: toTarget(causeway) };
  },
};

export const storms: readonly Scenario[] = [wideOpen, bounded];
