import { expect, it } from 'vitest';
import type { Database } from '../../../db/database.ts';
import { DatabaseError, diskFull } from '../../../db/errors.ts';
import { watchWrites } from '../../../server/http/routes/health.ts';
import { createPacedErrors } from '../../../server/platform/log.ts';
import { startHub } from '../../kit/hub.ts';
import { answerAll, welcomeRaw } from '../../kit/raw-bridge.ts';

it('says once that the disk fails, however many requests fail with it', async () => {
  const lines: string[] = [];
  const hub = await startHub({ logTo: lines });
  const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
  answerAll(bridge, () => ({ status: 'done', data: { account: 'bank', before: 0, after: 1 } }));
  const json = { target: 'char1:ana', type: 'bank', amount: 1, action: 'add' };
  // The answer shows that the hub has stored the welcome, so the bridge stays.
  expect((await hub.request('/api/v2/bridge/main/money', { json })).status).toBe(200);
  hub.breakDatabase('writes');
  for (let n = 0; n < 60; n += 1) {
    expect(await hub.request('/api/v2/bridge/main/money', { json })).toMatchObject({
      status: 503,
      body: { code: 'store_unavailable' },
    });
  }
  const errors = lines.filter((line) => line.includes('"msg":"the database failed"'));
  expect(errors.length).toBeGreaterThan(0);
  expect(errors.length).toBeLessThan(10);
});

it('leaves out repeated lines for five seconds, and says how many', () => {
  let at = 0;
  const { leftOut } = createPacedErrors({ now: () => at });
  const full = diskFull('hub.db');
  expect([leftOut(full, 'a'), leftOut(full, 'a'), leftOut(full, 'b'), leftOut(full, 'a')]).toEqual([
    0,
    undefined,
    0,
    undefined,
  ]);
  at = 5_000;
  expect([leftOut(full, 'a'), leftOut(full, 'a')]).toEqual([2, undefined]);
  const refused = new DatabaseError('failed', 'A constraint.');
  expect([leftOut(refused, 'a'), leftOut(refused, 'a'), leftOut(undefined, 'a')]).toEqual([0, 0, 0]);
});

it('does not believe a small write that succeeds on a full disk', async () => {
  let at = 0;
  let error: DatabaseError | undefined = diskFull('hub.db');
  const write = async (): Promise<never> => {
    if (error !== undefined) throw error;
    return undefined as never;
  };
  const given = { commit: write, together: write } as unknown as Database;
  const { database, areWritesFailing } = watchWrites(given, { now: () => at });
  const commit = () => database.commit(() => Promise.resolve()).catch(() => undefined);
  await commit();
  error = undefined;
  at = 4_999;
  await commit();
  expect(areWritesFailing()).toBe(true);
  at = 5_000;
  await commit();
  expect(areWritesFailing()).toBe(false);
  error = new DatabaseError('unavailable', 'Locked.');
  await database.together([]).catch(() => undefined);
  expect(areWritesFailing()).toBe(true);
});
