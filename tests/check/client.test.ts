import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { verifyWebhook } from '../../clients/typescript/index.ts';
import { CLIENT } from '../../release/names.js';
import { shared } from '../kit/ends.ts';
import { newFolder } from '../kit/folder.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../..');
const TSC = join(ROOT, 'tests/node_modules/typescript/bin/tsc');

/** A program as its users write it: what must compile, and what must not. */
const PROGRAM = `
import { createHub, HubProblem, type Outcome, type Problem, verifyWebhook } from '${CLIENT}';
import { createCore } from '${CLIENT}/core';

const hub = createHub({ url: 'https://hub.example.org', apiKey: 'cw_live_x' });
const payment = { serverId: 'main', target: 'a', type: 'bank', amount: 5, action: 'add' } as const;

/** The compiler makes them handle each case. */
export const shown = (outcome: Outcome): string => {
  switch (outcome.happened) {
    case 'yes':
      return outcome.command.id;
    case 'no':
      return outcome.problem?.code === 'insufficient_funds' ? String(outcome.problem.balance) : outcome.reason;
    case 'waiting':
      return outcome.reason satisfies 'server' | 'player';
    case 'unknown':
      return outcome.key;
  }
};
// @ts-expect-error The case "unknown" is missing.
export const careless = (outcome: Outcome): string => {
  switch (outcome.happened) {
    case 'yes':
      return 'paid';
    case 'no':
    case 'waiting':
      return 'not paid';
  }
};

export const all = async (signal: AbortSignal | undefined): Promise<void> => {
  const outcome = await hub.money({ ...payment, key: 'vote-1', deliver: 'when_online' }, { signal, timeoutMs: 5 });
  // @ts-expect-error Only "yes" surely has a command.
  outcome.command.id;
  // @ts-expect-error There is no other word for it.
  outcome.ok;
  if (outcome.happened === 'yes') outcome.command.executed satisfies 'yes' | 'no' | 'unknown';
  // @ts-expect-error An amount is a number.
  await hub.money({ ...payment, amount: '5' });
  // @ts-expect-error It has no such field.
  await hub.money({ ...payment, reson: 'typo' });
  // @ts-expect-error The player is missing.
  await hub.kick({ serverId: 'main' });
  // @ts-expect-error A kick does not wait.
  await hub.kick({ serverId: 'main', target: 'a', deliver: 'when_online' });
  const page = await hub.listPlayers({ online: true, limit: 3 });
  await hub.listPlayers({ online: 'true' });
  // @ts-expect-error There is no third one.
  await hub.listPlayers({ online: 'yes' });
  page.pagination.total satisfies number;
  for await (const player of hub.listPlayers()) player.accounts satisfies Record<string, number>;
  // @ts-expect-error Only a page of a list has rows.
  for await (const row of hub.getProject()) row;
  (await hub.exportCommands({ status: 'failed' })) satisfies string;
  (await hub.deletePlayer({ identifier: 'a', serverId: 'main' })) satisfies undefined;
  // @ts-expect-error The identifier is missing.
  await hub.getPlayer({ serverId: 'main' });
  const made = await hub.createBatch({ serverId: 'main', name: 'money', params: {}, targets: { online: true } });
  if (made.stored === 'yes') made.value.status satisfies string;
  // @ts-expect-error It may be stored or not.
  made.value.status;
  for await (const event of hub.events({ signal })) {
    if (event.type === 'command.settled') event.data.status satisfies string;
    if (event.type === 'player.joined') event.data.accounts satisfies Record<string, number>;
    // @ts-expect-error Not every event has a status.
    event.data.status;
  }
  const told = await verifyWebhook({ headers: { 'webhook-id': ['a'] }, body: '' }, ['whsec_a']);
  told.revision satisfies number;
  if (told.type === 'command.settled') told.data.status satisfies string;
  // @ts-expect-error Not every event has a status.
  told.data.status;
  const core = createCore({ url: '/' });
  (await core.command('heal', { serverId: 'main', target: 'a' })).happened satisfies string;
  (await core.request('get', '/api/v2/players/{identifier}', { path: { identifier: 'a' } })).inventory.length;
  // @ts-expect-error There is no such address.
  await core.request('get', '/api/v2/player');
};

export const explained = (error: unknown): string => {
  if (!(error instanceof HubProblem)) return '';
  switch (error.code) {
    case 'not_enough_items':
      return String(error.problem.count satisfies number | undefined);
    case 'player_ambiguous':
      return String(error.problem.players?.[0]?.name);
    // @ts-expect-error There is no such code.
    case 'not_enough_money':
      return '';
    default:
      return error.problem.detail;
  }
};
export const texts: Record<Problem['code'], string> | undefined = undefined;
`;

