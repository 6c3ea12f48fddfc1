import { copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, it } from 'vitest';
import { startHub, type TestHub } from '../../kit/hub.ts';
import { onPostgres } from '../../kit/hub-database.ts';
import { eventually, rewrite } from '../../kit/stage.ts';
import { ANA, makeSchedule, openScheduleStage, PARAMS, runsOf, TASK } from './schedule-stage.ts';

/** A run whose command waits for the game server, so that its id can be compared without a bridge. */
const WAITS = { ...TASK, deliver: 'when_connected' };

const BATCH = { name: 'money', params: PARAMS, targets: [ANA, 'char1:ben'], deliver: 'when_connected' };

/** The ids of the commands that a run made. */
const commandsOf = async (hub: TestHub, made: string | null | undefined): Promise<string[]> => {
  const { body } = await hub.request(`/api/v2/batches/${made}/commands`);
  return ((body['data'] ?? []) as { id: string }[]).map(({ id }) => id).toSorted();
};

it.runIf(!onPostgres).each([
  ['a command', WAITS, 0],
  ['a batch', BATCH, 2],
])('a restored hub makes the runs again that it forgot, with the same ids: %s', async (_what, task, count) => {
  const { hub } = await openScheduleStage();
  const file = join(hub.folder, 'hub.db');
  const backup = join(hub.folder, 'backup.db');
  const daily = { cron: '0 3 * * *', timeZone: 'UTC' };
  const id = await makeSchedule(hub, { missed: 'run_once', task, when: daily });
  const lastNight = Math.floor((Date.now() - 3 * 3_600_000) / 86_400_000) * 86_400_000 + 3 * 3_600_000;
  // The backup is of the evening before: its schedule waits for the night, and no hub has looked since.
  const client = new Sqlite(file);
  await client.backup(backup);
  client.close();
  const old = new Sqlite(backup);
  old.prepare('UPDATE schedules SET next_at = ?').run(lastNight - 86_400_000);
  old.prepare("UPDATE schedule_looks SET at = ? WHERE id = 'last'").run(lastNight - 86_400_000 - 1);
  old.close();
  await rewrite(hub, 'UPDATE schedules SET next_at = ? WHERE id = ?', lastNight, id);
  await eventually(async () => runsOf(hub, id)).toMatchObject([{ status: 'done' }]);
  const before = await runsOf(hub, id);
  await eventually(async () => (await commandsOf(hub, before[0]?.made)).length).toBe(count);
  const commands = await commandsOf(hub, before[0]?.made);
  await hub.crash();
  for (const end of ['-wal', '-shm']) await rm(`${file}${end}`, { force: true });
  await copyFile(backup, file);

  const restored = await startHub({ folder: hub.folder });
  await eventually(async () => runsOf(restored, id)).toMatchObject([{ status: 'done' }]);
  expect(await runsOf(restored, id)).toEqual(before);
  await eventually(() => commandsOf(restored, before[0]?.made)).toEqual(commands);
});
