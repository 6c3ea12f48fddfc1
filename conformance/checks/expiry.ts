import type { Command, Result } from '../judges/book.ts';
import { Breach, NotTried } from '../judges/findings.ts';
import type { Stage } from '../stage/stage.ts';
import type { Check } from './check.ts';

/** The last command cannot start while this many commands before it have no result. */
const BEFORE_IT = 3;
/** A bridge uses the best of this many samples of the hub's clock. */
const CLOCK_LOOKS = 4;
const READ_MS = 20;
const CLOCK_MS = 10;
/** Multiples of the usual number of commands, one for each attempt. */
const FACTORS = [1, 2, 4];
/** The next attempt has twice as many commands to read; its last one expires after this multiple of the reading. */
const LONGER = 3;

/** Lets the bridge learn the hub's clock; returns the round-trip time of a ping. */
export const tellClock = async ({ barrier }: Stage): Promise<number> => {
  const startedAt = performance.now();
  for (let nth = 0; nth < CLOCK_LOOKS; nth += 1) await barrier();
  return (performance.now() - startedAt) / CLOCK_LOOKS;
};

const isRead = ({ book }: Stage, { id }: Command): true | undefined =>
  (book.get(id)?.answers ?? 0) > 0 ? true : undefined;

/**
 * Waits until `last` has expired on every nearly correct clock; returns whether `witness` had no result at that time.
 */
const expires = async (stage: Stage, last: Command, witness: string, clockMs: number): Promise<boolean> => {
  const { hub, happens, hears, waits, book } = stage;
  const line = stage.line();
  await happens(() => isRead(stage, last), last.expiresAt - hub.now());
  if (isRead(stage, last) === undefined || hub.now() >= last.expiresAt) return false;
  await happens(() => undefined, last.expiresAt + clockMs - hub.now());
  const since = line.frames.length;
  const n = hub.ping(line);
  let isOpen = true;
  const isIt = (pong: { n: number }): boolean => {
    if (pong.n === n) isOpen = book.get(witness)?.results.length === 0;
    return pong.n === n;
  };
  const withinMs = waits.settleMs;
  await hears(line, 'pong', isIt, { rule: 'R16', expected: `a pong with n ${n}`, since, withinMs });
  return isOpen;
};

/**
 * Sends several commands for one player, and one more that expires while it waits; no `ended` if it did not have to
 * wait. `readMs`: how long the bridge took to read all of them.
 */
const attempt = async (stage: Stage, factor: number, beforeMs: number): Promise<{ ended?: Result; readMs: number }> => {
  const { money, target, deliver, happens, result, settled, hub, waits, burst } = stage;
  const tripMs = await tellClock(stage);
  const sentAt = performance.now();
  const row = Array.from({ length: burst * factor }, (_, nth) => deliver(money(target(), nth % 2 === 0 ? 1 : -1)));
  const expiresInMs = Math.max(factor * (READ_MS + 4 * tripMs), LONGER * beforeMs);
  const last = deliver(money(target(), 1, { expiresAt: Math.ceil(hub.now() + expiresInMs) }));
  const reading = happens(() => isRead(stage, last), waits.settleMs).then(() => performance.now() - sentAt);
  const isTried = await expires(stage, last, row.at(-BEFORE_IT)?.id ?? '', CLOCK_MS + 2 * tripMs);
  await settled([...row, last].map(({ id }) => id));
  const ended = await result(last.id);
  stage.acknowledge();
  const readMs = await reading;
  return isTried ? { ended, readMs } : { readMs };
};

const expiresWaiting = async (stage: Stage): Promise<void> => {
  let readMs = 0;
  for (const factor of FACTORS) {
    const tried = await attempt(stage, factor, readMs);
    readMs = tried.readMs;
    if (tried.ended?.status === 'voided') return;
    if (tried.ended === undefined) continue;
    throw new Breach({
      saw: `a command that waited until its expiresAt had passed was ${tried.ended.status}, not voided`,
    });
  }
  throw new NotTried('no command in a row waited long enough to expire');
};

/** A command that expires between its arrival and its start. */
export const EXPIRY_CHECKS: readonly Check[] = [
  {
    rules: ['R27'],
    name: 'voids a command that expires while it waits for an earlier one',
    needs: ['money'],
    withinMs: 150_000,
    run: expiresWaiting,
  },
];
