import { describe, expect, it, onTestFinished } from 'vitest';
import { startHub, type TestHub } from '../kit/hub.ts';
import { eventually } from '../kit/stage.ts';
import { ESX, OX, QBCORE, QBOX, type World } from './frameworks.ts';
import { launchWorld } from './launcher.ts';

/** `CHAOS_RUNS=1000 npx vitest run tests/bridge/chaos` takes some minutes. */
const RUNS = Number(process.env['CHAOS_RUNS'] ?? 4);
const SEED = Number(process.env['CHAOS_SEED'] ?? 1);
const PAYMENTS = 6;
const NEVER = ['failed', 'rejected', 'voided', 'expired'];

type Row = { status: string; params: { amount: number; reason: string } };
type Launched = ReturnType<typeof launchWorld>;

const createRandom = (seed: number) => {
  let state = seed;
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
};

const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

/** Faults of a game server while a money command is in flight. */
const FAULTS: readonly ((launched: Launched, again: () => void) => Promise<void>)[] = [
  async () => undefined,
  async ({ launcher }, again) => {
    await launcher.kill('SIGKILL');
    again();
  },
  async ({ game }) => {
    await (await game())?.restartBridge();
  },
  async ({ mysql }) => {
    mysql.down(true);
    await turns(200);
    mysql.down(false);
  },
  async ({ mysql }) => {
    mysql.hold(true);
    await turns(50);
    mysql.releaseNewestFirst();
  },
  async ({ game }) => {
    const { server } = (await game()) ?? {};
    server?.emit('fake:save', '');
    server?.drop(1, 'left');
  },
  async ({ mysql, launcher }, again) => {
    mysql.hold(true);
    await turns(20);
    await launcher.kill('SIGKILL');
    mysql.hold(false);
    again();
  },
];

const rowsOf = async (hub: TestHub, label: string): Promise<Row[]> =>
  ((await hub.request('/api/v2/commands?limit=200')).body['data'] as Row[]).filter(
    ({ params }) => params.reason === label,
  );

/** The amounts are powers of four, so the base-4 digits of a balance's change tell how often each one was applied. */
const compare = (rows: readonly Row[], moved: number): string[] =>
  rows.flatMap(({ status, params: { amount } }) => {
    const times = Math.floor(moved / amount) % 4;
    if (times > 1) return [`doubled: ${amount} was applied ${times} times`];
    if (status === 'succeeded' && times === 0) return [`lost: ${amount} succeeded`];
    if (NEVER.includes(status) && times === 1) return [`wrongly reported: ${amount} was ${status}`];
    return [];
  });

const runChaos = async (world: World, runs: number): Promise<{ problems: string[]; counts: Map<string, number> }> => {
  const hub = await startHub();
  const launched = launchWorld(world, { speed: 10 });
  const again = (): void => launched.launcher.start({ url: hub.bridgeUrl, token: hub.token, onEnd: () => undefined });
  again();
  onTestFinished(async () => {
    await launched.launcher.kill('SIGKILL');
    await launched.mysql.quiet();
    await launched.mysql.close();
  });
  const random = createRandom(SEED);
  const counts = new Map<string, number>();
  const problems: string[] = [];
  const { ana, account } = world;

  const isBack = async (): Promise<void> => {
    const game = await launched.game();
    if (game?.server.players.all().every(({ source }) => source !== 1) === true) {
      await launched.launcher.kill('SIGKILL');
      again();
    }
    await launched.game();
    const path = `/api/v2/players/${encodeURIComponent(ana)}`;
    await eventually(async () => {
      const { body } = await hub.request(path, { headers: { 'Cache-Control': 'no-cache' } });
      return body['online'];
    }).toBe(true);
  };

  for (let run = 0; run < runs; run += 1) {
    await isBack();
    const before = (await world.stored(launched.mysql, ana))[account] ?? 0;
    const label = `${world.name}-${run}`;
    const paying = Array.from({ length: PAYMENTS }, (_, nth) =>
      hub
        .request('/api/v2/bridge/main/money', {
          json: { target: ana, type: account, amount: 4 ** nth, action: 'add', reason: label },
          headers: { 'Idempotency-Key': `${label}-${nth}` },
        })
        .catch(() => undefined),
    );
    await turns(random(30));
    await FAULTS[random(FAULTS.length)]?.(launched, again);
    await Promise.all(paying);
    const open = async () =>
      (await rowsOf(hub, label)).filter(({ status }) => /accepted|dispatched/.test(status)).length;
    await eventually(open).toBe(0);
    // Saves the players in memory: a lost change stays lost, and a doubled one becomes visible.
    const game = await launched.game();
    game?.server.emit('fake:save', '');
    await launched.mysql.quiet();
    const rows = await rowsOf(hub, label);
    for (const { status } of rows) counts.set(status, (counts.get(status) ?? 0) + 1);
    const moved = ((await world.stored(launched.mysql, ana))[account] ?? 0) - before;
    problems.push(...compare(rows, moved).map((problem) => `${label}: ${problem}`));
  }
  return { problems, counts };
};

describe('chaos', () => {
  it.each([ESX, QBCORE, QBOX, OX])(
    'over $name: nothing doubled, nothing lost silently, nothing wrongly reported',
    async (world) => {
      const { problems, counts } = await runChaos(world, Math.ceil(RUNS / 4));
      if (process.env['CHAOS_RUNS'] !== undefined) {
        process.stdout.write(`${world.name} ${JSON.stringify(Object.fromEntries(counts))}\n`);
      }
      expect(problems).toEqual([]);
      expect(counts.get('succeeded')).toBeGreaterThan(0);
    },
    60_000 + RUNS * 1_000,
  );
});
