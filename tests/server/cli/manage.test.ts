import { describe, expect, it, type TestContext } from 'vitest';
import { openDatabase } from '../../../db/open.ts';
import { KEPT_EVENT_TYPES } from '../../../db/schema/events.ts';
import { createStore, type Store } from '../../../db/store.ts';
import { addProject } from '../../../server/admin/projects.ts';
import { isWellFormedSecret, SCOPES } from '../../../server/auth/credentials.ts';
import { batchOf, scheduleOf, webhookOf } from '../../kit/batch-rows.ts';
import { openWorkplace, SLOW } from '../../kit/cli.ts';
import { commandOf } from '../../kit/databases.ts';
import { createKey, createServer } from '../../kit/make-tenant.ts';

const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const BATCH = 'bat_1kbs8n55r000kd2z7c9t1wbe';
const SCHEDULE = 'sch_1kbs8n55r000kd2z7c9t1wbf';
const WEBHOOK = 'whk_1kbs8n55r000kd2z7c9t1wbf';
const OF_VICE = ['--project', 'vice'];
const durable = { durable: true };
const failure = (reason: string) => ({ code: 1, stdout: '', stderr: `causeway: ${reason}\n` });

/** A place with the project `vice` and its server `main`, and what `fill` stores in it. */
const openVice = async (
  { onTestFinished }: TestContext,
  fill: (store: Store, projectId: string) => Promise<unknown> = async () => undefined,
) => {
  const place = openWorkplace(onTestFinished);
  const database = await openDatabase({ url: `file:${place.file}` });
  await database.migrate();
  const store = createStore(database);
  const project = await addProject(store, { slug: 'vice', name: 'Vice RP', rateLimit: 100 });
  const token = await createServer(store, project?.id ?? '', { id: 'main', name: 'Main one' });
  await fill(store, project?.id ?? '');
  await database.close();
  const makeKey = async (keyName: string): Promise<string> => {
    const again = await openDatabase({ url: `file:${place.file}` });
    const { row } = await createKey(createStore(again), project?.id ?? '', { name: keyName });
    await again.close();
    return row.id;
  };
  return { ...place, makeKey, token: token ?? '' };
};

