import { describe, expect, it } from 'vitest';
import { HAS_RUNTIMES, playUnder } from '../../kit/client-runtimes.ts';
import { SEEN } from '../../kit/client-scenario.ts';
import { PAY } from '../../kit/stage.ts';

const DENO = ['run', '--no-lock', '--allow-env', '--allow-net'];

describe('the client', () => {
  it.skipIf(!HAS_RUNTIMES).each([
    ['Deno', { from: 'deno@2.9.6', program: '@deno/linux-x64-glibc/deno', args: DENO }],
    ['Bun', { from: 'bun@1.4.5', program: '@oven/bun-linux-x64/bin/bun', args: ['run'] }],
  ])(
    'does the same under %s as under Node.js',
    async (_, runtime) => {
      expect(await playUnder(runtime)).toEqual({ seen: SEEN, bank: 2 * PAY });
    },
    600_000,
  );
});
