import { Breach } from '../judges/findings.ts';
import type { Rule } from '../judges/rules.ts';
import type { Line } from '../line/line.ts';
import type { Stage } from '../stage/stage.ts';
import type { Check } from './check.ts';

const OPEN_RESULTS = 5;
const IN_FLIGHT = 8;
/** A timer may fire this early. */
const EARLY_MS = 15;

const closing = (name: string, r?: number): string =>
  JSON.stringify(r === undefined ? { code: name } : { code: name, r });

/** Waits for the next connection; returns how long after the end of this one it was dialled. */
const comesBack = async ({ hub, next, until }: Stage, line: Line, rule: Rule): Promise<number> => {
  const { count } = hub.dials();
  const { at } = await until(line.ending, { rule, expected: 'the end of the connection' });
  const newer = await next(line, { rule });
  const { count: now, lastAt } = hub.dials();
  return (now === count + 1 ? lastAt : newer.openedAt) - at;
};

const expectNotEarlier = (rule: Rule, tookMs: number, leastMs: number, told: string): void => {
  if (tookMs >= leastMs - EARLY_MS) return;
  const saw = `the bridge dial after ${Math.round(tookMs)} ms`;
  throw new Breach({ rule, expected: `no connection for ${leastMs} ms after ${told}`, saw });
};

const expectNotLater = (rule: Rule, tookMs: number, mostMs: number, told: string): void => {
  if (tookMs <= mostMs) return;
  const saw = `the bridge dial after ${Math.round(tookMs)} ms`;
  throw new Breach({ rule, expected: `the bridge back within ${mostMs} ms after ${told}`, saw });
};

/** The ids of the results before the first part of the snapshot. */
const resultsOn = (line: Line): string[] => {
  const messages = line.frames.flatMap(({ message }) => message ?? []);
  const snapshotAt = messages.findIndex(({ type }) => type === 'players.snapshot');
  const before = messages.slice(0, snapshotAt === -1 ? undefined : snapshotAt);
  return before.flatMap((message) => (message.type === 'result' ? [message.id] : []));
};

/** Checks that the results came again on this connection, in order, before the first part of the snapshot. */
const expectResent = (line: Line, ids: readonly string[], rule: Rule): void => {
  const again = resultsOn(line).filter((id) => ids.includes(id));
  const saw = `${again.length} of them before the snapshot`;
  if (ids.some((id) => !again.includes(id))) {
    const expected = `${ids.length} unacknowledged results again before the snapshot`;
    throw new Breach({ rule, expected, saw });
  }
  const order = [...new Set(again)];
  if (order.join() === ids.join()) return;
  throw new Breach({ rule: 'R13', expected: 'unacknowledged results oldest first', saw: order.join(' ') });
};

