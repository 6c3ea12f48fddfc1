import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startGame } from '../fxserver/game.ts';
import { newFolder } from '../kit/folder.ts';
import { eventually } from '../kit/stage.ts';
import { OX } from './frameworks.ts';
import { openWorld } from './stage.ts';

const { ana, bo } = OX;

/** As ox_core is bundled: in one transaction since 2026-06-28, and before with the line after the balance. */
const ATOMIC =
  'async function UpdateBalance() { await conn.beginTransaction(); }\nasync function PerformTransaction() {}';
const OLD = 'async function UpdateBalance() {}\nasync function PerformTransaction() { await conn.beginTransaction(); }';

/** A world whose ox_core has this code. */
const withCode = async (code: string) => {
  const folder = newFolder();
  await mkdir(join(folder, 'dist'));
  await writeFile(join(folder, 'dist/server.js'), code);
  return {
    ...OX,
    install: async (...[server, mysql]: Parameters<typeof OX.install>) => {
      server.folders.set('ox_core', folder);
      await OX.install(server, mysql);
    },
  };
};

/** Changes the accounts between ox_core's read of the balance and its own change. */
const inBetween = ({ server, mysql }: Pick<Awaited<ReturnType<typeof openWorld>>, 'server' | 'mysql'>, sql: string) =>
  server.hear('fake:moving', () => {
    server.convars.set('fake:waits', 'true');
    void mysql.run(sql, []).then(() => server.convars.delete('fake:waits'));
  });

/** Such a world, and the hub's row of the last command. */
const openCut = async (code: string) => {
  const world = await withCode(code);
  const opened = await openWorld(world);
  return {
    ...opened,
    world,
    statusOf: async (): Promise<string | undefined> => {
      const { body } = await opened.hub.request('/api/v2/commands');
      return (body['data'] as { status: string }[])[0]?.status;
    },
  };
};

