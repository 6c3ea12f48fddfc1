import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { createRandom, type Random } from '../simulator/random.ts';
import { type Caller, planCall } from './caller.ts';
import type { Fault } from './faults.ts';
import { compare, type Ledgers } from './ledgers.ts';
import type { ProxyLine } from './proxy.ts';
import type { ChaosWorld } from './worlds.ts';

/** Who runs nothing itself and yet comes so late has no processor, nor have those that it watches. */
const STARVED_MS = 150;

/** A node that was cut off from its database with a request in hand writes as soon as it has it back. */
const HEARD_WITHIN_MS = 500;

/** Where runs are played: a hub or a cluster of them, and a game server. */
export type Playground = {
  world: Pick<ChaosWorld, 'mayDoubt'>;
  targets: readonly [string, ...string[]];
  bridgeLine: ProxyLine;
  caller: Caller;
  ledgers: Ledgers;
  planFaults: (random: Random) => Fault[];
  /** Ends every fault; resolves when the bridge is connected. */
  heal: () => Promise<void>;
  /** Waits until no command is on its way any more, as long as that may take: what is left then is lost. */
  settled: () => Promise<void>;
  /** What takes longer is a problem, if there was a processor for it. */
  settledWithinMs?: number;
  /** From now on the processes' own words go there. */
  overhear?: (hear: (line: string) => void) => void;
  /** Looks at everything else until it is over, and says what went wrong. */
  watch?: (isOver: () => boolean) => Promise<string[]>;
  close: () => Promise<void>;
};

export type Episode = {
  seed: number;
  faults: string[];
  calls: number;
  /** How many commands the hub made of them, by how they ended. */
  ended: Record<string, number>;
  /** From the moment the bridge was back until no command was on its way, ms. */
  settledMs: number;
  /** Longer than promised, with a processor or without. */
  isLate: boolean;
  problems: string[];
  timeline: string[];
};

const countOf = (names: readonly string[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
};

/** One run: some callers, some faults, then peace; when everything has settled the three ledgers must agree. */
export const playEpisode = async (arena: Playground, seed: number): Promise<Episode> => {
  const random = createRandom(seed);
  const from = performance.now();
  const timeline: string[] = [];
  const note = (text: string): void => {
    timeline.push(`${(performance.now() - from).toFixed(1).padStart(8)} ms  ${text}`);
  };
  const wanted = Array.from({ length: random.int(6, 20) }, (_, n) => planCall(random, `${seed}/${n}`, arena.targets));
  const calls = arena.ledgers.plan?.(wanted) ?? wanted;
  const faults = arena.planFaults(random);
  // So that there is something on its way when a fault comes.
  arena.bridgeLine.weather({ delayMs: random.int(0, 15), isStalled: false });

  const asked = calls.map(async (call) => {
    await pause(call.afterMs);
    note(`${call.label} asks: ${call.action} ${call.amount}${call.key === undefined ? '' : ' with a key'}`);
    await arena.caller.call(call);
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
  // A late attempt with a key may have made one more.
  await arena.heal();
  // Who was told nothing may have been heard all the same.
  if (calls.some(({ told }) => told.length === 0)) await pause(HEARD_WITHIN_MS);
  await arena.settled();
  note('everything has settled');

  for (const call of calls) {
    const id = call.told.findLast((told) => told.id !== undefined)?.id;
    if (id === undefined) continue;
    const told = await arena.caller.ask(id);
    if (told !== undefined) call.told.push({ ...told, id });
  }
  const { rows, lines, audit } = await arena.ledgers.fresh();
  for (const { id, status, params, error } of rows) note(`row ${id} ${status} ${params} ${error ?? ''}`);
  for (const line of lines) note(`line ${JSON.stringify(line)}`);
  return {
    seed,
    faults: faults.map(({ name }) => name),
    calls: calls.length,
    ended: countOf(rows.map(({ status }) => status)),
    settledMs,
    isLate,
    problems: [
      ...compare({ calls, rows, lines, mayDoubt: arena.world.mayDoubt }),
      ...audit.map((found) => `audit: ${JSON.stringify(found)}`),
      ...((await watched) ?? []),
      ...(isLate && !isStarved ? [`late: settled ${settledMs.toFixed(0)} ms after the bridge was back`] : []),
    ],
    timeline,
  };
};