describe.concurrent('the command line manages', SLOW, () => {
  it('projects', async (context) => {
    const { expect } = context;
    const { verb, json } = await openVice(context);
    const made = await json('project', 'create', 'liberty', '--name', 'Liberty RP', '--rate-limit', '300');
    expect(made).toEqual({ slug: 'liberty', name: 'Liberty RP', rateLimit: 300 });
    expect(await verb(['project', 'create', 'vice'])).toEqual(failure('the project "vice" exists already'));

    const limits = ['--max-amount', 'none', '--allow-volatile', 'true'];
    const liberty = await json('project', 'set', 'liberty', ...limits);
    expect(liberty).toEqual({
      slug: 'liberty',
      name: 'Liberty RP',
      rateLimit: 300,
      maxAmount: null,
      maxServers: 100,
      maxKeys: 1_000,
      maxWaiting: 50_000,
      maxBatchTargets: 10_000,
      maxBatchTotal: null,
      ownMaxAmount: null,
      ownMaxBatchTotal: null,
      confirmAbove: 1_000_000,
      reasonFor: [],
      language: null,
      keepEvents: false,
      eventsSince: null,
      allowVolatile: true,
      disabled: false,
      createdAt: instant,
    });
    const shown = await verb(['project', 'show', 'liberty']);
    expect(shown.stdout).toMatch(/^slug +liberty\nname +Liberty RP\nrateLimit +300\nmaxAmount +-\n/);

    const stdout = 'Project "vice" deleted.\n';
    expect(await verb(['project', 'delete', 'vice', '--yes'])).toEqual({ code: 0, stdout, stderr: '' });
    expect(await json('project', 'list')).toEqual({ data: [liberty] });
  });

  it('servers', async (context) => {
    const { expect } = context;
    const { verb, json, token } = await openVice(context);
    const again = await verb(['server', 'create', 'main', '--project', 'vice']);
    expect(again).toEqual(failure('the project "vice" already has a server "main"'));
    const main = { serverId: 'main', name: 'Main one', disabled: false, connected: false, createdAt: instant };
    expect(await json('server', 'list', '--project', 'vice')).toEqual({
      data: [{ ...main, tokenPrefix: token.slice(0, 12) }],
    });
  });

  it('keys', async (context) => {
    const { expect } = context;
    const { verb, json } = await openVice(context);
    const options = ['--project', 'vice', '--name', 'vote rewards'];
    const limits = ['--scopes', 'players:read,commands:money', '--servers', 'main,two', '--expires', '90d'];
    limits.push('--max-batch-targets', '50', '--max-batch-total', '9000');
    const made = await json<{ id: string; key: string; expiresAt: string }>('key', 'create', ...options, ...limits);
    const limited = {
      id: expect.stringMatching(/^key_\w+$/),
      name: 'vote rewards',
      scopes: ['players:read', 'commands:money'],
      servers: ['main', 'two'],
      maxBatchTargets: 50,
      maxBatchTotal: 9000,
      rateLimit: null,
      expiresAt: instant,
    };
    expect(made).toEqual({ ...limited, key: expect.stringMatching(/^cw_live_/) });
    expect(isWellFormedSecret('api_key', made.key)).toBe(true);
    expect((Date.parse(made.expiresAt) - Date.now()) / 86_400_000).toBeCloseTo(90, 1);

    const dates = { createdBy: null, createdAt: instant, revokedAt: null, lastUsedAt: null };
    expect(await json('key', 'list', '--project', 'vice')).toEqual({
      data: [{ ...limited, ...dates, prefix: made.key.slice(0, 12) }],
    });
    const { stdout } = await verb(['key', 'list', '--project', 'vice']);
    // Without the columns that are empty: a minute, last use, revoked.
    expect(stdout).toMatch(/^id +prefix +name +servers +batch players +batch money\n +expires +scopes\n/);
    expect(stdout).toMatch(/\nkey_\w+ +cw_live_\w{4} +vote rewards +main, two +50 +9000\n/);
    expect(stdout).toMatch(/\n +\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ +players:read, commands:money\n$/);
  });

  it('the bounds of a key for batches', async (context) => {
    const { expect } = context;
    const { verb, json } = await openVice(context);
    const project = ['--project', 'vice'];
    const made = await json<{ id: string }>('key', 'create', ...project, '--name', 'bot');
    expect(made).toMatchObject({ maxBatchTargets: null, maxBatchTotal: null });
    const set = (...options: string[]) => json('key', 'set', made.id, ...project, ...options);
    expect(await set('--max-batch-targets', '9')).toMatchObject({
      name: 'bot',
      maxBatchTargets: 9,
      scopes: [...SCOPES],
    });
    expect(await set('--max-batch-total', '70')).toMatchObject({ maxBatchTargets: 9, maxBatchTotal: 70 });
    expect(await set('--max-batch-targets', 'none')).toMatchObject({ maxBatchTargets: null, maxBatchTotal: 70 });
    expect((await verb(['key', 'list', ...project])).stdout).toMatch(/ bot +all +70 +all\n/);
    const tooMany = await verb(['key', 'set', made.id, ...project, '--max-batch-targets', '10001']);
    expect(tooMany).toMatchObject({ code: 2, stderr: expect.stringContaining('from 1 to 10000') });
  });

  it('the scopes of keys that were made before a scope existed', async (context) => {
    const { expect } = context;
    const { verb, json } = await openVice(context);
    const old = ['players:read', 'keys:write'];
    const { id } = await json<{ id: string }>(
      'key',
      'create',
      '--project',
      'vice',
      '--name',
      'owner',
      '--scopes',
      old.join(','),
    );
    const add = await json('key', 'set', id, '--project', 'vice', '--add-scopes', 'commands:items,players:read');
    expect(add).toMatchObject({ id, name: 'owner', scopes: [...old, 'commands:items'] });
    const all = await json('key', 'set', id, '--project', 'vice', '--scopes', 'all', '--name', 'Ana');
    expect(all).toMatchObject({ name: 'Ana', scopes: [...SCOPES] });
    const lost = await verb(['key', 'set', id, '--project', 'vice', '--scopes', 'players:read']);
    expect(lost).toMatchObject({ code: 1, stdout: '' });
  });

  it('the last key that can manage keys, and says so when it is revoked', async (context) => {
    const { expect } = context;
    const { verb, makeKey } = await openVice(context);
    const [first, second] = [await makeKey('first'), await makeKey('second')];
    const revoke = async (id: string): Promise<string> =>
      (await verb(['key', 'revoke', id, '--project', 'vice'])).stdout;
    expect(await revoke(first)).toBe(`Key ${first} revoked; a running hub refuses it within a second.\n`);
    const advice = 'Make one: causeway key create --project vice --name <name>';
    expect(await revoke(second)).toMatch(`\nNo other key can manage keys for all servers. ${advice}\n`);
  });
});

