import { copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, it } from 'vitest';
import { startHub } from '../../testkit/hub.ts';
import { onPostgres } from '../../testkit/hub-database.ts';
import { eventually, rewrite } from '../../testkit/stage.ts';
import { makeSchedule, openScheduleStage, runsOf, TASK } from './schedule-stage.ts';

/** A run whose command waits for the game server, so that its id can be compared without a bridge. */
const WAITS = { ...TASK, deliver: 'when_connected' };

it.runIf(!onPostgres)('a restored hub makes the runs again that it forgot, with the same ids', async () => {
  const { hub } = await openScheduleStage();
  const file = join(hub.folder, 'hub.db');
  const backup = join(hub.folder, 'backup.db');
  const daily = { cron: '0 3 * * *', timeZone: 'UTC' };
  const id = await makeSchedule(hub, { missed: 'run_once', task: WAITS, when: daily });
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
  await hub.crash();
  for (const end of ['-wal', '-shm']) await rm(`${file}${end}`, { force: true });
  await copyFile(backup, file);

  const restored = await startHub({ folder: hub.folder });
  await eventually(async () => runsOf(restored, id)).toMatchObject([{ status: 'done' }]);
  expect(await runsOf(restored, id)).toEqual(before);
});
