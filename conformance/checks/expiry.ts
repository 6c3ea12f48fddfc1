import type { Command, Result } from '../judges/book.ts';
import { Breach, NotTried } from '../judges/findings.ts';
import type { Stage } from '../stage/stage.ts';
import type { Check } from './check.ts';

/** The last command has not begun while so many before it have no result. */
const BEFORE_IT = 3;
/** A bridge keeps the best of this many looks at the hub's clock. */
const CLOCK_LOOKS = 4;
const READ_MS = 20;
const CLOCK_MS = 10;
/** How many times the usual row, one try after the other. */
const FACTORS = [1, 2, 4];

/** Lets the bridge learn the hub's clock; answers how long a ping and its pong take. */
const tellClock = async ({ barrier }: Stage): Promise<number> => {
  const startedAt = performance.now();
  for (let nth = 0; nth < CLOCK_LOOKS; nth += 1) await barrier();
  return (performance.now() - startedAt) / CLOCK_LOOKS;
};

/** Waits until `last` has expired on every clock that is nearly right; answers whether `witness` had no result then. */
const expires = async (stage: Stage, last: Command, witness: string, clockMs: number): Promise<boolean> => {
  const { hub, until, happens, hears, book } = stage;
  const line = stage.line();
  const isRead = () => ((book.get(last.id)?.answers ?? 0) > 0 ? true : undefined);
  await until(isRead, { expected: 'received for the last of a row', on: line });
  if (hub.now() >= last.expiresAt) return false;
  await happens(() => undefined, last.expiresAt + clockMs - hub.now());
  const since = line.frames.length;
  const n = hub.ping(line);
  let isOpen = true;
  const isIt = (pong: { n: number }): boolean => {
    if (pong.n === n) isOpen = book.get(witness)?.results.length === 0;
    return pong.n === n;
  };
  await hears(line, 'pong', isIt, { expected: `a pong with n ${n}`, since });
  return isOpen;
};

/** A player's commands in a row, and one more whose time ends while it waits for them; undefined where it did not wait. */
const attempt = async (stage: Stage, factor: number): Promise<Result | undefined> => {
  const { money, target, deliver, result, hub, burst } = stage;
  const tripMs = await tellClock(stage);
  const row = Array.from({ length: burst * factor }, (_, nth) => deliver(money(target(), nth % 2 === 0 ? 1 : -1)));
  const last = deliver(money(target(), 1, { expiresAt: Math.ceil(hub.now() + factor * (READ_MS + 4 * tripMs)) }));
  const isTried = await expires(stage, last, row.at(-BEFORE_IT)?.id ?? '', CLOCK_MS + 2 * tripMs);
  for (const { id } of row) await result(id);
  const ended = await result(last.id);
  stage.acknowledge();
  return isTried ? ended : undefined;
};

const expiresWaiting = async (stage: Stage): Promise<void> => {
  for (const factor of FACTORS) {
    const ended = await attempt(stage, factor);
    if (ended?.status === 'voided') return;
    if (ended === undefined) continue;
    throw new Breach({ saw: `a command that waited until its expiresAt had passed was ${ended.status}, not voided` });
  }
  throw new NotTried('no command in a row waited long enough to expire');
};

/** A command that expires between its arrival and its start. */
export const EXPIRY_CHECKS: readonly Check[] = [
  {
    rules: ['R27'],
    name: 'voids what expires while it waits for its turn',
    needs: ['money'],
    withinMs: 150_000,
    run: expiresWaiting,
  },
];
