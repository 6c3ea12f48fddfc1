import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Outcome } from '../../bridge-protocol/journal/journal.ts';
import type { CommandParams } from '../../bridge-protocol/wire/commands.ts';
import { openWorld } from '../../simulator/world.ts';
import { newFile } from '../kit/folder.ts';

type Money = CommandParams<'money'>;

const setUp = (players = 10) => {
  const world = openWorld({ players });
  onTestFinished(world.close);
  const [target = '', other = ''] = world.identifiers();
  const balance = (account = 'bank') => world.player(target)?.accounts[account] ?? Number.NaN;
  let next = 1;
  const pay = (params: Partial<Money>, id = `cmd_${next++}`, fingerprint = 'print') =>
    world.commands.money(
      { target, type: 'bank', amount: 500, action: 'add', allowNegative: false, ...params },
      { id, fingerprint },
    );
  return { world, target, other, balance, pay };
};

const code = (outcome: Outcome) => outcome.error?.code;

describe('a money command', () => {
  it('changes the balance, the ledger and the journal together', () => {
    const { world, balance, pay } = setUp();
    const before = balance();
    const outcome = pay({}, 'cmd_x');
    expect(outcome).toEqual({ status: 'done', data: { account: 'bank', before, after: before + 500 } });
    expect(balance()).toBe(before + 500);
    expect(world.journal.get('cmd_x')).toMatchObject({ status: 'done', fingerprint: 'print', outcome });
    expect(world.audit()).toEqual([]);
  });

  it('pays players who are offline as well', () => {
    const { world, target, pay } = setUp();
    world.transact((edit) => edit.leave(target));
    expect(pay({}).status).toBe('done');
    expect(world.player(target)?.online).toBe(false);
  });

  it('is rejected for an unknown player, and for a linked identifier', () => {
    const { world, target, pay } = setUp();
    const linked = world.player(target)?.identifiers[0] ?? '';
    for (const stranger of ['char1:nobody', linked]) {
      expect(code(pay({ target: stranger }))).toBe('player_not_found');
    }
  });

  it('is rejected for an account that does not exist, and lists the ones that do', () => {
    const { error } = setUp().pay({ type: 'crypto' });
    expect(error?.code).toBe('unknown_account');
    expect(error?.details).toEqual({ accounts: ['bank', 'black_money', 'cash'] });
  });

  it('never takes more than there is, unless it may', () => {
    const { world, balance, pay } = setUp();
    const before = balance();
    const tooMuch = { amount: before + 1, action: 'remove' as const };
    expect(pay(tooMuch).error).toMatchObject({ code: 'insufficient_funds', details: { balance: before } });
    expect(balance()).toBe(before);
    expect(pay({ ...tooMuch, allowNegative: true }).data).toMatchObject({ after: -1 });
    expect(pay({ amount: before, action: 'remove', allowNegative: false }).error?.code).toBe('insufficient_funds');
    expect(world.audit()).toEqual([]);
  });

  it('keeps exact to the last whole number and is rejected beyond it, up and down', () => {
    const { world, balance, pay } = setUp();
    pay({ amount: Number.MAX_SAFE_INTEGER - balance() });
    expect(balance()).toBe(Number.MAX_SAFE_INTEGER);
    expect(code(pay({ amount: 1 }))).toBe('invalid_params');
    pay({ amount: Number.MAX_SAFE_INTEGER, action: 'remove' });
    pay({ amount: Number.MAX_SAFE_INTEGER, action: 'remove', allowNegative: true });
    expect(code(pay({ amount: 1, action: 'remove', allowNegative: true }))).toBe('invalid_params');
    expect(balance()).toBe(-Number.MAX_SAFE_INTEGER);
    expect(world.audit()).toEqual([]);
  });

  it('delivered again is answered from the journal and changes nothing', () => {
    const { balance, pay } = setUp();
    const outcome = pay({}, 'cmd_x');
    const after = balance();
    expect(pay({}, 'cmd_x')).toEqual(outcome);
    expect(code(pay({ amount: 900 }, 'cmd_x', 'another'))).toBe('fingerprint_mismatch');
    expect(balance()).toBe(after);
  });

  it('that was voided before it came changes nothing', () => {
    const { world, balance, pay } = setUp();
    const before = balance();
    world.journal.settle('cmd_x', { status: 'voided' });
    expect(pay({}, 'cmd_x')).toEqual({ status: 'voided' });
    expect(balance()).toBe(before);
  });

  it('that cannot be written takes no effect and leaves the journal as it was', () => {
    const { world, target, balance } = setUp();
    const before = balance();
    world.journal.start('cmd_x', 'print');
    const failing = () =>
      world.transact((edit) => {
        edit.move({ identifier: target, account: 'bank', delta: 5, reason: 'command', commandId: 'cmd_x' });
        world.journal.settle('cmd_x', { status: 'done' });
        throw new Error('The disk is full.');
      });
    expect(failing).toThrow('The disk is full.');
    expect(balance()).toBe(before);
    expect(world.journal.get('cmd_x')?.status).toBe('started');
  });
});

describe('a process that is killed', () => {
  const killed = (moment: string) => {
    const file = newFile('world.db');
    const first = openWorld({ file, players: 5 });
    const [target = ''] = first.identifiers();
    const before = first.player(target)?.accounts['bank'] ?? Number.NaN;
    first.close();
    const script = fileURLToPath(new URL('dying-world.ts', import.meta.url));
    const { signal, stderr } = spawnSync(process.execPath, [script, file, target, moment]);
    expect({ signal, stderr: stderr.toString() }).toEqual({ signal: 'SIGKILL', stderr: '' });

    const world = openWorld({ file, players: 5 });
    onTestFinished(world.close);
    const again = () =>
      world.commands.money(
        { target, type: 'bank', amount: 500, action: 'add', allowNegative: false },
        { id: 'cmd_1', fingerprint: 'print' },
      );
    return { world, before, again, bank: () => world.player(target)?.accounts['bank'] };
  };

  it('between the effect and the answer has paid once, and says so when asked again', () => {
    const { world, before, again, bank } = killed('before the answer');
    expect(bank()).toBe(before + 500);
    expect(world.journal.open()).toMatchObject([{ id: 'cmd_1', status: 'done' }]);
    expect(again()).toEqual({ status: 'done', data: { account: 'bank', before, after: before + 500 } });
    expect(bank()).toBe(before + 500);
    expect(world.audit()).toEqual([]);
  });

  it('inside the transaction has paid nothing, knows it, and never pays that command later', () => {
    const { world, before, again, bank } = killed('inside the transaction');
    expect(bank()).toBe(before);
    expect(world.journal.open()).toMatchObject([{ id: 'cmd_1', status: 'failed' }]);
    expect(again().status).toBe('failed');
    expect(bank()).toBe(before);
    expect(world.audit()).toEqual([]);
  });
});
