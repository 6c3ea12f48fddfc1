import { newKey } from '../../clients/typescript/outcome.ts';
import { isLost } from './parts/state.tsx';

/** Makes a command one and the same, however often it is sent. */
export const newOrderKey = (): string => `panel-${newKey()}`;

/** The keys of requests that have no answer, by what they ask for. */
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
    // A refusal says nothing about an earlier attempt whose answer was lost.
    if (earlier === undefined && !isLost(error)) open.delete(text);
    throw error;
  }
};

/** The next person of this page asks for something else, even in the same words. */
export const forgetOpen = (): void => open.clear();