const NODE = ['--lib', 'es2023', '--types', 'node', '--skipLibCheck', 'true'];

/** The compiler works for seconds; a busy machine gives it only idle time. */
const PATIENCE = { timeout: 400_000 };

describe('the package of the client', PATIENCE, () => {
  /** An empty project in which the package is installed, as `npm run release -- client` packs it. */
  const project = shared(async () => {
    const folder = newFolder();
    const { stdout } = await run(process.execPath, ['release/main.ts', 'client'], { cwd: ROOT });
    const [, packed = ''] = /^Written to (.*\.tgz)\.$/m.exec(stdout) ?? [];
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    await run('npm', ['install', '--silent', '--offline', '--no-audit', packed], { cwd: folder });
    writeFileSync(join(folder, 'program.ts'), PROGRAM);
    for (const name of ['@types', 'undici-types']) {
      symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
    }
    return { folder };
  });
  const strict = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess'];
  const compile = async (...args: string[]): Promise<string> => {
    const all = [TSC, ...strict, '--skipLibCheck', 'false', '--module', 'nodenext', '--target', 'es2022', ...args];
    return run(process.execPath, all, { cwd: project().folder }).then(
      ({ stdout }) => stdout,
      ({ stdout }) => stdout,
    );
  };

  it('has types for a program in a browser, and finds its mistakes', async () => {
    expect(await compile('--lib', 'es2022,dom,dom.iterable', '--typeRoots', 'none', 'program.ts')).toBe('');
  });

  it('has types for a program in Node.js, and for the examples', async () => {
    const { folder } = project();
    mkdirSync(join(folder, 'examples'));
    cpSync(join(ROOT, 'examples'), join(folder, 'examples'), {
      filter: (file) => !file.includes('minecraft'),
      recursive: true,
    });
    const names = ['vote-reward', 'leaderboard', 'nightly-salary', 'webhook-receiver', 'kick-from-spreadsheet'];
    const files = names.map((name) => `examples/${name}.js`);
    expect(await compile(...NODE, '--allowJs', '--checkJs', 'program.ts', ...files)).toBe('');
  });

  it('makes the reader of its README handle each outcome: without a case, the program does not compile', async () => {
    const { folder } = project();
    const blocks = readFileSync(join(ROOT, 'clients/typescript/README.md'), 'utf8').matchAll(
      /^```ts\n([\s\S]*?)^```$/gm,
    );
    const program = Array.from(blocks, ([, code]) => code).join('\n');
    writeFileSync(join(folder, 'readme.ts'), program);
    const cases = ['no', 'unknown', 'waiting', 'yes'];
    for (const name of cases) {
      const careless = program.replace(new RegExp(`^ +case '${name}':\\n.*\\n`, 'm'), '');
      expect(careless).not.toBe(program);
      writeFileSync(join(folder, `without-${name}.ts`), careless);
    }
    const said = await compile(...NODE, 'readme.ts', ...cases.map((name) => `without-${name}.ts`));
    const faults = Array.from(said.matchAll(/^([\w-]+)\.ts.* error (TS\d+)/gm), ([, file, code]) => `${file} ${code}`);
    // TS2366: the function lacks a return statement.
    expect(faults, said).toEqual(cases.map((name) => `without-${name} TS2366`));
  });

  it('runs as it is packed, both entries', async () => {
    const script = `
      import * as all from '${CLIENT}';
      import * as core from '${CLIENT}/core';
      const outcome = await core.createCore({ url: 'http://127.0.0.1:1' }).command('kick', { serverId: 'a', target: 'b' }, { timeoutMs: 0 });
      console.log(outcome.happened, Object.keys(all).sort().join(' '));`;
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], { cwd: project().folder });
    const names = 'HubProblem HubUnreachable WebhookRefused createCore createHub newKey verifyWebhook';
    expect(stdout.trim()).toBe(`unknown ${names}`);
  });

  it('verifies what the package standardwebhooks signs', async () => {
    const secret = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
    const body = JSON.stringify({ id: 'evt_1', type: 'command.settled', data: { name: '💸 "x"' } });
    const at = new Date();
    const headers = {
      'webhook-id': 'evt_1',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': new Webhook(secret).sign('evt_1', at, body),
    };
    expect(await verifyWebhook({ headers, body }, secret)).toEqual(JSON.parse(body));
  });
});
