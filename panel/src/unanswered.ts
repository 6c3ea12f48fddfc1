import { newKey } from '../../clients/typescript/outcome.ts';
import { HubProblem, notSent } from './api.ts';
import { hubNow } from './clock.ts';
import { createStore } from './store.ts';

/*
 * Requests that were sent and not answered. What they ask for keeps its key, in each dialog and tab of this browser, until the
 * hub has answered or the person forgets it: a lost answer must not become a second payment. Nothing here sends by itself.
 * Each request has a place of its own in the browser's storage, so that two tabs never overwrite each other's.
 */

/** What a request asks for, in words, and the page that shows what became of it. */
type About = { what: string; path: string };
/** `place`: where it is stored. `at`: when it was first sent, in hub time. `tab`: a dialog of it waits for the answer. */
export type Unanswered = About & { place: string; key: string; at: number; tab?: string | undefined };

/** With as many, nothing more is sent: a payment whose key were forgotten could be paid twice. */
const MOST = 50;
const FULL = notSent('unanswered_full');
/** The hub keeps keys for at least as long. */
const KEPT_MS = 7 * 24 * 3_600_000;
const PLACE = 'causeway-unanswered/';
/** A page that is loaded again is another one. */
const TAB = newKey();

const unanswered = createStore<readonly Unanswered[]>([]);
let person = '';

/** The requests of all persons of this browser. */
const stored = (): Unanswered[] =>
  Object.keys(localStorage)
    .filter((place) => place.startsWith(PLACE))
    .map((place) => ({ ...JSON.parse(localStorage.getItem(place) ?? '{}'), place }));

const read = (): void => {
  const own = stored().filter(({ place }) => place.startsWith(`${PLACE}${person}/`));
  unanswered.set(own.toSorted((a, b) => a.at - b.at));
};

const put = ({ place, ...rest }: Unanswered): void => {
  localStorage.setItem(place, JSON.stringify(rest));
  read();
};

/** No dialog waits for these answers any more. */
const leave = (isLeft: (each: Unanswered) => boolean): void => {
  for (const each of stored()) if (isLeft(each)) put({ ...each, tab: undefined });
};
const leaveAll = (): void => leave(({ tab }) => tab === TAB);
export const leaveRequest = (of: string): void => leave(({ key }) => key === of);

/** The next person of this browser reads nothing about players: what is left of a request says only that it was sent. */
export const forgetWords = (): void => {
  for (const each of stored()) put({ ...each, what: '' });
};

/** Takes what this person has sent from this browser before. */
export const recallUnanswered = (of: string): void => {
  person = of;
  for (const { place, at } of stored()) if (hubNow() - at > KEPT_MS) localStorage.removeItem(place);
  leave(() => true);
  read();
  addEventListener('storage', read);
  addEventListener('pagehide', leaveAll);
};

/** Makes a command one and the same, however often it is sent. */
export const newOrderKey = (): string => `panel-${newKey()}`;

/** Stands for a request, whose text is not stored. If it stood for another one, too, the hub would refuse its key. */
const digestOf = (request: object): string => {
  let [first, second] = [0x811c9dc5, 0x9e3779b9];
  for (const sign of JSON.stringify(request)) {
    const code = sign.codePointAt(0) ?? 0;
    first = Math.imul(first ^ code, 0x01000193);
    second = Math.imul(second ^ code, 0x85ebca6b);
  }
  return `${first}/${second}`;
};

const placeOf = (request: object): string => `${PLACE}${person}/${digestOf(request)}`;

/** The requests without an answer, the oldest first. */
export const useUnanswered = unanswered.use;

/** One of these requests, if it was sent before and no dialog of this page waits for its answer. */
export const useSentBefore = (requests: readonly object[]): Unanswered | undefined =>
  useUnanswered().find(({ place, tab }) => tab !== TAB && requests.some((each) => placeOf(each) === place));

/**
 * The key to send a request under. `left`: the key under which its dialog has sent it without an answer, because another tab
 * may have got one since. `isRepeat`: it was sent before, so it may have been done.
 * @throws HubProblem: the browser cannot remember it
 */
export const beginRequest = (request: object, about: About, left?: string): { key: string; isRepeat: boolean } => {
  // Another tab may have sent or forgotten it just now.
  read();
  const place = placeOf(request);
  const same = unanswered.get().find((each) => each.place === place);
  if (same === undefined && unanswered.get().length >= MOST) throw FULL;
  const { key, at } = same ?? { key: left ?? newOrderKey(), at: hubNow() };
  try {
    put({ ...about, place, key, at, tab: TAB });
  } catch {
    throw FULL;
  }
  return { key, isRepeat: (same?.key ?? left) !== undefined };
};

/**
 * The hub has answered, or the person knows what became of it: the same once more is another request. `isRefused`: that says
 * nothing about the same request of another tab.
 */
export const endRequest = (key: string, isRefused = false): void => {
  for (const [place, of] of left) if (of === key) left.delete(place);
  const ended = stored().find((each) => each.key === key);
  if (ended !== undefined && (!isRefused || ended.tab === TAB)) localStorage.removeItem(ended.place);
  read();
};

/** Keys of this tab, by place, that got no answer here: another tab may have got one, and ended the request. */
const left = new Map<string, string>();

/** Sends a request under one key until the hub has answered it, however often a person asks for it. */
export const once = async <T>(request: object, about: About, send: (key: string) => Promise<T>): Promise<T> => {
  const place = placeOf(request);
  const { key, isRepeat } = beginRequest(request, about, left.get(place));
  try {
    const answer = await send(key);
    endRequest(key);
    return answer;
  } catch (error) {
    const isRefused = error instanceof HubProblem && error.problem.executed === 'no';
    // A refusal says nothing about an earlier attempt whose answer was lost.
    if (!isRepeat && isRefused) endRequest(key, isRefused);
    else {
      left.set(place, key);
      leaveRequest(key);
    }
    throw error;
  }
};
