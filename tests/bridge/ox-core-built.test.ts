import net, { type AddressInfo } from 'node:net';
import vm from 'node:vm';
import { describe, expect, it, onTestFinished } from 'vitest';
import { builtOxCore, installBuiltOxCore, isAtomicIn, oxCoreTables } from '../fxserver/built-ox-core.ts';
import { startGame } from '../fxserver/game.ts';
import { createKvp } from '../fxserver/kvp.ts';
import { eventually } from '../kit/stage.ts';
import { OX } from './frameworks.ts';
import { openWorld } from './stage.ts';

const { ana, bo } = OX;
const MYSQL = process.env['CAUSEWAY_MYSQL'] ?? '';
const FOLDER = builtOxCore(process.env['CAUSEWAY_FRAMEWORKS']) ?? '';
const IS_ATOMIC = FOLDER !== '' && isAtomicIn(FOLDER);
/** Its pool has five connections. */
const CONNECTIONS = 5;

const ROWS = `
  INSERT IGNORE INTO users (userId, license2) VALUES (1, 'a'), (2, 'b');
  INSERT IGNORE INTO characters (charId, userId, stateId, firstName, lastName, gender, dateOfBirth) VALUES
    (1, 1, 'AN1111A', 'Ana', 'Souza', 'female', '2000-01-01'), (2, 2, 'BO2222B', 'Bo', 'Ek', 'male', '2000-01-01');
  INSERT IGNORE INTO accounts (id, label, balance, owner, isDefault) VALUES
    (10, 'of nobody', 9830409, NULL, 0), (101, 'Ana', 5000, 1, 1), (102, 'Bo', 100, 2, 1);`;

/** ox_core as it was built, over a MariaDB that it reaches by `wire`, and another connection to its tables. */
const open = async (wire = MYSQL) => {
  const world = {
    ...OX,
    realTables: oxCoreTables(FOLDER),
    rows: ROWS,
    install: installBuiltOxCore(FOLDER, (database) => `${wire}/${database}`),
  };
  const kvp = createKvp();
  const opened = await openWorld(world, { isEmpty: true, kvp });
  const { hub, mysql, server } = opened;
  const { name } = (await mysql.look('SELECT DATABASE() AS name')) ?? {};
  const { createConnection } = await import('mysql2/promise');
  const other = await createConnection(`${MYSQL}/${String(name)}`);
  onTestFinished(() => other.destroy());
  return {
    ...opened,
    balanceOf: async (id: number): Promise<number> =>
      Number((await mysql.look('SELECT balance FROM accounts WHERE id = ?', [id]))?.['balance']),
    /** Locks the row of an account, so that other changes wait. Returns a function that changes the row and unlocks it. */
    lock: async (id: number): Promise<(balance?: number) => Promise<void>> => {
      await other.query('BEGIN');
      await other.query('SELECT balance FROM accounts WHERE id = ? FOR UPDATE', [id]);
      return async (balance) => {
        if (balance !== undefined) await other.query('UPDATE accounts SET balance = ? WHERE id = ?', [balance, id]);
        await other.query('COMMIT');
      };
    },
    /** How many statements of ox_core wait for such a row. */
    waiting: async (): Promise<number> => {
      const [rows] = await other.query(
        "SELECT COUNT(*) AS count FROM information_schema.PROCESSLIST WHERE DB = ? AND INFO LIKE 'UPDATE accounts%'",
        [name],
      );
      return Number((rows as { count: number }[])[0]?.count);
    },
    statusOf: async (target: string): Promise<string | undefined> => {
      const { body } = await hub.request('/api/v2/commands');
      return (body['data'] as { status: string; target: string }[]).find((row) => row.target === target)?.status;
    },
    /** Waits until the bridge has looked for a line twice, or for a transaction that is not over. */
    looked: async (): Promise<void> => {
      let looks = 0;
      await eventually(() => {
        looks += mysql.statements().filter((sql) => /accounts_transactions|SHARE MODE/.test(sql)).length;
        return looks;
      }).toBeGreaterThan(1);
    },
    /** The process of the game server dies, and starts again. */
    reboot: async (): Promise<void> => {
      server.crash();
      await eventually(() => hub.sizes().sessions).toBe(0);
      const framework = { ...world, realTables: 'DO 0;', rows: '' };
      const again = await startGame({ framework, url: hub.bridgeUrl, token: hub.token, mysql, kvp });
      onTestFinished(async () => {
        await again.server.stop('causeway');
        again.server.crash();
      });
      await eventually(() => hub.sizes().sessions).toBe(1);
    },
  };
};

