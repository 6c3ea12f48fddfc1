import { execFile } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { simulate } from '../../../simulator/simulate.ts';
import { installClient } from '../../kit/client-package.ts';
import { atEnd, shared } from '../../kit/ends.ts';
import { newFile, newFolder } from '../../kit/folder.ts';
import { freePort } from '../../kit/free-port.ts';
import { createEconomy, startGameServer } from '../../kit/game-server.ts';
import { startHub } from '../../kit/hub.ts';
import { createVictim } from '../../kit/processes.ts';
import { backUp, restoreBackup } from '../../kit/restore-hub.ts';
import { ANA, createGate, eventually, pay } from '../../kit/stage.ts';
import { until } from '../../kit/until.ts';

const run = promisify(execFile);
const EXAMPLES = join(import.meta.dirname, '../../../examples');
const README = join(import.meta.dirname, '../../../clients/typescript/README.md');
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

type Player = {
  identifier: string;
  name: string;
  online: boolean;
  accounts: { bank: number };
  job: { name: string } | null;
};

/** A hub with a simulated game server as `npm run demo` has it, and a folder in which the client is installed. */
const startDemo = async () => {
  const hub = await startHub();
  const game = simulate({ url: hub.bridgeUrl, token: hub.token, players: 40, lifeEveryMs: 0 });
  atEnd(game.stop);
  const list = async (query: string) =>
    (await hub.request(`/api/v2/players?limit=200&${query}`)).body['data'] as Player[];
  await until(async () => (await list('')).length === 40, 'the hub knows all players');
  const folder = newFolder();
  installClient(folder);
  for (const name of readdirSync(EXAMPLES).filter((each) => each.endsWith('.js'))) {
    copyFileSync(join(EXAMPLES, name), join(folder, name));
  }
  const env = { HUB: hub.address, KEY: hub.key };
  return {
    hub,
    list,
    folder,
    one: async (query: string) => (await list(query))[0] ?? expect.fail(`no player: ${query}`),
    bank: async (identifier: string): Promise<number> => {
      const { body } = await hub.request(`/api/v2/players/${encodeURIComponent(identifier)}`);
      return (body as unknown as Player).accounts.bank;
    },
    commands: async (query: string) =>
      (await hub.request(`/api/v2/commands?limit=200&${query}`)).body['data'] as object[],
    run: (args: string[], more: Record<string, string> = {}) =>
      run(process.execPath, args, { cwd: folder, env: { ...process.env, ...env, ...more } }),
    /** An example that listens, until the test ends. */
    serve: async (name: string, more: Record<string, string> = {}) => {
      let port = '';
      const hear = (line: string): void => {
        port ||= /port (\d+)$/.exec(line)?.[1] ?? '';
      };
      const program = createVictim([join(folder, name)], { ...env, PORT: '0', ...more }, { hear });
      program.start();
      onTestFinished(() => program.kill());
      await until(() => port !== '', `${name} listens`);
      return { url: `http://127.0.0.1:${port}/`, kill: () => program.kill() };
    },
  };
};

