import { expect, it } from 'vitest';
import { HubProblem } from '../../clients/typescript/problem.ts';

type Once = { once: <T>(request: object, send: (key: string) => Promise<T>) => Promise<T>; forgetOpen: () => void };
// The panel runs in a page.
Object.assign(globalThis, { location: { origin: 'http://hub' } });
const file = '../../panel/src/once.ts';
const { once, forgetOpen } = (await import(file)) as Once;

const LOST = new TypeError('no answer');
const problemOf = (executed: 'no' | 'unknown'): HubProblem =>
  new HubProblem({
    type: '',
    title: '',
    status: 503,
    detail: '',
    instance: '',
    code: 'store_unavailable',
    requestId: 'r',
    executed,
    retryable: true,
  });

/** The keys of a request that ends like this, one attempt after the other; undefined: it is answered. */
const keysOf = async (request: object, ends: readonly (Error | undefined)[]): Promise<string[]> => {
  const keys: string[] = [];
  for (const end of ends) {
    const send = (key: string): Promise<void> => {
      keys.push(key);
      return end === undefined ? Promise.resolve() : Promise.reject(end);
    };
    await once(request, send).catch(() => undefined);
  }
  return keys;
};
const kinds = (keys: readonly string[]): number => new Set(keys).size;

it('a request keeps its key until it is answered, also over a refusal in between', async () => {
  const keys = await keysOf({ pay: 1 }, [LOST, problemOf('no'), problemOf('unknown'), undefined]);
  expect([keys.length, kinds(keys)]).toEqual([4, 1]);
  expect(kinds([...keys, ...(await keysOf({ pay: 1 }, [undefined]))])).toBe(2);
});

it('a request that may have been stored keeps its key', async () => {
  expect(kinds(await keysOf({ pay: 6 }, [problemOf('unknown'), undefined]))).toBe(1);
});

it('a request that was refused, and another one, get keys of their own', async () => {
  expect(kinds(await keysOf({ pay: 2 }, [problemOf('no'), undefined]))).toBe(2);
  expect(kinds([...(await keysOf({ pay: 3 }, [LOST])), ...(await keysOf({ pay: 4 }, [LOST]))])).toBe(2);
});

it('the next person gets none of the keys', async () => {
  const keys = await keysOf({ pay: 5 }, [LOST]);
  forgetOpen();
  expect(kinds([...keys, ...(await keysOf({ pay: 5 }, [undefined]))])).toBe(2);
});
