import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { atEnd } from '../kit/ends.ts';
import { newFolder } from '../kit/folder.ts';
import { startHub } from '../kit/hub.ts';
import { mountSmallDisk } from '../kit/small-disk.ts';
import { until } from '../kit/until.ts';
import { createServer } from './server.ts';
import { openStage } from './stage.ts';
import { openTlsDoor } from './tls-door.ts';
import { nextAfterOutcomes, syncedIn, tracedInto } from './trace.ts';

it('R2: sends its token only to a hub whose certificate it can check', async () => {
  const folder = newFolder();
  const hub = await startHub();
  const { url, heard, certificate } = await openTlsDoor(hub.port);
  const ca = join(folder, 'ca.pem');
  writeFileSync(ca, certificate);
  const open = async (name: string, env: Record<string, string>) => {
    const server = await createServer({
      folder: join(folder, name),
      env: { CAUSEWAY_URL: url, CAUSEWAY_TOKEN: hub.token, ...env },
    });
    atEnd(() => server.kill());
    await server.start();
    return server;
  };
  const distrustful = await open('distrustful', {});
  await until(() => distrustful.log.some((line) => /\[causeway\].*certificate/i.test(line)), 'it says why');
  expect(heard()).toBe(0);
  await distrustful.stop();
  await open('trustful', { CAUSEWAY_CA_FILE: ca });
  await until(() => hub.sizes().sessions === 1, 'the bridge is connected');
});

it('R36, R37: pays nothing that a full disk does not take, and says only what is written', async () => {
  const disk = mountSmallDisk(atEnd);
  if (disk === undefined) throw new Error('this user cannot mount a disk');
  const { server, connected, join: joins, isOnline, pay, read, hub } = await openStage();
  await connected();
  await joins('ana');
  await until(() => isOnline('ana'), 'Ana is listed');
  await server.stop();
  const data = join(server.world, 'causeway');
  // The game lets a mod write below the folder of the world only, and follows no links out of it.
  execFileSync('mount', ['--bind', disk.folder, data]);
  atEnd(() => execFileSync('umount', ['--lazy', data]));
  await server.start();
  await connected();
  disk.fill();

  // The rest of the last block takes some payments, and ends before a record does.
  const answers = [];
  for (let n = 0; n < 40; n += 1) {
    const answer = await pay('ana', 10, {}, { Prefer: 'wait=1', 'Idempotency-Key': `full-${n}` });
    answers.push(answer);
    if (answer.status !== 200) break;
  }
  const last = answers.at(-1);
  expect([501, 202]).toContain(last?.status);
  disk.empty();
  const rows = async (): Promise<{ status: string }[]> =>
    (await hub.request('/api/v2/commands?limit=200')).body['data'] as { status: string }[];
  const isOpen = async (): Promise<boolean> => (await rows()).some(({ status }) => /accepted|dispatched/.test(status));
  await until(async () => !(await isOpen()), 'every command has ended');
  const succeeded = (await rows()).filter(({ status }) => status === 'succeeded').length;
  expect((await read('ana')).accounts['bank']).toBe(10 * succeeded);
  await expect.poll(() => pay('ana', 10)).toMatchObject({ status: 200, body: { result: { before: 10 * succeeded } } });
  await server.kill();
  await server.start();
  await connected();
  expect((await read('ana')).accounts['bank']).toBe(10 * (succeeded + 1));
});

it('R42: says atomic, and syncs each line of the bank before the caller hears of it', async () => {
  const trace = join(newFolder(), 'trace');
  const { admin, info, connected, join: joins, isOnline, pay, server } = await openStage({ under: tracedInto(trace) });
  await connected();
  expect((await info()).bridge?.journalClass).toBe('atomic');
  expect(await admin('')).toContain('class atomic');
  await joins('ana');
  await until(() => isOnline('ana'), 'Ana is listed');
  for (const amount of [5, 6, 7]) expect(await pay('ana', amount)).toMatchObject({ status: 200 });
  await server.stop();
  const journal = join(server.world, 'causeway/journal.jsonl');
  // The names of the file and of its folder must be on the disk, too.
  for (const path of [journal, join(server.world, 'causeway'), server.world]) expect(syncedIn(trace)).toContain(path);
  const next = nextAfterOutcomes(trace, journal);
  expect(next.length).toBeGreaterThanOrEqual(6);
  expect(next.filter((what) => what !== 'sync')).toEqual([]);
});
