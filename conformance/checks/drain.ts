import { Breach } from '../judges/findings.ts';
import type { Line } from '../line/line.ts';
import type { Stage } from '../stage/stage.ts';
import type { Check } from './check.ts';
import { expectNotEarlier, expectNotLater } from './reconnect.ts';

/** Drains, and answers the next connection while the old one still waits for its welcome. */
const drained = async ({ hub, waits, until }: Stage, old: Line): Promise<Line> => {
  const { toldMs, graceMs } = waits;
  hub.manner.holdsWelcome = true;
  old.send({ type: 'drain', withinMs: toldMs });
  const expected = `a second connection after a drain of ${toldMs} ms, beside the first`;
  return until(hub.waiting, { rule: 'R15', expected, withinMs: toldMs + graceMs, on: old });
};

/** Runs a drain; afterwards the hub welcomes every connection again, even if the check fails. */
const draining = (run: (stage: Stage) => Promise<void>): Check['run'] => {
  return async (stage) => {
    const { manner } = stage.hub;
    manner.isDraining = true;
    try {
      await run(stage);
    } finally {
      const waiting = stage.hub.waiting();
      Object.assign(manner, { isDraining: false, holdsWelcome: false });
      if (waiting !== undefined) stage.hub.welcome(waiting);
    }
  };
};

const isLeft = ({ until, waits }: Stage, old: Line): Promise<unknown> => {
  const expected = 'the old connection to be left once the new one is welcomed';
  return until(old.ending, { rule: 'R46', expected, withinMs: waits.answerMs });
};

/** Make before break: the next connection is open before the old one closes. */
export const DRAIN_CHECKS: readonly Check[] = [
  {
    rules: ['R15', 'R46'],
    name: 'makes the next connection before it leaves the old one',
    run: draining(async (stage) => {
      const old = stage.line();
      const newer = await drained(stage, old);
      await stage.barrier(old, 'R15');
      stage.hub.welcome(newer);
      await stage.barrier(newer, 'R15');
      await isLeft(stage, old);
    }),
  },
  {
    rules: ['R14'],
    name: 'ignores commands on the old connection',
    needs: ['money'],
    run: draining(async (stage) => {
      const { hub, money, target, moves, until, barrier, result, book } = stage;
      await moves({ rule: 'R14', what: 'a command on an older connection', units: 1 }, async () => {
        const old = stage.line();
        const newer = await drained(stage, old);
        hub.welcome(newer);
        const isThere = () => (newer.frames.length > 1 ? true : undefined);
        await until(isThere, { expected: 'a frame after welcome', on: newer });
        const stray = money(target());
        book.sent(stray.id, { command: stray });
        old.send(stray);
        await barrier(newer);
        newer.send({ type: 'void', id: stray.id });
        const { status } = await result(stray.id, { on: newer });
        const expected = 'voided: the command came on an older connection only';
        if (status !== 'voided') throw new Breach({ rule: 'R14', expected, saw: status });
        await isLeft(stage, old);
        return { least: 0, most: 0 };
      });
    }),
  },
  {
    rules: ['R3', 'R15'],
    name: 'keeps the old connection when the next is refused, and comes back after Retry-After',
    run: draining(async (stage) => {
      const { hub, waits, dial, barrier, next } = stage;
      const { toldMs, graceMs, retryAfterMs } = waits;
      const old = stage.line();
      const { count } = hub.dials();
      hub.refuse({ status: 503, code: 'draining', retryAfterMs });
      old.send({ type: 'drain', withinMs: toldMs });
      const expected = `a second connection after a drain of ${toldMs} ms`;
      const refusedAt = await dial(count, { rule: 'R15', expected, withinMs: toldMs + graceMs });
      await barrier(old, 'R15');
      const againAt = await dial(count + 1, { rule: 'R3' });
      const told = '503 with Retry-After';
      expectNotEarlier('R3', againAt - refusedAt, retryAfterMs, told);
      expectNotLater('R3', againAt - refusedAt, retryAfterMs + Math.max(1_000, retryAfterMs / 2) + graceMs, told);
      await next(old, { rule: 'R15' });
      await isLeft(stage, old);
    }),
  },
];
