import { Breach, NotTried } from '../breach.ts';
import type { Check } from '../check.ts';
import type { Line } from '../line.ts';
import type { Stage } from '../stage.ts';

const IN_FLIGHT = 4;

const said = (line: Line, type: string): boolean => line.frames.some(({ message }) => message?.type === type);

/** What was confirmed before the farewell has its result before it. */
const expectSettled = ({ book }: Stage, ids: readonly string[]): void => {
  const open = ids.filter((id) => (book.get(id)?.answers ?? 0) > 0 && book.get(id)?.results.length === 0);
  if (open.length === 0) return;
  throw new Breach({ rule: 'R18', expected: 'the results of what ran before bye', saw: `none for ${open.join(' ')}` });
};

const sayGoodbye = async (stage: Stage): Promise<void> => {
  const { launched, deliver, money, canPay, target, happens, hub, book, waits, until, staysAway } = stage;
  const line = stage.line();
  const pay = (_: unknown, nth: number): string => deliver(money(target(), nth % 2 === 0 ? 1 : -1)).id;
  const ids = canPay() ? Array.from({ length: IN_FLIGHT }, pay) : [];
  const isRunning = () => (ids.every((id) => (book.get(id)?.answers ?? 0) > 0) ? true : undefined);
  await until(isRunning, { expected: 'every command confirmed', on: line });
  const dead = launched().kill('SIGTERM');
  const isLeaving = () => (hub.isBridgeDraining() || said(line, 'bye') || !line.isOpen() ? true : undefined);
  await happens(isLeaving, waits.answerMs);
  if (canPay() && line.isOpen() && hub.isBridgeDraining() && !said(line, 'bye')) deliver(money(target()));
  const isOver = () => (said(line, 'bye') || !line.isOpen() ? true : undefined);
  await happens(isOver, waits.settleMs);
  if (!said(line, 'bye')) {
    await dead;
    throw new NotTried('no bye came after SIGTERM');
  }
  expectSettled(stage, ids);
  line.close(1000);
  await staysAway('R18', 'bye');
  await dead;
};

/** The last of a process; each of these leaves a bridge that stays away. */
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
    run: async ({ line, restart, next, waits, staysAway, hub, launcher }) => {
      if (launcher !== undefined && !hub.session()?.isOpen()) {
        await restart();
        await next(undefined, { withinMs: waits.dialInMs });
      }
      line().close(4509, '{"code":"replaced"}');
      await staysAway('R43', '4509');
    },
  },
];
