import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventually, newFolder } from '../support/stage.ts';
import { OX } from './frameworks.ts';
import { openWorld } from './stage.ts';

const { ana, bo } = OX;

/** As ox_core is bundled: in one transaction since 2026-06-28, and before with the line after the balance. */
const ATOMIC =
  'async function UpdateBalance() { await conn.beginTransaction(); }\nasync function PerformTransaction() {}';
const OLD = 'async function UpdateBalance() {}\nasync function PerformTransaction() { await conn.beginTransaction(); }';

/** A world whose ox_core has this code. */
const withCode = async (code: string) => {
  const folder = await newFolder();
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

describe('ox_core', () => {
  it('tells from its ledger what became of a command that was cut off after the money had moved', async () => {
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

  it('takes from an account that covers it, allowNegative or not, and refuses debts with what it holds', async () => {
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
    server.hear('fake:moving', () => void mysql.run('UPDATE accounts SET balance = balance + 500 WHERE id = 101', []));
    expect(await pay({ target: ana })).toMatchObject({ body: { result: { before: 5500, after: 5550 } } });
    expect(await stored(ana)).toEqual({ bank: 5550 });
  });

  it('refuses with the balance of that moment', async () => {
    const { pay, server, mysql } = await openWorld(OX);
    server.hear('fake:moving', () => void mysql.run('UPDATE accounts SET balance = 600 WHERE id = 101', []));
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
    ['was of the kind before the last restart that writes both or nothing', ATOMIC, 2, 'failed'],
    ['is of that kind for the first time', ATOMIC, 1, 'indeterminate'],
    ['is of the kind that writes the line later', OLD, 2, 'indeterminate'],
  ] as const)(
    'without a line of an order that was cut off, and an ox_core that %s',
    async (_what, code, starts, status) => {
      const { hub, pay, server, restartBridge, stored } = await openWorld(await withCode(code));
      if (starts > 1) {
        await restartBridge();
        await eventually(async () => (await pay({ target: bo })).status).toBe(200);
      }
      server.hear('fake:moving', () => void server.stop('ox_core'));
      await pay({ target: ana });
      const commands = async () => (await hub.request('/api/v2/commands')).body['data'] as { status: string }[];
      await eventually(async () => (await commands())[0]?.status).toBe(status);
      expect(await stored(ana)).toEqual({ bank: 5000 });
    },
  );
});
