import { expect, it } from 'vitest';
import { storm } from './storm.ts';

it('2,000 planned runs of 40 projects under kills, clock steps and full limits: each is made once, or told', async () => {
  const { made, told } = await storm({ seed: 7, projects: 40, schedules: 10, minutes: 5 });
  expect(made + told).toBe(2_000);
  expect(made).toBeGreaterThan(1_000);
}, 600_000);
