import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { WorldChange } from '../../simulator/edit.ts';
import { createLife } from '../../simulator/life.ts';
import { openWorld } from '../../simulator/world.ts';

const setUp = (players: number, seed = 1) => {
  const world = openWorld({ players, seed });
  onTestFinished(world.close);
  const changes: WorldChange[] = [];
  world.onChange((change) => changes.push(change));
  const onError = vi.fn();
  const life = createLife({ world, onError });
  onTestFinished(life.stop);
  const live = (steps: number) => {
    for (let nth = 0; nth < steps; nth++) life.step();
  };
  return { world, life, changes, live, onError };
};

describe('life', () => {
  it('is the same for the same seed and number of steps', () => {
    const [one, same] = [setUp(50, 5), setUp(50, 5)];
    one.live(200);
    same.live(200);
    expect(same.changes).toEqual(one.changes);
    expect([...same.world.players()]).toEqual([...one.world.players()]);
  });

  it('names exactly the players that a step changed, and the players that left', () => {
    const { world, changes, live } = setUp(300);
    for (let nth = 0; nth < 60; nth++) {
      const before = new Map([...world.players()].map((player) => [player.identifier, player]));
      changes.length = 0;
      live(1);
      const [{ players, offline } = { players: [], offline: [] }, ...more] = changes;
      expect(more).toEqual([]);
      for (const player of world.players()) {
        const { identifier } = player;
        const was = before.get(identifier);
        const left = offline.includes(identifier);
        if (players.includes(identifier)) expect(player).not.toEqual(was);
        else
          expect(JSON.stringify(player)).toBe(
            JSON.stringify(left ? { ...was, online: false, gameId: undefined } : was),
          );
        if (left) expect(was?.online).toBe(true);
      }
    }
  });

  it('lets people come and go, earn and spend, fish and move their cars', () => {
    const { world, live } = setUp(200);
    const before = [...world.players()];
    live(2_000);
    const after = [...world.players()];
    const differ = (what: 'accounts' | 'inventory' | 'vehicles' | 'online') =>
      after.filter((player, nth) => JSON.stringify(player[what]) !== JSON.stringify(before[nth]?.[what])).length;
    for (const what of ['accounts', 'inventory', 'vehicles', 'online'] as const)
      expect(differ(what)).toBeGreaterThan(20);
    const { online, max } = world.count();
    expect(online).toBeGreaterThan(max / 2);
    expect(online).toBeLessThan(max);
    expect(after.every(({ inventory }) => inventory.length < 40)).toBe(true);
    expect(world.audit()).toEqual([]);
  });

  it('keeps a kicked player away for a little', () => {
    const { world, live } = setUp(1);
    const [target = ''] = world.identifiers();
    world.transact((edit) => edit.join(target));
    expect(world.commands.kick({ target, reason: 'Zu laut' }, { id: 'cmd_1', fingerprint: 'f' })).toEqual({
      status: 'done',
      data: { kicked: true, reason: 'Zu laut' },
    });
    for (let nth = 0; nth < 80; nth++) {
      live(1);
      expect(world.player(target)?.online).toBe(false);
    }
    live(60);
    expect(world.count().online).toBe(1);
  });

  it('runs by itself until it is stopped', async () => {
    const { world, life, onError } = setUp(20);
    life.start(1);
    await expect.poll(() => world.step(), { interval: 2 }).toBeGreaterThan(3);
    life.stop();
    const steps = world.step();
    await new Promise(setImmediate);
    expect(world.step()).toBe(steps);
    expect(onError).not.toHaveBeenCalled();
  });

  it('reports a step that fails and goes on trying', async () => {
    const { world, life, onError } = setUp(20);
    world.close();
    life.start(1);
    await expect.poll(() => onError.mock.calls.length, { interval: 2 }).toBeGreaterThan(1);
  });
});

describe('a kick', () => {
  it('is rejected for players who are offline or unknown', () => {
    const { world } = setUp(3);
    const [target = ''] = world.identifiers();
    world.transact((edit) => edit.leave(target));
    const kick = (who: string) => world.commands.kick({ target: who, reason: 'r' }, { id: 'cmd_1', fingerprint: 'f' });
    expect(kick(target).error?.code).toBe('player_offline');
    expect(kick('char1:nobody').error?.code).toBe('player_not_found');
    expect(world.journal.open()).toEqual([]);
  });

  it('settles its journal entry where the bridge made one', () => {
    const { world } = setUp(3);
    const [target = ''] = world.identifiers();
    world.transact((edit) => edit.join(target));
    world.journal.start('cmd_1', 'f');
    world.commands.kick({ target, reason: 'r' }, { id: 'cmd_1', fingerprint: 'f' });
    expect(world.journal.get('cmd_1')?.status).toBe('done');
  });
});
