import { randomInt } from 'node:crypto';
import { statSync } from 'node:fs';
import type { Answer } from './caller.ts';
import { openFuzzer, STUCK } from './fuzzers.ts';
import { HANGING, openGames } from './games.ts';
import { type BenchHub, pause, startHub } from './hub.ts';
import { judge, readRows } from './judge.ts';
import { type Line, type Measure, spread } from './report.ts';

const FRAMES = 1_000_000;
const FUZZED_WITHIN_MS = 1_800_000;
const CALLERS = { main: 4, other: 2 };
const KNOWN = 40;
const RESTED_MS = 10_000;
const MIB = 1_048_576;

/** Asynchronous commands with a late expiry, because they wait for the whole measurement. */
const ASYNC = { json: { expiresInSeconds: 3_600 }, headers: { Prefer: 'respond-async' } };

const idsOf = (answers: readonly Answer[]): string[] => answers.map(({ body }) => body.id ?? '');
const times = <T>(count: number, make: (n: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, n) => make(n)));

/** Runs callers of both servers until it is stopped; returns their answers. */
const callOn = (hub: BenchHub) => {
  const answers: Answer[] = [];
  let isOver = false;
  const call = async (server: string, caller: number): Promise<void> => {
    for (let n = 0; !isOver; n += 1) answers.push(await hub.caller.money(server, `char1:${caller}-${n % 10}`));
  };
  const calls = Object.entries(CALLERS).flatMap(([server, callers]) =>
    Array.from({ length: callers }, (_, caller) => call(server, caller)),
  );
  return {
    stop: async (): Promise<Answer[]> => {
      isOver = true;
      await Promise.all(calls);
      return answers;
    },
  };
};

/** The memory of the hub, sampled once a second. */
const watchMemory = async (hub: BenchHub) => {
  const look = async (): Promise<number> => (await hub.metric('process_resident_memory_bytes')) / MIB;
  const before = await look();
  let most = before;
  const timer = setInterval(async () => {
    most = Math.max(most, await look().catch(() => 0));
  }, 1_000);
  return {
    stop: async (): Promise<string> => {
      clearInterval(timer);
      await pause(RESTED_MS);
      const [from, to, after] = [before, most, await look()].map(Math.round);
      return `${from} MiB before, ${to} at most, ${after} ten seconds later`;
    },
  };
};

const play = async (hub: BenchHub, seed: number): Promise<Line[]> => {
  const games = openGames(hub, 'other');
  const fuzzer = openFuzzer(hub, { server: 'main', seed });
  games.open('other');
  await games.welcomed('other');
  await fuzzer.told('welcome');

  const settledElsewhere = idsOf(await times(KNOWN, (n) => hub.caller.money('other', `char1:${n}`)));
  await times(KNOWN, (n) => hub.caller.money('main', `char1:${n}`));
  const hanging = await hub.caller.money('other', HANGING, ASYNC);
  await games.hangs('other');
  const [first, ...others] = idsOf(await times(8, () => hub.caller.money('main', STUCK, ASYNC)));
  const { id: sent } = await fuzzer.told('stuck');
  const waiting = [first, ...others].filter((id) => id !== sent) as string[];
  const open = idsOf([hanging]);
  fuzzer.order({ order: 'ids', ids: { settledElsewhere, openElsewhere: open, waiting } });

  const memory = await watchMemory(hub);
  const callers = callOn(hub);
  const from = performance.now();
  fuzzer.order({ order: 'fuzz', frames: FRAMES });
  const { fuzzed } = await Promise.race([
    fuzzer.told('fuzzed', FUZZED_WITHIN_MS),
    fuzzer.told('closed', FUZZED_WITHIN_MS).then(({ code }) => Promise.reject(new Error(`closed with ${code}`))),
  ]);
  const seconds = (performance.now() - from) / 1000;
  const answers = await callers.stop();
  const untouched = readRows(hub.file).filter(({ id }) => open.includes(id) || waiting.includes(id));
  const rss = await memory.stop();

  fuzzer.forget();
  fuzzer.order({ order: 'unstick' });
  games.release();
  await pause(2_000);
  fuzzer.order({ order: 'truths' });
  const { truths } = await fuzzer.told('truths');
  const rows = readRows(hub.file);
  const problems = judge({ rows, truths, answers, untouched, waiting });
  const { sent: all, acknowledged } = await fuzzer.told('acknowledged');
  const strays = await hub.metric('causeway_stray_results_total');
  const size = (file: string): number => Math.round(statSync(file).size / MIB);
  await fuzzer.kill();
  await games.kill();
  return [
    {
      what: `${fuzzed} fuzzed results, seed ${seed}: no command ends wrongly`,
      bound: 'none',
      measured: problems.length === 0 ? `0 of ${rows.length}` : problems.slice(0, 5).join('; '),
      isKept: problems.length === 0,
    },
    {
      what: 'no socket closes, each result is acknowledged',
      bound: 'all',
      measured: `${acknowledged} of ${all}`,
      isKept: acknowledged === all,
    },
    {
      what: 'true commands meanwhile',
      bound: 'none',
      measured: spread(answers.map(({ ms }) => ms)),
      isKept: undefined,
    },
    {
      what: 'the hub meanwhile',
      bound: 'none',
      measured: `${seconds.toFixed(0)} s, ${Math.round(fuzzed / seconds)} results/s, ${rss}, ${strays} strays, database ${size(hub.file)} MiB, log ${size(hub.logFile)} MiB`,
      isKept: undefined,
    },
  ];
};

/** A bridge that sends a million false results beside the true ones. */
export const fuzzedResults: Measure = async () => {
  const hub = await startHub(['main', 'other']);
  try {
    return await play(hub, randomInt(2 ** 31));
  } finally {
    await hub.close();
  }
};
