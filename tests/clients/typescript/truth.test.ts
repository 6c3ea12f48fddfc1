import { describe, expect, it } from 'vitest';
import { createCore } from '../../../clients/typescript/core.ts';
import { openLine } from '../../kit/line.ts';
import { ANA, openStage, PAY } from '../../kit/stage.ts';

const RUNS = 72;
const AT_ONCE = 24;
/** Every sixth caller has a good line and all the time it needs, on a slow machine too. */
const CALM_EVERY = 6;

/** Numbers from 0 to 1, the same in each run of the test (mulberry32). */
const numbers = (seed: number) => {
  let state = seed;
  return (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
};

type Line = Awaited<ReturnType<typeof openLine>>;
/** What happens to the line of a caller at some moment. */
const FAULTS: Record<string, (line: Line) => void> = {
  nothing: () => undefined,
  'the line breaks': (line) => line.break(),
  'it breaks for a moment': (line) => {
    line.break();
    setTimeout(line.mend, 30);
  },
  'it breaks inside of the request': (line) => line.cutInside('up', '/money'),
  'it breaks inside of the answer': (line) => line.cutInside('down', 'HTTP/1.1'),
  'it is silent': (line) => line.hold(),
};

describe('the outcome, whatever happens to the line', () => {
  it('is never untrue: yes is paid once, no is never paid, and the same key says the same later', async () => {
    const stage = await openStage();
    const { address: url, key: apiKey } = stage.hub();
    const direct = createCore({ url, apiKey });
    await direct.command('money', { serverId: 'main', target: ANA, type: 'bank', amount: PAY, action: 'add' });

    const run = async (nth: number) => {
      const random = numbers(nth);
      const names = Object.keys(FAULTS);
      const line = await openLine(() => stage.hub().port);
      const hub = createCore({ url: line.address, apiKey });
      // A quarter asks for more than there is, so that it is refused.
      const order =
        random() < 0.25 ? { amount: 1e9, action: 'remove' as const } : { amount: 1_000 + nth, action: 'add' as const };
      const payment = { serverId: 'main', target: ANA, type: 'bank', key: `run-${nth}`, ...order };
      const caller = new AbortController();
      const isCalm = nth % CALM_EVERY === 0;
      const fault = isCalm ? 'nothing' : (names[Math.floor(random() * names.length)] ?? '');
      const faultAt = random() < 0.5 ? 0 : random() * 40;
      if (faultAt === 0) FAULTS[fault]?.(line);
      else setTimeout(() => FAULTS[fault]?.(line), faultAt);
      if (!isCalm && random() < 0.3) setTimeout(() => caller.abort(), 1 + random() * 60);
      const hurriedMs = random() < 0.5 ? 1 + random() * 100 : 3_000;
      const timeoutMs = isCalm ? 60_000 : hurriedMs;
      const first = await hub.command('money', payment, { signal: caller.signal, timeoutMs });
      line.break();
      const last = await direct.command('money', payment);
      return { nth, fault, first, last, delta: order.action === 'add' ? order.amount : -order.amount };
    };

    const all: Awaited<ReturnType<typeof run>>[] = [];
    for (let n = 0; n < RUNS; n += AT_ONCE) {
      all.push(...(await Promise.all(Array.from({ length: AT_ONCE }, (_, place) => run(n + place)))));
    }
    for (const { nth, fault, first, last, delta } of all) {
      const about = `run ${nth}: ${fault}`;
      expect(first.key, about).toBe(`run-${nth}`);
      expect(['yes', 'no'], about).toContain(last.happened);
      if (first.happened !== 'unknown') expect(first.happened, about).toBe(last.happened);
      const paid = stage.economy.applied.filter((effect) => effect.delta === delta).length;
      expect(paid, about).toBe(last.happened === 'yes' ? 1 : 0);
    }
    const counted = (happened: string): number => all.filter(({ first }) => first.happened === happened).length;
    // Otherwise the faults would test nothing.
    expect([counted('yes') > 5, counted('no') > 2, counted('unknown') > 20]).toEqual([true, true, true]);
  }, 300_000);
});
