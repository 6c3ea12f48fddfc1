import { expect, it } from 'vitest';
import { until } from '../kit/until.ts';
import type { Client } from './client.ts';
import { openStage, type Stage } from './stage.ts';

/** The engine makes a step each 90 ms, longer only if the work in it takes longer. */
const STEP_MS = 90;
const PLAYERS = ['ana', 'rui', 'eva'];
const WATCHED = 200;
const PAYMENTS = 300;
const AT_ONCE = 16;
const KICKS = 100;
/** Half of the players of ten joins at once; players.test.ts has the limit of one join. */
const VISIBLE_WITHIN_MS = 2_000;
/** A busy machine wakes the server up late, with and without the mod: the median of the steps, and the longest of a hundred. */
const SLACK = { median: 1.25, p99: 3 };

const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
const shown = (sorted: readonly number[]): string =>
  `p50 ${percentile(sorted, 0.5).toFixed(1)}, p99 ${percentile(sorted, 0.99).toFixed(1)}, most ${sorted.at(-1)?.toFixed(1)} (n = ${sorted.length})`;

/** In ms, shortest first: the lengths of steps while some work is done, and the part of the mod in each. */
const watch = async (
  { server }: Stage,
  work: () => Promise<unknown>,
): Promise<{ steps: number[]; works: number[] }> => {
  await server.run('witness.watch()');
  await work();
  const seconds = (await server.run('return witness.watched()')) as { steps: number[]; works: number[] | null };
  const inMs = (list: number[] | null): number[] => (list ?? []).map((each) => each * 1_000);
  return { steps: inMs(seconds.steps), works: inMs(seconds.works) };
};

const quiet = (stage: Stage) =>
  until(async () => ((await stage.server.run('return witness.count()')) as number) >= WATCHED, 'steps pass', {
    everyMs: 500,
  });

const kilobytes = async ({ server }: Stage): Promise<number> =>
  (await server.run("collectgarbage() collectgarbage() return collectgarbage('count')")) as number;

const payMany = async (stage: Stage, count: number): Promise<void> => {
  const waiting = Array.from({ length: count }, (_, n) => n).values();
  const caller = async (): Promise<void> => {
    for (const n of waiting) {
      const answer = await stage.pay(PLAYERS[n % PLAYERS.length] ?? '', 1);
      expect(answer.status).toBe(200);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, caller));
};

it('makes no step of the server longer than its budget', async () => {
  const profiled = { settings: { 'profiler.load': 'true' } };
  const bare = await openStage({ ...profiled, withBridge: false });
  for (const name of PLAYERS) await bare.join(name);
  const { steps: without } = await watch(bare, () => quiet(bare));
  await bare.server.stop();

  const stage = await openStage(profiled);
  await stage.connected();
  for (const name of PLAYERS) await stage.join(name);
  for (const name of PLAYERS) await until(() => stage.isOnline(name), `${name} is listed`);
  const idle = await watch(stage, () => quiet(stage));
  const before = await kilobytes(stage);
  const started = performance.now();
  const paying = await watch(stage, () => payMany(stage, PAYMENTS));
  const perSecond = PAYMENTS / ((performance.now() - started) / 1_000);
  const after = await kilobytes(stage);
  const report = await stage.server.run(
    "return select(2, core.registered_chatcommands.profiler.func('admin', 'print causeway'))",
  );
  const said = (await stage.server.run(
    "return select(2, core.registered_chatcommands.causeway.func('admin', ''))",
  )) as string;
  process.stdout.write(`steps in ms without the mod: ${shown(without)}\n`);
  process.stdout.write(`steps in ms with the mod: ${shown(idle.steps)}; its part ${shown(idle.works)}\n`);
  const rate = `${PAYMENTS} payments, ${perSecond.toFixed(0)} a second`;
  process.stdout.write(`steps in ms during ${rate}: ${shown(paying.steps)}; its part ${shown(paying.works)}\n`);
  process.stdout.write(`memory of Lua: ${before.toFixed(0)} KiB, after ${PAYMENTS} payments ${after.toFixed(0)} KiB\n`);
  process.stdout.write(`${String(report)}\n${said}\n`);
  // The engine sleeps until the 90 ms are over.
  for (const { steps, works } of [idle, paying]) {
    expect(percentile(steps, 0.5)).toBeLessThan(STEP_MS * SLACK.median);
    expect(percentile(steps, 0.99)).toBeLessThan(Math.max(STEP_MS, percentile(without, 0.99)) * SLACK.p99);
    expect(percentile(works, 0.99)).toBeLessThan(STEP_MS);
  }
});

it(`shows ${KICKS} players soon after their join, and confirms their kicks when they have left`, async () => {
  const stage = await openStage();
  await stage.connected();
  const names = Array.from({ length: 10 }, (_, n) => `guest${n + 1}`);
  const tookMs: number[] = [];
  const visibleMs: number[] = [];
  const join = async (name: string): Promise<Client> => {
    const client = await stage.join(name);
    await until(() => stage.isOnline(name), `${name} is listed`, { everyMs: 20 });
    visibleMs.push(performance.now() - stage.server.joinedAt(name));
    return client;
  };
  while (tookMs.length < KICKS) {
    const clients = await Promise.all(names.map(join));
    for (const [nth, name] of names.entries()) {
      const from = performance.now();
      const answer = await stage.kick(name, `Round ${tookMs.length}`);
      tookMs.push(performance.now() - from);
      expect(answer).toMatchObject({ status: 200, body: { executed: 'yes' } });
      await clients[nth]?.ended();
      expect(clients[nth]?.said()).toContain('Reason: Kicked: Round');
    }
  }
  for (const list of [tookMs, visibleMs]) list.sort((one, other) => one - other);
  process.stdout.write(`from the join callback to the list of players, in ms: ${shown(visibleMs)}\n`);
  process.stdout.write(`a kick from request to answer, in ms: ${shown(tookMs)}\n`);
  expect(visibleMs[0]).toBeGreaterThan(0);
  expect(percentile(visibleMs, 0.5)).toBeLessThan(VISIBLE_WITHIN_MS);
});