/** A way to the database on which a COMMIT takes as long as the test says, also when its sender is gone by then. */
const slowWire = async () => {
  const held: (() => void)[] = [];
  const server = net.createServer({ allowHalfOpen: true }, (near) => {
    const { hostname, port } = new URL(MYSQL);
    const far = net.connect(Number(port), hostname);
    let isHeld = false;
    near.on('data', (data) => {
      const isCommit = data.includes('COMMIT') && held.length === 0;
      isHeld ||= isCommit;
      if (isCommit) held.push(() => far.end(data));
      else far.write(data);
    });
    far.pipe(near);
    for (const socket of [near, far]) socket.on('error', () => undefined);
    near.on('close', () => isHeld || far.destroy());
    onTestFinished(() => void far.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = new URL(MYSQL);
  address.port = String((server.address() as AddressInfo).port);
  return { held, address: String(address).replace(/\/$/, '') };
};

const take = { target: ana, action: 'remove' as const };

describe.skipIf(MYSQL === '' || FOLDER === '')('ox_core as it was built, with its own driver', () => {
  it('takes from an account that covers it, on each of its connections, and from no other one', async () => {
    const { pay, balanceOf } = await open();
    for (let nth = 1; nth <= 8; nth += 1) {
      const paid = await pay({ ...take, amount: 10, allowNegative: true });
      expect(paid.body).toMatchObject({ result: { before: 5010 - 10 * nth, after: 5000 - 10 * nth } });
    }
    for (let nth = 1; nth <= 8; nth += 1) {
      const owed = await pay({ ...take, target: bo, amount: 101, allowNegative: true });
      expect(owed).toMatchObject({ status: 409, body: { code: 'insufficient_funds', balance: 100, executed: 'no' } });
    }
    expect([await balanceOf(10), await balanceOf(101), await balanceOf(102)]).toEqual([9830409, 4920, 100]);
  });

  it('pays many at once, and every answer has balances that fit its order', async () => {
    const { pay, balanceOf } = await open();
    const answers = await Promise.all(Array.from({ length: 20 }, () => pay({ target: ana, amount: 7 })));
    for (const { body } of answers) {
      const { before, after } = body['result'] as { before: number; after: number };
      expect(after - before).toBe(7);
    }
    expect(await balanceOf(101)).toBe(5140);
  });

  it('tells the balances of afterwards, though the line of its ledger has others', async () => {
    const { pay, lock, waiting, mysql } = await open();
    const release = await lock(101);
    const paying = pay({ target: ana, amount: 100 });
    await eventually(waiting).toBe(1);
    await release(5500);
    expect((await paying).body).toMatchObject({ result: { before: 5500, after: 5600 } });
    expect(await mysql.look('SELECT toBalance FROM accounts_transactions')).toEqual({ toBalance: 5100 });
  });

  it('refuses with the balance of that moment', async () => {
    const { pay, lock, waiting } = await open();
    const release = await lock(101);
    const paying = pay({ ...take, amount: 4000 });
    await eventually(waiting).toBe(1);
    await release(600);
    expect(await paying).toMatchObject({ status: 409, body: { code: 'insufficient_funds', balance: 600 } });
  });

  it('moves nothing in an account that it has deleted', async () => {
    const { pay, server, balanceOf } = await open();
    const deletes = `exports.ox_core.CallAccount(101, 'deleteAccount').then(() => console.log('deleted'))`;
    await server.start({ name: 'bank', js: [new vm.Script(deletes)] });
    await eventually(() => server.lines.includes('[bank] deleted')).toBe(true);
    expect(await pay({ target: ana })).toMatchObject({ body: { executed: 'no' } });
    expect(await balanceOf(101)).toBe(5000);
  });

  it('fails while it is stopped', async () => {
    const { pay, server, balanceOf } = await open();
    await server.stop('ox_core');
    expect(await pay({ target: ana })).toMatchObject({ body: { code: 'bridge_error', executed: 'no' } });
    expect(await balanceOf(101)).toBe(5000);
  });

  it('tells of an order in the middle of which it was stopped', async () => {
    const { pay, server, lock, waiting, statusOf, balanceOf } = await open();
    const release = await lock(101);
    const paying = pay({ target: ana });
    await eventually(waiting).toBe(1);
    await server.stop('ox_core');
    await release();
    await paying;
    // The old one moves the balance all the same, and writes no line.
    await eventually(() => statusOf(ana)).toBe(IS_ATOMIC ? 'failed' : 'indeterminate');
    await eventually(waiting).toBe(0);
    expect(await balanceOf(101)).toBe(IS_ATOMIC ? 5000 : 5050);
  });

  it('tells of an order in the middle of which the whole server died', async () => {
    const { pay, lock, waiting, statusOf, balanceOf, reboot } = await open();
    const release = await lock(101);
    void pay({ target: ana });
    await eventually(waiting).toBe(1);
    const rebooting = reboot();
    await release();
    await rebooting;
    await eventually(() => statusOf(ana)).toBe(IS_ATOMIC ? 'failed' : 'indeterminate');
    expect(await balanceOf(101)).toBe(IS_ATOMIC ? 5000 : 5050);
  });

  it.runIf(IS_ATOMIC)('waits for a commit that is still on its way when the server has died', async () => {
    const { held, address } = await slowWire();
    const { pay, statusOf, balanceOf, reboot, looked } = await open(address);
    void pay({ target: ana });
    await eventually(() => held.length).toBe(1);
    const rebooting = reboot();
    await looked();
    held[0]?.();
    await rebooting;
    await eventually(() => statusOf(ana)).toBe('succeeded');
    expect(await balanceOf(101)).toBe(5050);
  });

  it('waits for an order that it still carries out when the bridge alone was restarted', async () => {
    const { pay, lock, waiting, restartBridge, statusOf, balanceOf, looked } = await open();
    const release = await lock(101);
    void pay({ target: ana });
    await eventually(waiting).toBe(1);
    await restartBridge();
    await looked();
    await release();
    await eventually(() => statusOf(ana)).toBe('succeeded');
    expect(await balanceOf(101)).toBe(5050);
  });

  it('does not call an order failed that it has not begun when the bridge alone was restarted', async () => {
    const { pay, server, lock, waiting, restartBridge, statusOf, balanceOf } = await open();
    const release = await lock(102);
    const salary = `exports.ox_core.CallAccount(102, 'addBalance', { amount: 1 });`;
    await server.start({ name: 'jobs', js: [new vm.Script(salary.repeat(CONNECTIONS))] });
    await eventually(waiting).toBe(CONNECTIONS);
    let calls = 0;
    server.hear('__cfx_export_ox_core_CallAccount', () => {
      calls += 1;
    });
    void pay({ target: ana });
    await eventually(() => calls).toBe(1);
    await restartBridge();
    await eventually(() => statusOf(ana)).toBe('indeterminate');
    await release();
    await eventually(() => balanceOf(101)).toBe(5050);
    expect(await statusOf(ana)).toBe('indeterminate');
  });
});
