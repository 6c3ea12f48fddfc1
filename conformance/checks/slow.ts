import { Breach } from '../judges/findings.ts';
import type { Check } from './check.ts';
import { comesBack, expectNotLater } from './reconnect.ts';

const CUTS = 5;

/** Checks that take a minute each. */
export const SLOW_CHECKS: readonly Check[] = [
  {
    rules: ['R17'],
    name: 'gives up a connection that is silent',
    needs: ['slow'],
    withinMs: 150_000,
    run: async (stage) => {
      const { hub, waits, until } = stage;
      const line = stage.line();
      hub.manner.isSilent = true;
      try {
        const expected = 'a connection without frames of the hub to be given up';
        await until(line.ending, { expected, withinMs: waits.silenceMs + waits.graceMs });
        stage.drew(await comesBack(stage, line, 'R17'));
      } finally {
        hub.manner.isSilent = false;
      }
    },
  },
  {
    rules: ['R45'],
    name: 'lets its delays grow, without starting over at a welcome',
    needs: ['slow'],
    withinMs: 300_000,
    run: async (stage) => {
      const { waits } = stage;
      const delays: number[] = [];
      for (let nth = 0; nth < CUTS; nth += 1) {
        const line = stage.line();
        line.cut();
        const tookMs = await comesBack(stage, line, 'R45');
        delays.push(tookMs);
        stage.drew(tookMs);
      }
      stage.judgeDelays();
      if (delays.some((ms) => ms > waits.backoffBaseMs)) return;
      const saw = `delays of ${delays.map(Math.round).join(', ')} ms`;
      throw new Breach({ expected: `delays that grow beyond ${waits.backoffBaseMs} ms`, saw });
    },
  },
  {
    rules: ['R45', 'R23'],
    name: 'starts over after a session of 60 seconds, and sends its status meanwhile',
    needs: ['slow'],
    withinMs: 150_000,
    run: async (stage) => {
      const { waits, happens } = stage;
      const line = stage.line();
      const heldMs = waits.stableMs + waits.graceMs;
      await happens(() => (line.isOpen() ? undefined : true), heldMs);
      const count = line.frames.filter(({ message }) => message?.type === 'status').length;
      const least = Math.floor(heldMs / 15_000) - 1;
      if (count < least) {
        const expected = `at least ${least} status in ${heldMs} ms`;
        throw new Breach({ rule: 'R23', expected, saw: `${count}` });
      }
      stage.startOver();
      line.cut();
      const tookMs = await comesBack(stage, line, 'R45');
      stage.drew(tookMs);
      expectNotLater('R45', tookMs, waits.backoffBaseMs + waits.graceMs, `a session of ${heldMs} ms`);
    },
  },
];
