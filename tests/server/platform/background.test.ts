import { pino } from 'pino';
import { expect, it, onTestFinished, vi } from 'vitest';
import { Background } from '../../../server/platform/background.ts';

it('says the same failure of repeated work once a minute, another one and one after a success at once', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const lines: string[] = [];
  const background = new Background(pino({}, { write: (line: string) => void lines.push(line) }));
  let fault: string | undefined = 'the database is away';
  background.every('look', 250, async () => {
    if (fault !== undefined) throw new Error(fault);
  });
  const saidAfter = async (ms: number): Promise<number> => {
    await vi.advanceTimersByTimeAsync(ms);
    return lines.length;
  };
  expect(await saidAfter(60_000)).toBe(1);
  expect(await saidAfter(60_000)).toBe(2);
  fault = 'the disk is full';
  expect(await saidAfter(250)).toBe(3);
  fault = undefined;
  await saidAfter(250);
  fault = 'the disk is full';
  expect(await saidAfter(250)).toBe(4);
  expect(lines.at(-1)).toMatch(/"message":"the disk is full".*"task":"look"/);
  await background.drain();
});
