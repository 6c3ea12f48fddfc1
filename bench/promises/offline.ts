import type { Answer } from './caller.ts';
import { startHub } from './hub.ts';
import { type Line, lineOf, type Measure } from './report.ts';

const REQUESTS = 10_000;
const WARM_UP = 500;
const CALLERS = 16;
const BOUND_MS = 5;

const isTrue = ({ status, body }: Answer): boolean =>
  status === 503 && body.code === 'bridge_offline' && body.executed === 'no';

/** How fast the hub answers that the bridge is offline. */
export const offline: Measure = async () => {
  const hub = await startHub(['main']);
  let wrong = 0;
  const call = async (): Promise<number> => {
    const answer = await hub.caller.money('main', 'char1:ana');
    if (!isTrue(answer)) wrong += 1;
    return answer.ms;
  };
  const inSequence = async (count: number): Promise<number[]> => {
    const samples: number[] = [];
    for (let n = 0; n < count; n += 1) samples.push(await call());
    return samples;
  };
  try {
    await inSequence(WARM_UP);
    const alone = await inSequence(REQUESTS);
    const together = await Promise.all(Array.from({ length: CALLERS }, () => inSequence(REQUESTS / CALLERS)));
    const answers: Line = {
      what: 'every answer is 503 bridge_offline, executed "no"',
      bound: 'all',
      measured: `${wrong} others of ${2 * REQUESTS + WARM_UP}`,
      isKept: wrong === 0,
    };
    const many = lineOf(`${CALLERS} callers at once`, together.flat(), { share: 0.99, ms: BOUND_MS });
    return [
      lineOf('one caller after the other', alone, { share: 0.99, ms: BOUND_MS }),
      { ...many, bound: 'none', isKept: undefined },
      answers,
    ];
  } finally {
    await hub.close();
  }
};
