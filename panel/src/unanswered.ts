import { newKey } from '../../clients/typescript/outcome.ts';
import { HubProblem } from './api.ts';
import { hubNow } from './clock.ts';
import { createStore } from './store.ts';

/*
 * Requests that were sent and not answered. What they ask for keeps its key, in whatever dialog and after a reload, until the
 * hub has answered or the person forgets it: a lost answer must not become a second payment. Nothing here sends by itself.
 */

/** What a request asks for, in words, and the page that shows what became of it. */
type About = { what: string; path: string };
/** `at`: when it was first sent, in hub time. `isFollowed`: a dialog waits for its answer. */
export type Unanswered = About & { key: string; digest: string; at: number; isFollowed: boolean };

/** One more makes the oldest one forgotten. */
const MOST = 50;
const PLACE = 'causeway-unanswered';

const unanswered = createStore<readonly Unanswered[]>([]);
let person = '';

/** Keeps the requests over a reload of this tab. */
const set = (sent: readonly Unanswered[]): void => {
  unanswered.set(sent.slice(-MOST));
  try {
    if (sent.length === 0) sessionStorage.removeItem(PLACE);
    else sessionStorage.setItem(PLACE, JSON.stringify({ person, sent: unanswered.get() }));
  } catch {
    // A browser may keep nothing: then they are known until the page is left.
  }
};

const change = (key: string, some: Partial<Unanswered>): void =>
  set(unanswered.get().map((each) => (each.key === key ? { ...each, ...some } : each)));

/** Takes what this person has sent from this tab before the page was loaded. */
export const recallUnanswered = (of: string): void => {
  person = of;
  try {
    const kept = JSON.parse(sessionStorage.getItem(PLACE) ?? '{}') as { person?: string; sent?: Unanswered[] };
    set(kept.person === of ? (kept.sent ?? []).map((each) => ({ ...each, isFollowed: false })) : []);
  } catch {
    unanswered.set([]);
  }
};

/** Makes a command one and the same, however often it is sent. */
export const newOrderKey = (): string => `panel-${newKey()}`;

/** Stands for a request, whose text may be long. If it stood for another one, too, the hub would refuse its key. */
const digestOf = (request: object): string => {
  let [first, second] = [0x811c9dc5, 0x9e3779b9];
  for (const sign of JSON.stringify(request)) {
    const code = sign.codePointAt(0) ?? 0;
    first = Math.imul(first ^ code, 0x01000193);
    second = Math.imul(second ^ code, 0x85ebca6b);
  }
  return `${first}/${second}`;
};

/** The requests without an answer, the oldest first. */
export const useUnanswered = unanswered.use;

const findSame = (request: object): Unanswered | undefined => {
  const digest = digestOf(request);
  return unanswered.get().find((each) => each.digest === digest);
};

/** The same request, if it was sent before and no dialog waits for its answer any more. */
export const useSentBefore = (request: object | undefined): Unanswered | undefined => {
  useUnanswered();
  const same = request && findSame(request);
  return same?.isFollowed === false ? same : undefined;
};

/** The key to send a request under. `isRepeat`: it was sent before, so it may have been done. */
export const beginRequest = (request: object, about: About): { key: string; isRepeat: boolean } => {
  const same = findSame(request);
  if (same !== undefined) {
    change(same.key, { isFollowed: true });
    return { key: same.key, isRepeat: true };
  }
  const key = newOrderKey();
  set([...unanswered.get(), { ...about, key, digest: digestOf(request), at: hubNow(), isFollowed: true }]);
  return { key, isRepeat: false };
};

/** No dialog waits for the answer any more. */
export const leaveRequest = (key: string): void => change(key, { isFollowed: false });

/** The hub has answered, or the person knows what became of it: the same once more is another request. */
export const endRequest = (key: string): void => set(unanswered.get().filter((each) => each.key !== key));

/** The next person of this page asks for something else, even in the same words. */
export const forgetUnanswered = (): void => set([]);

/** Sends a request under one key until the hub has answered it, however often a person asks for it. */
export const once = async <T>(request: object, about: About, send: (key: string) => Promise<T>): Promise<T> => {
  const { key, isRepeat } = beginRequest(request, about);
  try {
    const answer = await send(key);
    endRequest(key);
    return answer;
  } catch (error) {
    const isRefused = error instanceof HubProblem && error.problem.executed === 'no';
    // A refusal says nothing about an earlier attempt whose answer was lost.
    if (!isRepeat && isRefused) endRequest(key);
    else leaveRequest(key);
    throw error;
  }
};