/** Checks of the end of a connection, and of its announcement. */
export const RECONNECT_CHECKS: readonly Check[] = [
  {
    rules: ['R44'],
    shows: ['R10', 'R40', 'R41'],
    name: 'comes back within r after 4000',
    run: async (stage) => {
      const line = stage.line();
      line.close(4000, closing('shutting_down', stage.waits.toldMs));
      const tookMs = await comesBack(stage, line, 'R44');
      expectNotLater('R44', tookMs, stage.waits.toldMs + stage.waits.graceMs, '4000');
    },
  },
  {
    rules: ['R13', 'R39'],
    name: 'sends again what was not acknowledged, oldest first, before the snapshot',
    needs: ['money'],
    run: async (stage) => {
      const { carryOut, money, target, waits, synced, acknowledge } = stage;
      const line = stage.line();
      const ids: string[] = [];
      for (let nth = 0; nth < OPEN_RESULTS; nth += 1) {
        ids.push((await carryOut(money(target(), nth % 2 === 0 ? 1 : -1))).id);
      }
      line.close(4000, closing('shutting_down', Math.min(waits.toldMs, 200)));
      await comesBack(stage, line, 'R13');
      await synced(stage.line());
      expectResent(stage.line(), ids, 'R13');
      acknowledge();
    },
  },
  {
    rules: ['R13'],
    name: 'sends nothing again that was acknowledged',
    needs: ['money'],
    run: async (stage) => {
      const { carryOut, money, target, synced, acknowledge, barrier } = stage;
      const line = stage.line();
      const ids = [(await carryOut(money(target(), 1))).id, (await carryOut(money(target(), -1))).id];
      acknowledge();
      await barrier();
      line.close(4000, closing('shutting_down', 0));
      await comesBack(stage, line, 'R13');
      await synced(stage.line());
      await barrier();
      const resent = stage
        .line()
        .frames.filter(({ message }) => message?.type === 'result' && ids.includes(message.id));
      if (resent.length === 0) return;
      const saw = `${resent.length} results that had been acknowledged came again after the next welcome`;
      throw new Breach({ rule: 'R13', saw });
    },
  },
  {
    rules: ['R1'],
    name: 'does not follow a redirect',
    run: async (stage) => {
      const { hub, dial, next } = stage;
      const line = stage.line();
      const { count } = hub.dials();
      hub.refuse({ status: 307, code: 'verify_redirect' });
      line.close(4000, closing('shutting_down', 0));
      await dial(count);
      const refused = hub.dials();
      const newer = await next(line);
      const now = hub.dials();
      // A refusal draws a delay as the end of a connection does.
      stage.drew((now.count === refused.count + 1 ? now.lastAt : newer.openedAt) - refused.lastAt);
    },
  },
  {
    rules: ['R44'],
    name: 'stays away for r after 4029',
    run: async (stage) => {
      const { toldMs, graceMs } = stage.waits;
      const line = stage.line();
      const toldAt = performance.now();
      line.close(4029, closing('instances_fight', toldMs));
      const tookMs = await comesBack(stage, line, 'R44');
      // The bridge may count from the close frame, which it has before the connection ends here.
      const endedMs = (line.ending()?.at ?? toldAt) - toldAt;
      expectNotEarlier('R44', endedMs + tookMs, toldMs, '4029');
      expectNotLater('R44', tookMs, toldMs + graceMs, '4029');
    },
  },
  {
    rules: ['R24', 'R44'],
    name: 'answers what was under way when the line was cut',
    needs: ['money'],
    run: async (stage) => {
      const { money, target, moves, deliver, result, until, book, synced } = stage;
      await moves({ rule: 'R24', what: 'commands on a line that was cut,', units: IN_FLIGHT }, async () => {
        const line = stage.line();
        const commands = Array.from({ length: IN_FLIGHT }, () => deliver(money(target())));
        const isAnswered = () => (commands.some(({ id }) => (book.get(id)?.answers ?? 0) > 0) ? true : undefined);
        await until(isAnswered, { expected: 'the first answer', on: line });
        line.cut();
        stage.drew(await comesBack(stage, line, 'R44'));
        await synced(stage.line());
        for (const command of commands) deliver({ ...command, attempt: 2 });
        const results = await Promise.all(commands.map(({ id }) => result(id)));
        const done = results.filter(({ status }) => status === 'done').length;
        const unknown = results.filter(({ status }) => status === 'indeterminate').length;
        return { least: done, most: done + unknown };
      });
    },
  },
  {
    rules: ['R44'],
    name: 'comes back after a code that it does not know, 4499',
    run: async (stage) => {
      const line = stage.line();
      line.close(4499, 'not JSON');
      stage.drew(await comesBack(stage, line, 'R44'));
    },
  },
  {
    rules: ['R45'],
    name: 'draws its delays as the backoff says',
    run: async (stage) => {
      while (!stage.delays.isEnough()) {
        const line = stage.line();
        line.cut();
        stage.drew(await comesBack(stage, line, 'R45'));
      }
      stage.judgeDelays();
    },
  },
];

export { comesBack, expectNotEarlier, expectNotLater, expectResent };
