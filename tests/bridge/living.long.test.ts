import vm from 'node:vm';
import { describe, expect, it } from 'vitest';
import { fill } from '../fxserver/game.ts';
import { createMysql } from '../fxserver/mysql.ts';
import { eventually } from '../kit/stage.ts';
import { ESX, QBCORE } from './frameworks.ts';
import { openWorld } from './stage.ts';

const { ana, bo } = ESX;
/** The number by which a test sends infinity to a fake. */
const INFINITE = { __number: 'Infinity' };

describe('the resource', () => {
  it('lets no other resource move money or read the players', async () => {
    const { server, stored, look } = await openWorld(ESX);
    const theft = `
      globalThis.answers = [];
      const order = { id: 'x', name: 'money', target: '${ana}', type: 'bank', amount: 1000, action: 'remove', allowNegative: true };
      for (const [method, args] of [['order', [order]], ['records', [['${ana}']]], ['watch', []]]) {
        exports.causeway.adapter(method, args, (answer) => console.log(JSON.stringify(answer)));
      }`;
    await server.start({ name: 'thief', js: [new vm.Script(theft)] });
    expect(server.lines.filter((line) => line.includes('thief'))).toEqual(
      Array.from({ length: 3 }, () => '[causeway] [causeway] thief tried to use the bridge and was refused'),
    );
    expect((await look(ana)).accounts['bank']).toBe(5000);
    expect((await stored(ana))['bank']).toBe(5000);
  });

  it('keeps its token from other resources, and says nothing of it', async () => {
    const { server, hub } = await openWorld(ESX);
    const look = new vm.Script(`console.log('token: ' + GetConvar('causeway_token', 'none'))`);
    await server.start({ name: 'curious', js: [look] });
    expect(server.lines).toContain('[curious] token: none');
    expect(server.lines.join('\n')).not.toContain(hub.token);
  });

  it('says once that a token is wrong, and where to look', async () => {
    const { server, restartBridge } = await openWorld(ESX);
    server.convars.set('causeway_token', `cwb_${'0'.repeat(38)}`);
    const before = server.lines.length;
    await restartBridge();
    const said = () => server.lines.slice(before).filter((line) => /token/.test(line));
    await eventually(() => said().length).toBe(1);
    expect(said()[0]).toContain('check causeway_token in server.cfg');
  });

  it('names the missing settings when it is not set up', async () => {
    const { server, restartBridge } = await openWorld(ESX);
    server.convars.delete('causeway_url');
    await restartBridge();
    expect(server.lines.at(-1)).toContain('causeway_url and causeway_token are not set in server.cfg');
    server.convars.set('causeway_url', 'ws://127.0.0.1:1/bridge');
  });

  it('takes no money in the last minute before a scheduled restart', async () => {
    const { server, pay, hub } = await openWorld(ESX);
    const isDraining = async () => (await hub.request('/api/v2/servers/main')).body['draining'];
    server.emit('txAdmin:events:scheduledRestart', '', { secondsRemaining: 300 });
    expect(await pay({ target: ana })).toMatchObject({ status: 200 });
    server.emit('txAdmin:events:scheduledRestart', '', { secondsRemaining: 60 });
    expect(await pay({ target: ana })).toMatchObject({ status: 503, body: { code: 'server_restarting' } });
    server.emit('txAdmin:events:scheduledRestartSkipped', '', {});
    await eventually(isDraining).not.toBe(true);
    expect(await pay({ target: ana })).toMatchObject({ status: 200 });
    server.emit('txAdmin:events:serverShuttingDown', '', { delay: 5000 });
    expect(await pay({ target: ana })).toMatchObject({ status: 503, body: { code: 'server_restarting' } });
  });

  it('waits for no tick of the server on the way of a command', async () => {
    const { server, pay, kick } = await openWorld(ESX);
    server.run(2 ** 30);
    expect(await pay({ target: ana })).toMatchObject({ status: 200, body: { result: { after: 5050 } } });
    expect(await kick(bo)).toMatchObject({ status: 200 });
  });

  it('adds up, however many pay at once', async () => {
    const { pay, stored } = await openWorld(ESX);
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, nth) =>
        pay({ target: nth % 2 === 0 ? ana : bo, amount: nth + 1 }, `at-once-${nth}`),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 60 }, () => 200));
    expect([(await stored(ana))['bank'], (await stored(bo))['bank']]).toEqual([5000 + 900, 100 + 930]);
  });

  it('pays no player when the journal cannot be written', async () => {
    const { pay, kvp, look } = await openWorld(ESX);
    kvp.fill(true);
    expect(await pay({ target: ana })).toMatchObject({
      status: 501,
      body: { code: 'journal_required', executed: 'no' },
    });
    kvp.fill(false);
    expect((await look(ana)).accounts['bank']).toBe(5000);
  });

  it('keeps an outcome back that cannot be written down, until it can', async () => {
    const { pay, kvp, mysql, hub, stored } = await openWorld(ESX);
    mysql.hold(true);
    const paying = pay({ target: ana }, 'kept back', 1);
    await eventually(() => mysql.heldBack()).toBeGreaterThan(0);
    kvp.fill(true);
    mysql.hold(false);
    const { body } = await paying;
    expect(body).toMatchObject({ code: 'in_doubt', executed: 'unknown' });
    expect((await stored(ana))['bank']).toBe(5050);
    const status = async () => (await hub.request(`/api/v2/commands/${String(body['id'])}`)).body['status'];
    expect(await status()).toBe('dispatched');
    kvp.fill(false);
    await eventually(status).toBe('succeeded');
  });

  it('shows hostile names and broken rows as far as they can be shown', async () => {
    const mysql = createMysql();
    await fill(mysql, ESX);
    // Some owners make it wider than the 16 letters of esx_identity.
    await mysql.create({ simple: '', real: 'ALTER TABLE users MODIFY firstname VARCHAR(200)' });
    const sql =
      'INSERT INTO users (identifier, accounts, `group`, inventory, job, job_grade, firstname, lastname) VALUES (?, ?, ?, ?, ?, ?, ?, ?)';
    const rows = [
      [
        'char1:e1',
        '{"bank": 1.75, "": 2, "a b": 3, "deep": {"x": 1}}',
        'user',
        'not json',
        '',
        0,
        '😀'.repeat(100),
        "');--",
      ],
      ['char1:e2', 'null', null, '[{"name": 5}, 7, {"name": "x", "count": -1}]', null, null, '\u202e\u0007<b>', '"\\'],
      ['not an identifier', '{}', 'user', '[]', '', 0, 'Nobody', 'Home'],
    ];
    for (const row of rows) await mysql.run(sql, row);
    const { hub, look, join, recall } = await openWorld(ESX, { mysql });
    await eventually(async () => (await recall('char1:e2'))?.name).toBeDefined();
    await join('char1:e1', { name: 'x'.repeat(5_000), identifiers: ['license:e1', 'bad id', `x:${'y'.repeat(500)}`] });
    await eventually(async () => (await recall('char1:e1'))?.online).toBe(true);
    const first = await look('char1:e1');
    expect(first).toMatchObject({ online: true, identifiers: ['license:e1'] });
    expect(first.name).toBe('😀'.repeat(64));
    expect(await look('char1:e2')).toMatchObject({ name: '\u202e\u0007<b> "\\', accounts: {}, inventory: [] });
    const { status } = await hub.request('/api/v2/players?limit=200');
    expect(status).toBe(200);
  });

  it('refuses balances that are not numbers', async () => {
    const { server, pay, look } = await openWorld(ESX);
    server.emit('fake:call', '', 1, 'addAccountMoney', 'bank', INFINITE);
    expect((await look(ana)).accounts).toEqual({ money: 120, black_money: 0 });
    expect((await pay({ target: ana })).body).toMatchObject({ executed: 'no' });
  });

  it('never pays with QBCore’s offline player, which empties inventories', async () => {
    const { pay, mysql, server } = await openWorld(QBCORE);
    expect(await pay({ target: QBCORE.cy })).toMatchObject({ status: 200 });
    const row = await mysql.look('SELECT inventory FROM players WHERE citizenid = ?', [QBCORE.cy]);
    expect(JSON.parse(String(row?.['inventory']))).toMatchObject([{ name: 'water' }]);
    expect(server.errors).toEqual([]);
  });

  it('does not pay in the table while a player with that license is joining', async () => {
    const { server, pay, stored } = await openWorld(ESX);
    server.join('Cy', ['license:c4c4']);
    expect(await pay({ target: ESX.cy })).toMatchObject({ status: 409, body: { code: 'player_offline' } });
    expect((await stored(ESX.cy))['bank']).toBe(900);
  });

  it('knows joining players by the identifier that ESX is configured to use', async () => {
    const { server, pay, stored, recall } = await openWorld({
      ...ESX,
      install: async (started, mysql) => {
        started.convars.set('esx:identifier', 'discord');
        await ESX.install(started, mysql);
      },
    });
    await eventually(async () => (await recall(ESX.cy))?.identifiers).toEqual(['discord:c4c4']);
    server.join('Cy', ['license:7', 'discord:c4c4']);
    expect(await pay({ target: ESX.cy })).toMatchObject({ status: 409, body: { code: 'player_offline' } });
    expect((await stored(ESX.cy))['bank']).toBe(900);
  });
});
