import Database from 'better-sqlite3';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CommandParams } from '../../bridge-protocol/wire/commands.ts';
import { createLife } from '../../simulator/life.ts';
import { openWorld } from '../../simulator/world.ts';
import { newFile } from '../kit/folder.ts';

type Operation =
  | { kind: 'money'; id: number; who: number; params: Omit<CommandParams<'money'>, 'target'> }
  | { kind: 'kick'; who: number }
  | { kind: 'step' };

const who = fc.integer({ min: 0, max: 5 });
const amount = fc.oneof(fc.integer({ min: 1, max: 5_000 }), fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }));
const params = fc.record({
  type: fc.constantFrom('bank', 'cash', 'black_money', 'crypto'),
  amount,
  action: fc.constantFrom('add' as const, 'remove' as const),
  allowNegative: fc.boolean(),
});
const operation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 8,
    // Fewer ids than operations: many commands come twice.
    arbitrary: fc.record({
      kind: fc.constant('money' as const),
      id: fc.integer({ min: 1, max: 700 }),
      who,
      params,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('kick' as const), who }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('step' as const) }) },
);

const play = (operations: readonly Operation[]): void => {
  const world = openWorld({ players: 5 });
  const life = createLife({ world });
  const targets = [...world.identifiers(), 'char1:nobody'];
  const seen = new Set<number>();

  const money = ({ id, who, params }: Extract<Operation, { kind: 'money' }>): void => {
    const target = targets[who] ?? '';
    const before = world.player(target)?.accounts[params.type];
    const fingerprint = JSON.stringify([who, params]);
    const { status, data } = world.commands.money({ target, ...params }, { id: `cmd_${id}`, fingerprint });
    const after = world.player(target)?.accounts[params.type];
    if (seen.has(id) || status !== 'done') expect(after).toBe(before);
    else {
      expect(data).toEqual({ account: params.type, before, after });
      expect(after).toBe((before ?? Number.NaN) + (params.action === 'add' ? params.amount : -params.amount));
      expect((after ?? Number.NaN) >= 0 || params.allowNegative || params.action === 'add').toBe(true);
    }
    seen.add(id);
  };

  for (const [nth, operation] of operations.entries()) {
    if (operation.kind === 'money') money(operation);
    else if (operation.kind === 'step') life.step();
    else
      world.commands.kick(
        { target: targets[operation.who] ?? '', reason: 'r' },
        { id: `kick_${nth}`, fingerprint: 'f' },
      );
  }
  expect(world.audit()).toEqual([]);
  world.close();
};

describe('the ledger of a world', () => {
  it('adds up to the balances after 1,000 random operations, and every answer was true', () => {
    const operations = fc.array(operation, { minLength: 1_000, maxLength: 1_000 });
    fc.assert(fc.property(operations, play), { numRuns: 5 });
  });

  it('finds a balance or a line that was changed without it', () => {
    const file = newFile('world.db');
    openWorld({ file, players: 3 }).close();
    const intruder = new Database(file);
    intruder.exec("UPDATE balances SET amount = amount + 1 WHERE account = 'cash'");
    intruder.exec("DELETE FROM transactions WHERE account = 'bank'");
    intruder.close();
    const world = openWorld({ file, players: 3 });
    const accounts = world.audit().map(({ account }) => account);
    world.close();
    expect(accounts.toSorted()).toEqual(['bank', 'bank', 'bank', 'cash', 'cash', 'cash']);
  });

  it('is folded when it grew long, and still adds up', () => {
    const file = newFile('world.db');
    const world = openWorld({ file, players: 3 });
    const life = createLife({ world });
    for (let nth = 0; nth < 400; nth++) life.step();
    const everybody = [...world.players()];
    world.foldLedger(20);
    expect(world.audit()).toEqual([]);
    expect([...world.players()]).toEqual(everybody);
    world.close();

    const reader = new Database(file, { readonly: true });
    const lines = reader.prepare<[], number>('SELECT count(*) FROM transactions').pluck().get();
    reader.close();
    const balances = 3 * 3;
    expect(lines).toBeLessThanOrEqual(20 + balances);
  });
});
