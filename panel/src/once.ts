import { newKey } from '../../clients/typescript/outcome.ts';
import { HubProblem } from './api.ts';

/** Makes a command one and the same, however often it is sent. */
export const newOrderKey = (): string => `panel-${newKey()}`;

/** The keys of requests that may have been done, by what they ask for. */
const open = new Map<string, string>();

/**
 * Sends a request under one key until the hub has answered it, however often a person asks for it, and from whatever dialog: a
 * lost answer must not become a second payment.
 */
export const once = async <T>(request: object, send: (key: string) => Promise<T>): Promise<T> => {
  const text = JSON.stringify(request);
  const earlier = open.get(text);
  const key = earlier ?? newOrderKey();
  open.set(text, key);
  try {
    const answer = await send(key);
    open.delete(text);
    return answer;
  } catch (error) {
    const isRefused = error instanceof HubProblem && error.problem.executed === 'no';
    // A refusal says nothing about an earlier attempt whose answer was lost.
    if (earlier === undefined && isRefused) open.delete(text);
    throw error;
  }
};

/** The next person of this page asks for something else, even in the same words. */
export const forgetOpen = (): void => open.clear();
