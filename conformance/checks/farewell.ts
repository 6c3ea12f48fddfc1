import { Breach, NotTried } from '../judges/findings.ts';
import type { Line } from '../line/line.ts';
import type { Stage } from '../stage/stage.ts';
import type { Check } from './check.ts';

const BATCH = 20;
/** The first commands of a batch run when the farewell begins; the others may wait behind them. */
const SURELY_RUN = 4;

const said = (line: Line, type: string): boolean => line.frames.some(({ message }) => message?.type === type);

/** A command that was confirmed before the farewell has its result before it. */
const expectSettled = ({ book }: Stage, ids: readonly string[]): void => {
  const open = ids.filter((id) => (book.get(id)?.answers ?? 0) > 0 && book.get(id)?.results.length === 0);
  if (open.length === 0) return;
  throw new Breach({ rule: 'R18', expected: 'the results of what ran before bye', saw: `none for ${open.join(' ')}` });
};

/** Gives and takes money in turns, if the bridge supports money. */
const payBatch = ({ deliver, money, canPay, target }: Stage, count: number): string[] =>
  canPay() ? Array.from({ length: count }, (_, nth) => deliver(money(target(), nth % 2 === 0 ? 1 : -1)).id) : [];

/** An idle bridge sends bye together with `draining`, so commands are sent until one of them arrives. */
const keepBusy = async (stage: Stage, line: Line): Promise<void> => {
  const { happens, hub, book, waits, burst } = stage;
  const isLeaving = (): boolean => hub.isBridgeDraining() || said(line, 'bye') || !line.isOpen();
  for (let sent = 0; ; sent += BATCH) {
    const last = sent < burst && !isLeaving() ? payBatch(stage, BATCH).at(-1) : undefined;
    const isNext = () => isLeaving() || (last !== undefined && (book.get(last)?.answers ?? 0) > 0) || undefined;
    const isOver = !(await happens(isNext, waits.answerMs));
    if (isOver || isLeaving()) return;
  }
};

const sayGoodbye = async (stage: Stage): Promise<void> => {
  const { launched, happens, hub, book, waits, until, isGone } = stage;
  const line = stage.line();
  const ids = payBatch(stage, BATCH);
  const isRunning = () => (ids.length === 0 || ids.some((id) => (book.get(id)?.answers ?? 0) > 0) ? true : undefined);
  await until(isRunning, { expected: 'the first command confirmed', on: line });
  const dead = launched().kill('SIGTERM');
  try {
    await keepBusy(stage, line);
    if (line.isOpen() && hub.isBridgeDraining() && !said(line, 'bye')) payBatch(stage, 2);
    const isOver = () => (said(line, 'bye') || !line.isOpen() ? true : undefined);
    await happens(isOver, waits.settleMs);
    if (!said(line, 'bye')) throw new NotTried('no bye came after SIGTERM');
    expectSettled(stage, ids.slice(0, SURELY_RUN));
    line.close(1000);
    await isGone('R18', 'bye');
  } finally {
    // The next check starts another process, which must find nothing of this one.
    await dead;
  }
};

/** The last checks of a process; after each of them the bridge stays away. */
export const FAREWELL_CHECKS: readonly Check[] = [
  {
    rules: ['R18'],
    shows: ['R33'],
    name: 'says bye when it is stopped, after the results, and stays away',
    needs: ['run'],
    run: sayGoodbye,
  },
  {
    rules: ['R3'],
    name: 'stays away after 401',
    needs: ['run'],
    isAnew: true,
    withinMs: 120_000,
    run: async ({ hub, restart, dial, waits, staysAway }) => {
      const { count } = hub.dials();
      await restart();
      hub.refuse({ status: 401, code: 'invalid_token' });
      await dial(count, { withinMs: waits.dialInMs });
      await staysAway('R3', '401');
    },
  },
  {
    rules: ['R44'],
    name: 'stays away after a code that it does not know, 4999',
    needs: ['run'],
    isAnew: true,
    withinMs: 120_000,
    run: async ({ restart, next, waits, staysAway }) => {
      await restart();
      const line = await next(undefined, { withinMs: waits.dialInMs });
      line.close(4999, 'not JSON');
      await staysAway('R44', '4999');
    },
  },
  {
    rules: ['R43'],
    name: 'stays away after 4509',
    isAnew: true,
    withinMs: 120_000,
    run: async ({ line, restart, next, waits, isGone, hub, launcher }) => {
      if (launcher !== undefined && !hub.session()?.isOpen()) {
        await restart();
        await next(undefined, { withinMs: waits.dialInMs });
      }
      line().close(4509, '{"code":"replaced"}');
      await isGone('R43', '4509');
    },
  },
];
