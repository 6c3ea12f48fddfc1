import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { createRandom, type Random } from '../simulator/random.ts';
import { until } from '../tests/kit/until.ts';
import type { Row } from './books.ts';
import type { Caller } from './caller.ts';
import { type Call, planCalls } from './calls.ts';
import type { Fault } from './faults.ts';
import { compare, type Ledgers } from './ledgers.ts';
import type { Terms } from './offers.ts';
import type { ProxyLine } from './proxy.ts';
import type { Receiver } from './receiver.ts';

/** A timer of this idle process that fires this late shows that the machine had no processor for the hub either. */
const STARVED_MS = 150;

/** How long a node may take to write after its database is back, if it held a request when the connection broke. */
const HEARD_WITHIN_MS = 500;

/** How long commands may wait for players and shops for another try; their own times are a few seconds. */
const OVER_WITHIN_MS = 60_000;
/** A player who has not come by now stays away. */
const AWAY_AFTER_MS = 6_000;
const AWAY_EVERY_MS = 1_000;

/** The environment of a run: a hub or a cluster of hubs, and a game server. */
export type Playground = Terms & {
  targets: readonly [string, ...string[]];
  bridgeLine: ProxyLine;
  caller: Caller;
  ledgers: Ledgers;
  /** `always`: a fault that each run has. */
  planFaults: (random: Random, always?: string) => Fault[];
  /** Ends every fault; resolves when the bridge is connected. */
  heal: () => Promise<void>;
  /** Waits for a bounded time until no command is open; a command that is still open then is lost. */
  settled: () => Promise<void>;
  /** A recovery that takes longer is a problem, if the machine had a processor for it. */
  settledWithinMs?: number;
  /** Receives what the hub tells by webhook. */
  receiver?: Receiver | undefined;
  /** Sends the log lines of all processes to this function from now on. */
  overhear?: (hear: (line: string) => void) => void;
  /** Watches the rest of the system until the run ends, and returns the problems it found. */
  watch?: (isOver: () => boolean) => Promise<string[]>;
  close: () => Promise<void>;
};

export type Episode = {
  seed: number;
  faults: string[];
  calls: number;
  /** How many commands the hub made of the requests, by name and outcome. */
  ended: Record<string, number>;
  /** From the bridge's reconnection until no command was open, ms. */
  settledMs: number;
  /** Recoveries that took longer than promised, whether or not the machine had a free processor. */
  isLate: boolean;
  problems: string[];
  timeline: string[];
};