describe.concurrent('the command line refuses with one line, which names the problem,', SLOW, () => {
  const wrong: [line: string, code: number, says: RegExp][] = [
    ['project create Liberty', 2, /'Liberty' is invalid .*a-z 0-9 _ -/],
    ['project set vice', 2, /nothing to set; see: causeway project set --help/],
    ['project delete vice', 2, /'--yes' not specified/],
    ['server disable two --project vice', 1, /project "vice" has no server "two"/],
    ['key set key_x --project vice', 2, /nothing to set; see: causeway key set --help/],
    ['key set key_x --project vice --scopes all', 1, /project "vice" has no live key key_x/],
    ['key list --project nope', 1, /there is no project "nope"; see: causeway project list/],
    ['key create --project vice --name x --scopes players', 2, /--scopes .*'players' is invalid\..*players:read/],
  ];
  it.for(wrong)('causeway %s', async ([line, code, says], context) => {
    const { verb } = code === 1 ? await openVice(context) : openWorkplace(context.onTestFinished);
    const ended = await verb(line.split(' '));
    context.expect(ended).toMatchObject({ code, stdout: '' });
    context.expect(ended.stderr).toMatch(/^causeway: [^\n]+\n$/);
    context.expect(ended.stderr).toMatch(says);
  });

  it('batches: a void takes back what waits, and nothing else', async (context) => {
    const { expect } = context;
    const { verb, json } = await openVice(context, async (store, projectId) => {
      await store.batches.insert(batchOf(BATCH, { projectId }));
      await store.batches.insert(batchOf('bat_0', { projectId, status: 'settled', createdAt: 1 }));
      for (const status of ['waiting', 'dispatched', 'succeeded'] as const) {
        await store.commands.insert(commandOf(`cmd_${status}`, { projectId, status, batchId: BATCH }), durable);
      }
    });
    const counts = { dispatched: 1, succeeded: 1, waiting: 1 };
    expect(await json('batch', 'list', ...OF_VICE)).toMatchObject({
      data: [{ id: BATCH, label: 'Christmas', status: 'running', counts }, { id: 'bat_0' }],
    });
    expect((await verb(['batch', 'list', ...OF_VICE])).stdout).toContain('1 succeeded');
    const stdout = `1 commands of the batch ${BATCH} are taken back. Those that have left go on.\n`;
    expect(await verb(['batch', 'void', BATCH, ...OF_VICE])).toEqual({ code: 0, stdout, stderr: '' });
    expect(await json('batch', 'show', BATCH, ...OF_VICE)).toMatchObject({
      endedBy: 'voided',
      counts: { dispatched: 1, succeeded: 1, voided: 1 },
    });
    const ended = failure('the batch bat_0 has ended');
    expect(await verb(['batch', 'void', 'bat_0', ...OF_VICE])).toEqual(ended);
    const unknown = failure('project "vice" has no batch bat_x');
    expect(await verb(['batch', 'void', 'bat_x', ...OF_VICE])).toEqual(unknown);
  });

  it('and shows each list in a hundred columns, with ids and targets that can be copied', async (context) => {
    const { expect } = context;
    const target = `char1:${'0123456789'.repeat(4)}`;
    const longest = { name: 'the vote rewards of the forum', scopes: [...SCOPES].slice(1), servers: ['main'] };
    const command = commandOf(`cmd_${'a'.repeat(40)}`, { target });
    const { verb } = await openVice(context, async (store, projectId) => {
      await createKey(store, projectId, { ...longest, rateLimit: 50, expiresAt: Date.now() + 1_000 });
      await store.commands.insert({ ...command, projectId }, durable);
      await store.batches.insert(batchOf(BATCH, { projectId, label: 'Salaries of the whole city' }));
      await store.schedules.create(scheduleOf(SCHEDULE, { projectId }));
      const types = [...KEPT_EVENT_TYPES].slice(1);
      await store.webhooks.create(webhookOf(WEBHOOK, { projectId, types }), 50);
    });
    const wanted = {
      key: SCOPES.slice(1),
      command: [command.id, target],
      batch: [BATCH],
      schedule: [SCHEDULE],
      webhook: [WEBHOOK, ...KEPT_EVENT_TYPES.slice(1)],
    };
    for (const [noun, texts] of Object.entries(wanted)) {
      const { stdout } = await verb([noun, 'list', ...OF_VICE]);
      expect(Math.max(...stdout.split('\n').map(({ length }) => length)), stdout).toBeLessThanOrEqual(100);
      expect(texts.filter((text) => !stdout.includes(text))).toEqual([]);
    }
  });

  it('schedules: a resumed one goes on from its next time', async (context) => {
    const { expect } = context;
    const { verb, json } = await openVice(context, (store, projectId) =>
      store.schedules.create(scheduleOf(SCHEDULE, { projectId, paused: true, pausedBy: 'the key is gone' })),
    );
    const only = async () => (await json<{ data: { next: string | null }[] }>('schedule', 'list', ...OF_VICE)).data[0];
    expect(await only()).toMatchObject({ paused: true, pausedBy: 'the key is gone', next: null });
    const say = async (action: string) => (await verb(['schedule', action, SCHEDULE, ...OF_VICE])).stdout;
    expect(await say('resume')).toBe(`The schedule ${SCHEDULE} runs again.\n`);
    const resumed = await only();
    expect(resumed).toMatchObject({ paused: false, pausedBy: null });
    expect(Date.parse(resumed?.next ?? '')).toBeGreaterThan(Date.now());
    expect(await say('pause')).toBe(`The schedule ${SCHEDULE} is paused.\n`);
    expect(await only()).toMatchObject({ paused: true, next: null });
    expect((await verb(['schedule', 'list', ...OF_VICE])).stdout).toMatch(/Race +main +announce +0 18 \* \* 5 \(UTC\)/);
    expect(await say('delete')).toBe('The schedule "Race" is deleted.\n');
    expect(await json('schedule', 'list', ...OF_VICE)).toEqual({ data: [] });
    const unknown = failure(`project "vice" has no schedule ${SCHEDULE}`);
    expect(await verb(['schedule', 'pause', SCHEDULE, ...OF_VICE])).toEqual(unknown);
  });

  it('webhooks: a resumed one forgets its failures; the path of an address is not shown', async (context) => {
    const { expect } = context;
    const { verb, json } = await openVice(context, (store, projectId) =>
      store.webhooks.create(webhookOf(WEBHOOK, { projectId, off: 'failing', failures: 7, failedDays: 2 }), 50),
    );
    const list = async () => (await json<{ data: object[] }>('webhook', 'list', ...OF_VICE)).data;
    expect(await list()).toMatchObject([{ id: WEBHOOK, host: 'https://example.com', on: false, off: 'failing' }]);
    const say = async (action: string) => (await verb(['webhook', action, WEBHOOK, ...OF_VICE])).stdout;
    expect(await say('resume')).toBe(`The webhook ${WEBHOOK} is on again.\n`);
    expect(await list()).toMatchObject([{ on: true, off: null, failures: 0 }]);
    expect(await say('pause')).toBe(`The webhook ${WEBHOOK} is paused.\n`);
    const { stdout } = await verb(['webhook', 'list', ...OF_VICE]);
    expect(stdout).toMatch(/https:\/\/example\.com +json +paused +bot +all +batch\.settled\n/);
    expect(stdout).not.toContain('secret');
    expect(await say('delete')).toBe(`The webhook ${WEBHOOK} is deleted.\n`);
    expect(await list()).toEqual([]);
    expect(await verb(['webhook', 'pause', WEBHOOK, ...OF_VICE])).toEqual(
      failure(`project "vice" has no webhook ${WEBHOOK}`),
    );
  });
});
