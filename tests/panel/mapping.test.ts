import { describe, expect, it } from 'vitest';
import { type Rules, readDraft } from '../../panel/src/commands/form.ts';
import { changedIn } from '../../panel/src/drafts.ts';
import { draftOf, EMPTY_SHOP, newRow, type Packages, readPackages, readShop } from '../../panel/src/shops/shop.ts';

const GIVE = {
  name: 'give_item',
  description: 'Gives',
  params: {
    type: 'object',
    properties: { who: { type: 'string' }, item: { type: 'string' }, count: { type: 'integer', minimum: 1 } },
    required: ['who', 'item', 'count'],
  },
  roles: { player: 'who', amount: 'count' },
};
const RULES: Rules = { locale: 'en', max: 1_000, accounts: [], reasonFor: [], customs: new Map([['give_item', GIVE]]) };

const read = (name: string, typed: Record<string, string>) => readDraft({ ...newRow(1, name), typed }, RULES);

describe('a command of a package', () => {
  it.each([
    ['money', { amount: '1,000' }, { action: 'add', type: 'bank', amount: 1_000 }],
    ['items', { item: 'bread', reason: ' VIP ' }, { action: 'add', item: 'bread', count: 1, reason: 'VIP' }],
    ['vehicles', { model: 'adder' }, { action: 'give', model: 'adder' }],
    ['job', { job: 'police', grade: '3' }, { job: 'police', grade: 3 }],
    ['custom:give_item', { item: 'bread', count: '2' }, { item: 'bread', count: 2 }],
    ['custom:unknown', { '': '{"a": [1]}' }, { a: [1] }],
    ['custom:unknown', {}, {}],
  ])('%s is read from %j', (name, typed, params) => {
    expect(read(name, typed)).toEqual({ command: { name, params } });
  });

  it.each([
    ['money', { type: ' ', amount: '0' }, { type: 'missing', amount: 'amount' }],
    ['money', { amount: '1001' }, { amount: 'large' }],
    ['items', { count: 'x' }, { item: 'choose', count: 'amount' }],
    ['vehicles', {}, { model: 'choose' }],
    ['job', { grade: '-1' }, { job: 'choose', grade: 'grade' }],
    ['custom:give_item', { count: '0' }, { item: 'missing', count: 'wrong' }],
    ['custom:unknown', { '': '[1]' }, { '': 'json' }],
    ['custom:', {}, { name: 'missing' }],
  ])('%s with %j is refused at its fields', (name, typed, faults) => {
    expect(read(name, typed)).toEqual({ faults });
  });

  it.each([
    ['money', { type: 'bank', amount: 5, action: 'remove', allowNegative: true }, { amount: '6' }, { amount: 6 }],
    ['items', { item: 'id_card', count: 1, action: 'add', metadata: { number: 7 } }, {}, {}],
    ['vehicles', { action: 'take', plate: 'VIP 1' }, {}, {}],
    ['custom:give_item', { item: 'bread', count: 1, extra: [1, 2] }, { item: 'water' }, { item: 'water' }],
    ['custom:unknown', { kind: 'dog' }, {}, {}],
  ])('%s keeps what is stored in %j and has no field', (name, given, typed, changed) => {
    expect(readDraft({ name, given, typed }, RULES)).toEqual({
      command: { name, params: { ...given, ...changed } },
    });
  });
});

describe('a mapping', () => {
  const packages: Packages = { vip: [{ name: 'job', params: { job: 'police', grade: 0 } }], bike: [] };

  it('comes back as it was stored', () => {
    expect(readPackages(draftOf(packages), RULES)).toEqual(packages);
  });

  it('is refused with an id twice, or with none', () => {
    const one = { key: 1, id: 'vip', rows: [] };
    expect(readPackages([one, { ...one, key: 2, id: 'vip ' }], RULES)).toBeUndefined();
    expect(readPackages([{ ...one, id: ' ' }], RULES)).toBeUndefined();
  });

  it('is a part of a change only if it was typed in', () => {
    const before = { ...EMPTY_SHOP, name: 'Shop', serverId: 'main', packages: draftOf(packages) };
    const draft = { ...before, maxAmount: '1,500', identifierKind: 'steam' };
    const settings = readShop(draft, RULES);
    expect(settings && changedIn(before, draft, settings)).toEqual({ maxAmount: 1_500, identifierKind: 'steam' });
    expect(readShop({ ...draft, maxDaily: 'much' }, RULES)).toBeUndefined();
  });
});