describe('ox_core', () => {
  it('finds in its ledger the outcome of a command that was interrupted after the money had moved', async () => {
    const { hub, pay, mysql, server, restartBridge, stored } = await openWorld(OX);
    server.hear('ox:updatedBalance', () => mysql.hold(true));
    const paying = pay({ target: OX.ana }, 'once').catch(() => undefined);
    await eventually(() => mysql.heldBack()).toBeGreaterThan(0);
    await restartBridge();
    mysql.hold(false);
    await paying;
    const commands = async () => (await hub.request('/api/v2/commands')).body['data'] as { status: string }[];
    await eventually(async () => (await commands())[0]?.status).toBe('succeeded');
    expect((await commands())[0]).toMatchObject({ result: { account: 'bank', before: 5000, after: 5050 } });
    expect(await stored(OX.ana)).toEqual({ bank: 5050 });
  });

  it('takes money from an account that has enough, with or without allowNegative, and refuses debts with the balance', async () => {
    const { pay, stored } = await openWorld(OX);
    // Bound in the wrong places, these would be order 101 over account 102.
    const covered = { target: ana, action: 'remove' as const, amount: 102, allowNegative: true };
    expect(await pay(covered)).toMatchObject({ body: { result: { before: 5000, after: 4898 } } });
    for (const allowNegative of [true, false]) {
      const owed = await pay({ target: bo, action: 'remove', amount: 101, allowNegative });
      expect(owed).toMatchObject({ status: 409, body: { code: 'insufficient_funds', balance: 100 } });
    }
    expect(await stored(bo)).toEqual({ bank: 100 });
  });

  it('tells balances that were there, though its line does not', async () => {
    const { pay, server, mysql, stored } = await openWorld(OX);
    inBetween({ server, mysql }, 'UPDATE accounts SET balance = balance + 500 WHERE id = 101');
    expect(await pay({ target: ana })).toMatchObject({ body: { result: { before: 5500, after: 5550 } } });
    expect(await stored(ana)).toEqual({ bank: 5550 });
  });

  it('refuses with the balance of that moment', async () => {
    const { pay, server, mysql } = await openWorld(OX);
    inBetween({ server, mysql }, 'UPDATE accounts SET balance = 600 WHERE id = 101');
    const refused = await pay({ target: ana, action: 'remove', amount: 4000 });
    expect(refused).toMatchObject({ status: 409, body: { code: 'insufficient_funds', balance: 600 } });
  });

  it('moves nothing in an account that was deleted', async () => {
    const { pay, mysql, stored } = await openWorld(OX);
    await mysql.run("UPDATE accounts SET type = 'inactive' WHERE id = 101", []);
    expect(await pay({ target: ana })).toMatchObject({ body: { executed: 'no' } });
    expect(await stored(ana)).toEqual({ bank: 5000 });
  });

  it('says that nothing happened when ox_core was stopped before', async () => {
    const { pay, server, stored } = await openWorld(OX);
    await server.stop('ox_core');
    expect(await pay({ target: ana })).toMatchObject({ body: { code: 'bridge_error', executed: 'no' } });
    expect(await stored(ana)).toEqual({ bank: 5000 });
  });

  it.each([
    ['writes both or nothing', ATOMIC, 'failed'],
    ['writes the line later', OLD, 'indeterminate'],
  ] as const)(
    'without a line of an order in the middle of which it was stopped, when it %s',
    async (_what, code, end) => {
      const { pay, server, stored, statusOf } = await openCut(code);
      server.hear('fake:moving', () => void server.stop('ox_core'));
      await pay({ target: ana });
      await eventually(statusOf).toBe(end);
      expect(await stored(ana)).toEqual({ bank: 5000 });
    },
  );

  it('makes a command indeterminate that may still run when only the bridge was restarted', async () => {
    const { pay, server, restartBridge, stored, statusOf } = await openCut(ATOMIC);
    let isMoving = false;
    server.hear('fake:moving', () => {
      isMoving = true;
    });
    server.convars.set('fake:waits', 'true');
    void pay({ target: ana });
    await eventually(() => isMoving).toBe(true);
    await restartBridge();
    await eventually(statusOf).toBe('indeterminate');
    server.convars.delete('fake:waits');
    await eventually(() => stored(ana)).toEqual({ bank: 5050 });
    expect(await statusOf()).toBe('indeterminate');
  });

  it.each([
    ['writes both or nothing', ATOMIC, 'failed'],
    ['writes the line later', OLD, 'indeterminate'],
  ] as const)(
    'without a line of an order that was cut off with the whole server, when it %s',
    async (_what, code, end) => {
      const { hub, world, pay, server, mysql, kvp, statusOf } = await openCut(code);
      server.hear('fake:moving', () => server.crash());
      void pay({ target: ana });
      await eventually(() => server.isStarted('ox_core')).toBe(false);
      await eventually(() => hub.sizes().sessions).toBe(0);
      const framework = { ...world, tables: '', realTables: '', rows: 'SELECT 1;' };
      const again = await startGame({ framework, url: hub.bridgeUrl, token: hub.token, mysql, kvp });
      onTestFinished(() => again.server.stop('causeway'));
      await eventually(statusOf).toBe(end);
    },
  );

  it('trusts no missing line of the older kind after a start that ended before it had looked', async () => {
    const { hub, pay, server, mysql, kvp, statusOf } = await openCut(OLD);
    server.hear('fake:moving', () => server.crash());
    void pay({ target: ana });
    await eventually(() => server.isStarted('ox_core')).toBe(false);
    await eventually(() => hub.sizes().sessions).toBe(0);
    const framework = { ...(await withCode(ATOMIC)), tables: '', realTables: '', rows: 'SELECT 1;' };
    const start = () => startGame({ framework, url: hub.bridgeUrl, token: hub.token, mysql, kvp });
    mysql.hold(true, /accounts_transactions/);
    const second = await start();
    await eventually(() => mysql.heldBack()).toBeGreaterThan(0);
    second.server.crash();
    mysql.hold(false);
    const third = await start();
    onTestFinished(() => third.server.stop('causeway'));
    await eventually(statusOf).toBe('indeterminate');
  });
});
