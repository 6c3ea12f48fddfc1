import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { socketParts } from '../../bridge/first-uses.ts';
import { eventually } from '../kit/stage.ts';

/** Sockets of this process, and questions to the system for the address of a name. */
const open = (): string[] => process.getActiveResourcesInfo().filter((name) => /^(TCP|TLS|GetAddrInfo)/.test(name));

it.each(['ws', 'wss'])(
  'uses what a connection over %s is made of without going anywhere or leaving anything',
  async (scheme) => {
    const before = open().length;
    for (const use of socketParts(`${scheme}://hub.invalid`)) {
      use();
      expect(open()).not.toContain('GetAddrInfoReqWrap');
      await nextTurn();
    }
    await eventually(() => open().length).toBeLessThanOrEqual(before);
  },
);
