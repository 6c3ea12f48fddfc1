import { expect, it } from 'vitest';
import { storm } from './storm.ts';

it('18 planned runs of 3 projects under kills, clock steps and full limits: each is made once, or told', async () => {
  const { made, told } = await storm({ seed: 3, projects: 3, schedules: 2, minutes: 3 });
  expect(made + told).toBe(18);
});
