import { describe, it } from 'vitest';
import { ask, openWorkplace, SLOW } from '../../kit/cli.ts';
import { newServerDatabase, serverUrl } from '../../kit/databases.ts';

describe.concurrent('causeway copy', SLOW, () => {
  it('never repeats an address that it does not understand', async ({ expect, onTestFinished }) => {
    const place = openWorkplace(onTestFinished);
    for (const to of ['postgre://hub:swordfish@db/hub', 'hub:swordfish@db', 'postgres://hub:swordfish@db:port/hub']) {
      const { code, stdout, stderr } = await place.verb(['copy', '--from', `file:${place.file}`, '--to', to]);
      expect(stderr).toMatch(/^causeway: [^\n]+\n$/);
      expect(stdout + stderr).not.toContain('swordfish');
      expect(code).not.toBe(0);
    }
  });

  it('names a missing option', async ({ expect, onTestFinished }) => {
    const place = openWorkplace(onTestFinished);
    const { code, stderr } = await place.verb(['copy', '--from', 'file:none.db', '--to', 'postgres://127.0.0.1:1/hub']);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/there is no database \S+none\.db/) });
  });

  it.skipIf(serverUrl === undefined)('moves a hub to a PostgreSQL server', async ({ expect, onTestFinished }) => {
    const place = openWorkplace(onTestFinished);
    const { url, drop } = await newServerDatabase(serverUrl ?? '');
    onTestFinished(async () => void (await drop()));
    const before = await place.startHub();
    await place.verb(['project', 'create', 'liberty']);
    await before.stop();
    const copy = (...more: string[]) => place.verb(['copy', '--from', `file:${place.file}`, '--to', url, ...more]);
    const done = await copy();
    expect(done).toMatchObject({ code: 0, stderr: '' });
    expect(done.stdout).toMatch(/projects +2 +[0-9a-f]{64}/);
    expect(await copy()).toMatchObject({ code: 1, stderr: expect.stringContaining('the target is not empty') });
    expect(await copy('--resume')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('the target is not empty'),
    });
    const after = await place.startHub({ DATABASE_URL: url });
    expect(await ask(after, before.key, '/project')).toMatchObject({ status: 200, body: { slug: 'default' } });
    await after.stop();
  });

  it.skipIf(serverUrl === undefined)('leaves half a copy closed to every hub', async ({ expect, onTestFinished }) => {
    const place = openWorkplace(onTestFinished);
    const { url, drop } = await newServerDatabase(serverUrl ?? '');
    onTestFinished(async () => void (await drop()));
    await place.verb(['project', 'create', 'liberty']);
    const { openCopyTarget } = await import('../../../db/postgres/pool.ts');
    const target = await openCopyTarget(url);
    await target.begin();
    await target.database.close();
    const start = await place.run(['start'], { DATABASE_URL: url });
    expect(start).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('finish the copy with causeway copy --resume'),
    });
    const args = ['copy', '--from', `file:${place.file}`, '--to', url];
    expect(await place.verb(args)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('continue with --resume'),
    });
    expect(await place.verb([...args, '--resume'])).toMatchObject({ code: 0 });
    expect(await place.verb(['project', 'show', 'liberty'], { DATABASE_URL: url })).toMatchObject({ code: 0 });
  });
});