const countOf = (names: readonly string[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
};

/** Name and outcome of a command; why it was refused, or whether it was applied in part. */
const endingOf = ({ name, status, result, error }: Row): string => {
  const isPart = (JSON.parse(result ?? '{}') as { applied?: number }).applied !== undefined;
  if (status !== 'rejected') return `${name} ${status}${isPart ? ' in part' : ''}`;
  return `${name} ${(JSON.parse(error ?? '{}') as { code?: string }).code ?? status}`;
};

const askedBy = ({ told: _, label: __, ...call }: Call): string => JSON.stringify(call);

/**
 * Waits for a bounded time until all that waits has ended as well; what has not ended then is lost. Commands for players
 * who stay away are taken back, so that they do not happen in a later run.
 */
const over = async ({ ledgers: { books }, caller }: Playground, note: (text: string) => void): Promise<void> => {
  const isOver = async (): Promise<boolean> => (await books.open()) === 0;
  const isOverWithin = (withinMs: number): Promise<boolean> =>
    until(isOver, 'nothing waits', { withinMs, everyMs: 20 }).then(
      () => true,
      () => false,
    );
  const since = performance.now();
  let waitMs = AWAY_AFTER_MS;
  while (!(await isOverWithin(waitMs)) && performance.now() - since < OVER_WITHIN_MS) {
    if (waitMs === AWAY_AFTER_MS) for (const row of await books.left()) note(`left: ${JSON.stringify(row)}`);
    for (const id of await books.away()) await caller.takeBack(id);
    waitMs = AWAY_EVERY_MS;
  }
};

/** One run: callers and faults, then a quiet time; after all commands have settled, callers, hub and game must agree. */
export const playEpisode = async (arena: Playground, seed: number, always?: string): Promise<Episode> => {
  const random = createRandom(seed);
  const from = performance.now();
  const timeline: string[] = [];
  const note = (text: string): void => {
    timeline.push(`${(performance.now() - from).toFixed(1).padStart(8)} ms  ${text}`);
  };
  const wanted = planCalls(random, seed, arena.offer, arena.targets);
  const calls = arena.ledgers.plan?.(wanted) ?? wanted;
  const faults = arena.planFaults(random, always);
  // Some commands must be open when the fault begins.
  arena.bridgeLine.setCondition({ delayMs: random.int(0, 15), isStalled: false });

  const stopped: string[] = [];
  const asked = calls.map(async (call) => {
    await pause(call.afterMs);
    note(`${call.label} asks: ${askedBy(call)}`);
    await arena.caller.call(call).catch((error: unknown) => {
      stopped.push(`stopped: ${call.label}: ${error instanceof Error ? error.message : String(error)}`);
    });
    note(`${call.label} was told ${JSON.stringify(call.told)}`);
  });
  const broken = faults.map(async ({ name, afterMs, forMs, begin, end }) => {
    await pause(afterMs);
    note(`fault: ${name}`);
    await begin();
    await pause(forMs);
    await end?.();
    note(`over: ${name}`);
  });
  arena.overhear?.(note);
  let isOver = false;
  const watched = arena.watch?.(() => isOver);
  await Promise.all(broken);
  await arena.heal();
  note('the bridge is back');
  const back = performance.now();
  const delay = monitorEventLoopDelay();
  delay.enable();
  await arena.settled();
  const settledMs = performance.now() - back;
  delay.disable();
  note(`settled after ${settledMs.toFixed(0)} ms`);
  const isLate = settledMs > (arena.settledWithinMs ?? Number.POSITIVE_INFINITY);
  const isStarved = delay.max / 1e6 >= STARVED_MS;
  isOver = true;
  await Promise.all(asked);
  // A late attempt with a key may have created one more command.
  await arena.heal();
  // A request without an answer may still have reached the hub.
  if (calls.some(({ told }) => told.length === 0)) await pause(HEARD_WITHIN_MS);
  await over(arena, note);
  note('everything has settled');
  const untold = (await arena.receiver?.told()) ?? [];

  for (const call of calls) {
    const told = await arena.caller.ask(call);
    if (told !== undefined) call.told.push(told);
  }
  const book = await arena.ledgers.books.read(seed);
  const { rows, lines, audit, stocks } = await arena.ledgers.fresh();
  for (const { id, name, status, params, result, error } of rows)
    note(`row ${id} ${name} ${status} ${params} ${result ?? ''} ${error ?? ''}`);
  for (const line of lines) note(`line ${JSON.stringify(line)}`);
  note(`book ${JSON.stringify(book)}`);
  return {
    seed,
    faults: faults.map(({ name }) => name),
    calls: calls.length,
    ended: countOf(rows.map(endingOf)),
    settledMs,
    isLate,
    problems: [
      ...stopped,
      ...compare({ calls, rows, lines, book, mayDoubt: arena.mayDoubt }),
      ...(stocks === undefined ? [] : (arena.court?.judge(rows, stocks, arena.mayDoubt) ?? [])),
      ...audit.map((found) => `audit: ${JSON.stringify(found)}`),
      ...((await watched) ?? []),
      ...untold,
      ...(isLate && !isStarved ? [`late: settled ${settledMs.toFixed(0)} ms after the bridge was back`] : []),
    ],
    timeline,
  };
};

/** All records of a failed run and of the run before it, which may be the cause. */
export const timelineOf = (failed: Episode, before: Episode | undefined, repeat: string): string[] => [
  `run ${failed.seed} FAILED; repeat it with: ${repeat}`,
  ...failed.problems.map((problem) => `  ${problem}`),
  ...failed.timeline.map((line) => `  ${line}`),
  ...(before === undefined
    ? []
    : [`  run ${before.seed} was before it`, ...before.timeline.map((line) => `  ${line}`)]),
];

/** Keeps the timeline of a failed run in a file of its own, which no later run overwrites; returns its path. */
export const keepTimeline = (folder: string, seed: number, lines: readonly string[]): string => {
  mkdirSync(folder, { recursive: true });
  const path = resolve(join(folder, `${new Date().toISOString().replaceAll(/[:.]/g, '-')}-seed-${seed}.txt`));
  writeFileSync(path, `${lines.join('\n')}\n`, { flag: 'wx' });
  return path;
};
