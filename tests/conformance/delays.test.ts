import { expect, it } from 'vitest';
import { verify } from '../../conformance/verify.ts';
import { launchGame } from './game.ts';

const BASE_MS = 250;

it('counts the delay after a redirect, so a bridge that draws the longest delays keeps R45', async () => {
  const launcher = launchGame({
    options: (options) => ({
      ...options,
      random: () => 0.99,
      timings: { ...options.timings, reconnectBaseMs: BASE_MS, reconnectMaxMs: 30_000 },
    }),
  });
  const waits = { backoffBaseMs: BASE_MS, graceMs: 200 };
  const report = await verify({ port: 0, launcher, only: ['R1', 'R45'], waits });
  expect(report.rules.map(({ rule, outcome }) => [rule, outcome])).toEqual([
    ['R1', 'pass'],
    ['R45', 'pass'],
  ]);
}, 30_000);