describe('the examples', () => {
  const demo = shared(startDemo);

  it.each(readdirSync(EXAMPLES).filter((name) => name.endsWith('.js')))('has at most 60 lines: %s', (name) => {
    expect(readFileSync(join(EXAMPLES, name), 'utf8').trimEnd().split('\n').length).toBeLessThanOrEqual(60);
  });

  it('README: every block runs, and pays once however often', async () => {
    const { one, bank, run: node, folder } = demo();
    const player = await one('online=true');
    const away = await one('online=false');
    const blocks = [...readFileSync(README, 'utf8').matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code);
    expect(blocks.length).toBeGreaterThanOrEqual(6);
    const reward = (code: string): string =>
      code.includes('when_online')
        ? code.replace('order.player', JSON.stringify(away.identifier)).replace('30 * 60_000', '0')
        : code;
    writeFileSync(join(folder, 'readme.ts'), blocks.map(reward).join('\n').replace('char1:5f3a9c', player.identifier));
    const before = await bank(player.identifier);
    for (let n = 0; n < 2; n += 1) {
      const { stdout } = await node(['readme.ts']);
      const lines = stdout.split('\n');
      expect(lines[0]).toBe(`paid, now ${before + 500}`);
      expect(lines).toContain('reward: waiting');
      expect(stdout).toMatch(/^3 of \d+$/m);
      expect(lines).toContain('true');
      expect(stdout).toMatch(/^server_not_found req_/m);
      expect(stdout).toMatch(/^kick (succeeded|rejected)$/m);
    }
    expect(await bank(player.identifier)).toBe(before + 500);
  });

  it('vote reward: a vote that is reported twice is paid once', async () => {
    const { one, bank, serve, commands } = demo();
    const player = await one('online=true');
    const before = await bank(player.identifier);
    const { url } = await serve('vote-reward.js', { SECRET: 'vote-secret' });
    const vote = async (body: object, secret = 'vote-secret') =>
      (await fetch(url, { method: 'POST', headers: { 'X-Secret': secret }, body: JSON.stringify(body) })).status;
    expect(await vote({ vote: '77', player: player.identifier })).toBe(200);
    expect(await vote({ vote: '77', player: player.identifier })).toBe(200);
    expect(await vote({ vote: '78', player: (await one('online=false')).identifier })).toBe(202);
    expect(await vote({ vote: '79', player: 'char1:nobody' })).toBe(409);
    expect(await vote({ vote: '80', player: player.identifier }, 'wrong')).toBe(403);
    expect(await vote({ vote: '../81', player: player.identifier })).toBe(400);
    expect(await bank(player.identifier)).toBe(before + 250);
    expect(await commands(`target=${encodeURIComponent(player.identifier)}&status=succeeded`)).toHaveLength(1);
  });

  it('vote reward: asks to be told again while the hub cannot be reached', async () => {
    const { url } = await demo().serve('vote-reward.js', { SECRET: 's', HUB: 'http://127.0.0.1:1' });
    const told = fetch(url, { method: 'POST', headers: { 'X-Secret': 's' }, body: '{"vote":"1","player":"x"}' });
    expect((await told).status).toBe(503);
  });

  it('leaderboard: shows the richest, and a name as text', async () => {
    const { list, serve } = demo();
    const [richest] = await list('account=bank&sort=balance');
    const { url } = await serve('leaderboard.js');
    const page = await (await fetch(url)).text();
    expect(page).toContain(`$${richest?.accounts.bank}`);
    expect(page.match(/<tr>/g)).toHaveLength(10);
    expect(page).not.toMatch(/<(?!\/?(table|tr|td|h1|title|meta|!doctype))/);
  });

  it('nightly salary: a second run in the same night pays nobody again', async () => {
    const { list, run: node, hub } = demo();
    const counts = async () =>
      (await hub.request('/api/v2/batches')).body['data'] as { total: number; label: string }[];
    const police = await list('job=police&serverId=main');
    expect(police.length).toBeGreaterThan(0);
    const first = await node(['nightly-salary.js'], { DAY: '2026-11-28' });
    expect(first.stdout).toContain(`police gets 500 for 2026-11-28 players ${police.length}`);
    const made = await counts();
    await node(['nightly-salary.js'], { DAY: '2026-11-28' });
    expect((await counts()).length).toBe(made.length);
    await node(['nightly-salary.js'], { DAY: '2026-11-29' });
    expect((await counts()).length).toBe(2 * made.length);
  });

  it('webhook receiver: takes each end once, whatever id it comes under, and nothing with a wrong signature', async () => {
    const { serve, folder } = demo();
    const FILE = join(folder, 'payments.jsonl');
    const started = () => serve('webhook-receiver.js', { WEBHOOK_SECRET: SECRET, FILE });
    let receiver = await started();
    const post = async (id: string, revision: number, status: string, secret = SECRET) => {
      const data = { id: 'cmd_1', name: 'money', target: 'char1:ana', status };
      const body = JSON.stringify({
        id,
        type: 'command.settled',
        timestamp: '2026-11-28T12:00:00Z',
        serverId: 'main',
        revision,
        data,
      });
      const at = Math.floor(Date.now() / 1000);
      const key = Buffer.from(secret.slice(6), 'base64');
      const signature = `v1,${createHmac('sha256', key).update(`${id}.${at}.${body}`).digest('base64')}`;
      const headers = { 'webhook-id': id, 'webhook-timestamp': String(at), 'webhook-signature': signature };
      return (await fetch(receiver.url, { method: 'POST', headers, body })).status;
    };
    const ends = () =>
      (existsSync(FILE) ? readFileSync(FILE, 'utf8').trim().split('\n') : []).map((line) => JSON.parse(line).end);
    expect(await post('evt_1', 2, 'indeterminate')).toBe(204);
    expect(await post('evt_1', 2, 'indeterminate')).toBe(204);
    expect(await post('evt_9', 2, 'indeterminate')).toBe(204);
    expect(ends()).toEqual(['cmd_1 indeterminate']);
    await receiver.kill();
    receiver = await started();
    expect(await post('evt_2', 3, 'resolved_applied')).toBe(204);
    expect(await post('evt_1', 2, 'indeterminate')).toBe(204);
    expect(await post('evt_3', 1, 'succeeded')).toBe(204);
    expect(await post('evt_4', 4, 'succeeded', `whsec_${Buffer.alloc(32).toString('base64')}`)).toBe(400);
    expect(ends()).toEqual(['cmd_1 indeterminate', 'cmd_1 resolved_applied']);
    expect((await fetch(receiver.url, { method: 'POST', body: 'x'.repeat(200_000) })).status).toBe(400);
  });

  it('webhook receiver: after the hub’s backup is restored, it writes no end again that comes under another id', async () => {
    const env = { WEBHOOKS_MAY_REACH: '127.0.0.1' };
    const first = await startHub({ env });
    let hub = first;
    const gate = createGate();
    const economy = createEconomy({ [ANA]: 0 });
    startGameServer({ url: () => hub.bridgeUrl, token: hub.token, folder: newFolder(), economy, before: gate.pass });
    await eventually(async () => (await hub.request('/api/v2/players')).body['data']).toHaveLength(1);
    const [PORT, FILE] = [String(await freePort()), newFile('payments.jsonl')];
    const url = `http://127.0.0.1:${PORT}/`;
    const made = await hub.request('/api/v2/webhooks', { json: { url, types: ['command.settled'] } });
    const deliveries = async () =>
      (await hub.request(`/api/v2/webhooks/${made.body.id}/deliveries`)).body['data'] as { eventId: string }[];
    await demo().serve('webhook-receiver.js', { WEBHOOK_SECRET: String(made.body['secret']), FILE, PORT });
    const ends = () =>
      (existsSync(FILE) ? readFileSync(FILE, 'utf8').trim().split('\n') : []).map((line) => JSON.parse(line).end);

    const asked = await pay(hub, { Prefer: 'respond-async' });
    await eventually(gate.reached).toBe(1);
    await backUp(hub);
    gate.open();
    const delivered = [expect.objectContaining({ state: 'delivered', attempts: 1, status: 204 })];
    await eventually(deliveries).toEqual(delivered);
    const [told] = await deliveries();
    expect(ends()).toEqual([`${asked?.body.id} succeeded`]);
    await restoreBackup(hub);
    hub = await startHub({ env, folder: first.folder });
    await eventually(deliveries).toEqual(delivered);
    expect((await deliveries())[0]?.eventId).not.toBe(told?.eventId);
    expect(ends()).toEqual([`${asked?.body.id} succeeded`]);
    expect(economy.applied).toHaveLength(1);
  });

  it('kick from a spreadsheet: kicks each row once, and writes what happened', async () => {
    const { one, run: node, folder, commands } = demo();
    const player = await one('online=true&sort=name');
    const sheet = [
      '\ufeffid,player,reason',
      `1,${player.identifier},"Spam, ""again"""`,
      '2,char1:nobody,',
      '',
      '3,"@cmd",x',
    ];
    writeFileSync(join(folder, 'players.csv'), sheet.join('\r\n'));
    await node(['kick-from-spreadsheet.js', 'players.csv']);
    const written = readFileSync(join(folder, 'outcomes.csv'), 'utf8').trim().split('\r\n');
    expect(written).toEqual([
      '"id","player","outcome","why"',
      `"1","${player.identifier}","yes",""`,
      '"2","char1:nobody","no","player_not_found"',
      '"3","\'@cmd","no","player_not_found"',
    ]);
    await node(['kick-from-spreadsheet.js', 'players.csv', 'again.csv']);
    expect(readFileSync(join(folder, 'again.csv'), 'utf8').trim().split('\r\n')[1]).toBe(written[1]);
    const kicks = await commands(`name=kick&status=succeeded&target=${encodeURIComponent(player.identifier)}`);
    expect(kicks).toMatchObject([{ params: { reason: 'Spam, "again"' } }]);
    await eventually(async () => (await one(`search=${encodeURIComponent(player.identifier)}`)).online).toBe(false);
  });
});
