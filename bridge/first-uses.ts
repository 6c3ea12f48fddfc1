import { decodeHubMessage, encode, rereadBridgeMessage } from '../bridge-protocol/wire/codec.ts';
import { socketParts } from '../bridge-protocol/ws.ts';
import { nextTick } from './pace.ts';

/** Schemas are made when they are asked for the first time. */
const SCHEMAS: readonly (() => void)[] = [
  () => rereadBridgeMessage(encode({ type: 'bye', reason: '' })),
  () => decodeHubMessage(encode({ type: 'ping', n: 0, now: 0 })),
];

/**
 * Does once, a part in each tick, what takes milliseconds when it is done for the first time: all at once, with the first
 * connection to the hub, that is more than the game's thread may be held.
 */
export const makeFirstUses = async ({ url }: { url: string }): Promise<void> => {
  for (const part of [...socketParts(url), ...SCHEMAS]) {
    try {
      part();
    } catch {
      // Nothing depends on it: what does not work is told when it is needed.
    }
    await nextTick();
  }
};
