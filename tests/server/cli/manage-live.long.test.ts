import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, type CliHub, openWorkplace, SLOW } from '../../kit/cli.ts';
import { answerAll, openRaw, welcomeRaw } from '../../kit/raw-bridge.ts';

const PROJECT = ['--project', 'default'];
const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
/** The id of a command, in its own answer or in an error about it. */
const idOf = (body: { id?: string; command?: { id: string } }): string => body.id ?? body.command?.id ?? '';
const WITHIN_A_SECOND = { timeout: 1_000, interval: 20 };

describe('beside a running hub', SLOW, () => {
  const place = openWorkplace(afterAll);
  const { run, json } = place;
  let hub: CliHub;
  const done = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await run(
      /^(server|key|command)$/.test(args[0] ?? '') ? [...args, ...PROJECT] : args,
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return stdout;
  };

  beforeAll(async () => {
    // A file without a byte is an empty database.
    writeFileSync(place.file, '');
    hub = await place.startHub();
  });

  it('a key works at once, its successor too, and none after it was revoked', async () => {
    const made = await done('key', 'create', '--name', 'bot');
    expect(made).toMatch(/^API key "bot" \(key_\w+\), shown once:\n {2}cw_live_\w{38}\n$/);
    const [, id = '', key = ''] = /\((\w+)\)[\s\S]*(cw_live_\w+)/.exec(made) ?? [];
    const status = async (secret: string): Promise<number> => (await ask(hub, secret, '/project')).status;
    expect(await status(key)).toBe(200);
    const rotated = await json<{ id: string; key: string }>('key', 'rotate', id, '--grace', '3600', ...PROJECT);
    expect(rotated).toEqual({ id, key: expect.stringMatching(/^cw_live_\w{38}$/) });
    expect(rotated.key).not.toBe(key);
    expect([await status(rotated.key), await status(key)]).toEqual([200, 200]);

    expect(await done('key', 'revoke', id)).toMatch(new RegExp(`^Key ${id} revoked; `));
    await expect.poll(() => status(key), WITHIN_A_SECOND).toBe(401);
    await expect.poll(() => status(rotated.key), WITHIN_A_SECOND).toBe(401);
  });

  it('a server works at once, and its socket ends within a second when that is wanted', async () => {
    const made = await json<{ token: string }>('server', 'create', 'two', ...PROJECT);
    expect(made).toEqual({ serverId: 'two', token: expect.stringMatching(/^cwb_\w{38}$/) });
    const rotated = await welcomeRaw(hub.bridgeUrl, made.token);
    expect(await done('server', 'list')).toMatch(
      /^server +name +connected +disabled +token\nmain .*\ntwo +two +true +false +cwb_\w{8}…\n$/,
    );
    const { token, ...rest } = await json<{ token: string }>('server', 'rotate', 'two', ...PROJECT);
    expect(rest).toEqual({ serverId: 'two' });
    expect(await rotated.closed(1_000)).toMatchObject({ code: 4501 });
    expect(await openRaw(hub.bridgeUrl, made.token).refused()).toMatchObject({ status: 401 });

    const disabled = await welcomeRaw(hub.bridgeUrl, token);
    expect(await done('server', 'disable', 'two')).toBe('Server "two" disabled.\n');
    expect(await disabled.closed(1_000)).toMatchObject({ code: 4503 });
    expect(await openRaw(hub.bridgeUrl, token).refused()).toMatchObject({ status: 403 });
    expect(await done('server', 'enable', 'two')).toBe('Server "two" enabled.\n');

    const deleted = await welcomeRaw(hub.bridgeUrl, token);
    const body = { target: 'char1:ana', type: 'bank', amount: 1, action: 'add' };
    const paying = ask(hub, hub.key, '/bridge/two/money', body);
    await deleted.command();
    const ends = '0 commands that were not sent are taken back, 1 that were sent become indeterminate.';
    const { code, stderr } = await run(['server', 'delete', 'two', ...PROJECT]);
    expect([code, stderr]).toEqual([1, expect.stringContaining(ends)]);
    expect(await done('server', 'delete', 'two', '--yes')).toBe(`Server "two" deleted. ${ends}\n`);
    expect((await deleted.closed(1_000)).code).toBe(4504);
    expect((await paying).body).toMatchObject({ executed: 'unknown', command: { status: 'indeterminate' } });
    expect(await openRaw(hub.bridgeUrl, token).refused()).toMatchObject({ status: 401 });
    expect((await ask(hub, hub.key, '/servers/two')).status).toBe(404);
  });

  it('changed limits are followed within a second', async () => {
    await done('project', 'set', 'default', '--rate-limit', '5000', '--max-amount', '700');
    const project = async () => (await ask(hub, hub.key, '/project')).body;
    await expect.poll(project, WITHIN_A_SECOND).toMatchObject({ rateLimit: { limit: 5000 }, maxAmount: 700 });
  });

  it('the journal is shown, and an indeterminate command is resolved', async () => {
    const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
    // Texts of a game server may contain control characters; a terminal must not run them.
    const error = { code: 'internal_error', message: 'red \u009b31m and \u202ebackwards' };
    answerAll(bridge, ({ params }) =>
      params['amount'] === 1
        ? { status: 'indeterminate', error, sequence: 1 }
        : { status: 'done', data: { account: 'bank', before: 0, after: params['amount'] }, sequence: 2 },
    );
    const pay = async (amount: number): Promise<string> => {
      const body = { target: 'char1:ana', type: 'bank', amount, action: 'add', reason: 'bonus' };
      return idOf((await ask(hub, hub.key, '/bridge/main/money', body)).body);
    };
    const [unclear, clear] = [await pay(1), await pay(2)];

    const [listed, named, table, shown] = await Promise.all([
      json('command', 'list', '--server', 'main', '--limit', '2', ...PROJECT),
      json('command', 'list', '--name', 'items', ...PROJECT),
      done('command', 'list', '--status', 'indeterminate'),
      done('command', 'show', unclear),
    ]);
    const view = {
      name: 'money',
      serverId: 'main',
      target: 'char1:ana',
      actor: { keyId: expect.stringMatching(/^key_/), name: 'first key' },
      requestId: expect.stringMatching(/^req_/),
      attempts: 1,
      createdAt: instant,
      settledAt: instant,
      resolution: null,
    };
    const params = { target: 'char1:ana', type: 'bank', action: 'add', allowNegative: false, reason: 'bonus' };
    const result = { account: 'bank', before: 0, after: 2 };
    const paid = { ...view, id: clear, status: 'succeeded', params: { ...params, amount: 2 }, result, error: null };
    const indeterminate = {
      ...view,
      id: unclear,
      status: 'indeterminate',
      params: { ...params, amount: 1 },
      result: null,
    };
    expect(listed).toEqual({ data: [paid, { ...indeterminate, error: { ...error, code: 'indeterminate' } }] });

    expect(named).toEqual({ data: [] });
    expect(table).toMatch(
      /^time +id +name +server +target +status +actor\n\S+ +cmd_\w+ +money +main +char1:ana +indet/,
    );
    expect(table).toContain(unclear);
    expect(table).not.toContain(clear);
    expect(shown).toMatch(/^status +indeterminate$/m);
    expect(shown).toMatch(/^error +\{.*red \?31m and \?backwards/m);

    const verdict = ['--applied', 'true', '--note', 'seen in the game', '--by', 'ana'];
    expect(await done('command', 'resolve', unclear, ...verdict)).toBe(`${unclear} is now resolved_applied.\n`);
    expect((await ask(hub, hub.key, `/commands/${unclear}`)).body).toMatchObject({
      status: 'resolved_applied',
      executed: 'yes',
      resolution: { applied: true, note: 'seen in the game', actor: { name: 'ana' } },
    });
  });

  it('a backup of the live database opens and has its rows', async () => {
    const copy = join(place.folder, 'copy.db');
    expect(await done('backup', 'copy.db')).toBe('Backed up to copy.db.\n');
    const client = new Sqlite(copy, { readonly: true });
    expect(client.pragma('integrity_check', { simple: true })).toBe('ok');
    expect(client.prepare('SELECT slug, rate_limit FROM projects').all()).toEqual([
      { slug: 'default', rate_limit: 5000 },
    ]);
    expect(client.prepare("SELECT count(*) FROM commands WHERE status = 'succeeded'").pluck().get()).toBe(1);
    client.close();
    expect(statSync(copy).mode & 0o777).toBe(0o600);
    expect(existsSync(`${copy}.partial`)).toBe(false);
  });

  it('the hub ends at once at a second signal, with commands in flight', async () => {
    const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
    const body = { target: 'char1:bo', type: 'bank', amount: 1, action: 'add' };
    const cut = expect(ask(hub, hub.key, '/bridge/main/money', body)).rejects.toThrow();
    await bridge.command();
    hub.signal('SIGTERM');
    await bridge.frame('drain');
    expect((await hub.stop('SIGTERM')).code).toBe(1);
    await cut;
  });
});

describe.concurrent('migrate and backup', SLOW, () => {
  it('bring a database up to date, and copy it to a file that is not there yet', async (context) => {
    const { expect } = context;
    const { run, folder } = openWorkplace(context.onTestFinished);
    const ended = (...args: string[]) => run(args);
    expect(await ended('migrate')).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^\d+ migrations? applied\.\n$/),
      stderr: '',
    });

    const copy = join(folder, 'copy.db');
    writeFileSync(copy, 'precious');
    expect(await ended('backup', 'copy.db')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^causeway: The file \S*copy\.db exists already; choose another name\.\n$/),
    });
    expect(readFileSync(copy, 'utf8')).toBe('precious');
    expect(await ended('backup', 'missing/copy.db')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^causeway: the folder \S+missing does not exist\n$/),
    });
  });

  it('end at a signal with one line, and leave no half of a copy', async ({ expect, onTestFinished }) => {
    const { run, start, file, folder } = openWorkplace(onTestFinished);
    await run(['migrate']);
    const client = new Sqlite(file);
    client.exec('CREATE TABLE ballast (x BLOB)');
    for (let n = 0; n < 64; n += 1) client.exec('INSERT INTO ballast VALUES (zeroblob(1048576))');
    client.close();
    const backup = start(['backup', 'copy.db']);
    while (!existsSync(join(folder, 'copy.db.partial'))) await nextTurn();
    // It has only begun: the next step of the copy sees the signal.
    backup.signal('SIGSTOP');
    backup.signal('SIGTERM');
    backup.signal('SIGCONT');
    expect(await backup.ended()).toMatchObject({
      code: 1,
      stderr: 'causeway: The backup was stopped; it left no file.\n',
    });
    expect(readdirSync(folder).filter((name) => name.startsWith('copy.db'))).toEqual([]);
  });

  it('make no database to copy', async ({ expect, onTestFinished }) => {
    const { run, file } = openWorkplace(onTestFinished);
    expect(await run(['backup', 'copy.db'])).toEqual({
      code: 1,
      stdout: '',
      stderr: `causeway: there is no database ${file}; run this in the folder of the hub, or set DATABASE_URL\n`,
    });
    expect(() => readFileSync(file)).toThrow(/ENOENT/);
  });
});
