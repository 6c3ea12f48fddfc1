import { expect, it, onTestFinished } from 'vitest';
import { HubProblem } from '../../clients/typescript/problem.ts';

type About = { what: string; path: string };
type Once = {
  once: <T>(request: object, about: About, send: (key: string) => Promise<T>) => Promise<T>;
  forgetUnanswered: () => void;
  recallUnanswered: (person: string) => void;
};
// The panel runs in a page.
Object.assign(globalThis, { location: { origin: 'http://hub' } });
const file = '../../panel/src/unanswered.ts';
const { once, forgetUnanswered, recallUnanswered } = (await import(file)) as Once;

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
    await once(request, { what: 'a payment', path: '/journal' }, send).catch(() => undefined);
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
  forgetUnanswered();
  expect(kinds([...keys, ...(await keysOf({ pay: 5 }, [undefined]))])).toBe(2);
});

it('a tab remembers the last 50 requests without an answer, of one person', async () => {
  const kept = new Map<string, string>();
  const sessionStorage = {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, text: string) => kept.set(name, text),
    removeItem: (name: string) => kept.delete(name),
  };
  Object.assign(globalThis, { sessionStorage });
  onTestFinished(() => void Object.assign(globalThis, { sessionStorage: undefined }));
  recallUnanswered('key_1');
  const keys: string[] = [];
  for (let pay = 0; pay <= 50; pay += 1) keys.push(...(await keysOf({ old: pay }, [LOST])));
  // Long texts of requests are not kept.
  expect((kept.get('causeway-unanswered') ?? '').length).toBeLessThan(20_000);
  recallUnanswered('key_1');
  expect(await keysOf({ old: 50 }, [LOST])).toEqual([keys[50]]);
  expect(await keysOf({ old: 1 }, [LOST])).toEqual([keys[1]]);
  expect(await keysOf({ old: 0 }, [undefined])).not.toEqual([keys[0]]);
  recallUnanswered('key_2');
  expect(await keysOf({ old: 50 }, [undefined])).not.toEqual([keys[50]]);
  expect([...kept]).toEqual([]);
});
