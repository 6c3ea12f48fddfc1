import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { HubProblem } from '../../clients/typescript/problem.ts';

type About = { what: string; path: string };
type Tab = {
  once: <T>(request: object, about: About, send: (key: string) => Promise<T>) => Promise<T>;
  forgetWords: () => void;
  recallUnanswered: (person: string) => void;
};
// The panel runs in a page: names of stored items are its own properties.
const kept: Record<string, string> = {};
const methods = {
  getItem: (name: string) => kept[name] ?? null,
  setItem: (name: string, text: string) => Object.assign(kept, { [name]: text }),
  removeItem: (name: string) => Reflect.deleteProperty(kept, name),
};
Object.setPrototypeOf(kept, methods);
const page = { localStorage: kept, location: { origin: 'http://hub' }, addEventListener: () => undefined };
Object.assign(globalThis, page);
/** A tab of the browser: it has only the storage in common with the others. */
const openTab = async (name: string): Promise<Tab> =>
  (await import(`../../panel/src/unanswered.ts?tab=${name}`)) as Tab;
const tab = await openTab('first');
const person = (of: string): void => tab.recallUnanswered(of);
beforeEach(() => {
  for (const name of Object.keys(kept)) methods.removeItem(name);
  person('key_1');
});

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
const keysOf = async (request: object, ends: readonly (Error | undefined)[], { once } = tab): Promise<string[]> => {
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

it('the next person gets none of the keys, and reads no words; the same person gets them', async () => {
  const keys = await keysOf({ pay: 5 }, [LOST]);
  tab.forgetWords();
  expect(JSON.stringify(kept)).not.toContain('a payment');
  person('key_2');
  expect(await keysOf({ pay: 5 }, [undefined])).not.toEqual(keys);
  person('key_1');
  expect(await keysOf({ pay: 5 }, [undefined])).toEqual(keys);
});

it('another tab has the keys, and a tab without an answer keeps its own, though the other one has got it', async () => {
  const other = await openTab('second');
  other.recallUnanswered('key_1');
  const keys = await keysOf({ pay: 6 }, [LOST]);
  expect(await keysOf({ pay: 6 }, [undefined], other)).toEqual(keys);
  expect(await keysOf({ pay: 6 }, [undefined])).toEqual(keys);
  expect(await keysOf({ pay: 6 }, [undefined])).not.toEqual(keys);
});

it('a refusal ends no request that another tab has sent, too', async () => {
  const other = await openTab('third');
  other.recallUnanswered('key_1');
  const keys: string[] = [];
  const about = { what: 'a payment', path: '/journal' };
  const first = tab.once({ pay: 7 }, about, async (key) => {
    keys.push(key, ...(await keysOf({ pay: 7 }, [LOST], other)));
    throw problemOf('no');
  });
  await expect(first).rejects.toThrow(HubProblem);
  keys.push(...(await keysOf({ pay: 7 }, [undefined])));
  expect([keys.length, kinds(keys)]).toEqual([3, 1]);
});

it('a person has at most 50 requests without an answer: the next one is not sent, and none is forgotten', async () => {
  const keys: string[] = [];
  for (let pay = 0; pay < 50; pay += 1) keys.push(...(await keysOf({ old: pay }, [LOST])));
  expect(await keysOf({ old: 50 }, [LOST])).toEqual([]);
  // Long texts of requests are not kept.
  expect(JSON.stringify(kept).length).toBeLessThan(20_000);
  person('key_2');
  expect(await keysOf({ old: 50 }, [undefined])).toHaveLength(1);
  person('key_1');
  expect(await keysOf({ old: 0 }, [undefined])).toEqual([keys[0]]);
  expect(await keysOf({ old: 50 }, [undefined])).toHaveLength(1);
});

it('a request without an answer is kept for 7 days', async () => {
  const keys = await keysOf({ pay: 8 }, [LOST]);
  const day = 24 * 3_600_000;
  vi.setSystemTime(Date.now() + 7 * day - 60_000);
  onTestFinished(() => void vi.useRealTimers());
  person('key_1');
  expect(await keysOf({ pay: 8 }, [LOST])).toEqual(keys);
  vi.setSystemTime(Date.now() + 120_000);
  person('key_1');
  expect(Object.keys(kept)).toEqual([]);
});
