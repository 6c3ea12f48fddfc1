import { describe, expect, it, onTestFinished } from 'vitest';
import type { CommandParams } from '../../bridge-protocol/wire/commands.ts';
import { CARRIED, SLOTS } from '../../simulator/inventories.ts';
import { openWorld } from '../../simulator/world.ts';

type Items = CommandParams<'items'>;

const setUp = () => {
  const world = openWorld({ players: 3 });
  onTestFinished(world.close);
  const [target = ''] = world.identifiers();
  const inventory = () => world.player(target)?.inventory ?? [];
  const carry = (stacks: ReturnType<typeof inventory>): void =>
    world.transact((edit) => edit.setInventory(target, stacks));
  let next = 1;
  const move = (params: Partial<Items>, id = `cmd_${next++}`) =>
    world.commands.items(
      { target, item: 'bread', count: 3, action: 'add', allowPartial: false, ...params },
      { id, fingerprint: 'print' },
    );
  return { world, target, inventory, carry, move };
};

const bread = (slot: number, count: number, metadata = {}) => ({
  slot,
  name: 'bread',
  label: 'Bread',
  count,
  metadata,
});

describe('a command of items', () => {
  it('adds to the stack with equal metadata, or makes one in the first free slot', () => {
    const { carry, move, inventory } = setUp();
    carry([bread(1, 2, { fresh: true }), bread(3, 4)]);
    expect(move({})).toEqual({ status: 'done', data: { item: 'bread', before: 6, after: 9 } });
    expect(inventory()).toEqual([bread(1, 2, { fresh: true }), bread(3, 7)]);
    expect(move({ metadata: { old: 1 } }).data).toEqual({ item: 'bread', before: 0, after: 3 });
    expect(inventory()).toEqual([bread(1, 2, { fresh: true }), bread(2, 3, { old: 1 }), bread(3, 7)]);
  });

  it('takes from the last slots first, and only stacks with the metadata that are given', () => {
    const { carry, move, inventory } = setUp();
    carry([bread(1, 2, { fresh: true }), bread(3, 4), bread(5, 1)]);
    expect(move({ action: 'remove', count: 3 }).data).toEqual({ item: 'bread', before: 7, after: 4 });
    expect(inventory()).toEqual([bread(1, 2, { fresh: true }), bread(3, 2)]);
    const outcome = move({ action: 'remove', count: 2, metadata: { fresh: true } });
    expect(outcome.data).toEqual({ item: 'bread', before: 2, after: 0 });
    expect(inventory()).toEqual([bread(3, 2)]);
  });

  it('takes what has no metadata before what has some, and nothing else where {} is given', () => {
    const { carry, move, inventory } = setUp();
    carry([bread(1, 2), bread(3, 4), bread(5, 1, { fresh: true })]);
    expect(move({ action: 'remove', count: 5 }).data).toEqual({ item: 'bread', before: 7, after: 2 });
    expect(inventory()).toEqual([bread(1, 1), bread(5, 1, { fresh: true })]);
    const plain = { action: 'remove', count: 2, metadata: {} } as const;
    expect(move(plain).error).toMatchObject({ code: 'not_enough_items', details: { count: 1 } });
    expect(move({ ...plain, count: 1 }).data).toEqual({ item: 'bread', before: 1, after: 0 });
    expect(inventory()).toEqual([bread(5, 1, { fresh: true })]);
  });

  it('moves all or nothing, and says what would fit or what there is', () => {
    const { carry, move, inventory } = setUp();
    carry([bread(1, CARRIED - 2)]);
    expect(move({}).error).toMatchObject({ code: 'too_heavy', details: { fits: 2 } });
    expect(move({ action: 'remove', count: CARRIED }).error).toMatchObject({
      code: 'not_enough_items',
      details: { count: CARRIED - 2 },
    });
    expect(inventory()).toEqual([bread(1, CARRIED - 2)]);
    const full = Array.from({ length: SLOTS }, (_, slot) => bread(slot + 1, 1, { slot }));
    carry(full);
    expect(move({}).error).toMatchObject({ code: 'inventory_full', details: { fits: 0 } });
    expect(inventory()).toEqual(full);
    expect(move({ item: 'unicorn' }).error?.code).toBe('unknown_item');
  });

  it('moves as many as it can where the caller allows it, never none', () => {
    const { carry, move } = setUp();
    carry([bread(1, CARRIED - 2)]);
    const whole = CARRIED - 2;
    expect(move({ allowPartial: true }).data).toEqual({ item: 'bread', before: whole, after: CARRIED, applied: 2 });
    expect(move({ allowPartial: true }).error).toMatchObject({ code: 'too_heavy', details: { fits: 0 } });
    const rest = move({ allowPartial: true, action: 'remove', count: 2 * CARRIED });
    expect(rest.data).toEqual({ item: 'bread', before: CARRIED, after: 0, applied: CARRIED });
    expect(move({ allowPartial: true, action: 'remove' }).error?.code).toBe('not_enough_items');
  });

  it('runs once per id, and reports the player', () => {
    const { world, target, carry, move, inventory } = setUp();
    carry([bread(1, 1)]);
    const changes: string[] = [];
    world.onChange(({ players }) => changes.push(...players));
    const first = move({}, 'cmd_x');
    expect(move({}, 'cmd_x')).toEqual(first);
    expect(inventory()).toEqual([bread(1, 4)]);
    expect(changes).toEqual([target]);
    expect(world.journal.get('cmd_x')).toMatchObject({ status: 'done', outcome: first });
  });
});
