import { expect, onTestFinished } from 'vitest';
import { startGame } from '../fxserver/game.ts';
import { createKvp } from '../fxserver/kvp.ts';
import { createMysql } from '../fxserver/mysql.ts';
import type { Answer } from '../kit/hub.ts';
import { eventually } from '../kit/stage.ts';
import type { ItemWorld } from './item-worlds.ts';
import { openWorld } from './stage.ts';

type Order = {
  target?: string;
  item?: string;
  count?: number;
  action?: string;
  metadata?: object;
  allowPartial?: boolean;
};

/** A hub and a game server in which Ana has the items of the beginning. */
export const openItems = async (world: ItemWorld) => {
  const mysql = createMysql();
  const kvp = createKvp();
  const opened = await openWorld(world, { mysql, kvp });
  const { hub, look } = opened;
  let keys = 0;
  const countOf = (items: readonly { name: string; count: number }[], item: string): number =>
    items.reduce((sum, { name, count }) => (name === item ? sum + count : sum), 0);
  const held = (identifier: string) => world.held(mysql, identifier);
  const { name: first, count: firstCount } = world.start ?? { name: 'bread', count: 3 };
  await eventually(async () => countOf((await look(world.ana)).inventory, first)).toBe(firstCount);

  return {
    ...opened,
    held,
    /** Gives Ana a piece of bread, unless the order says otherwise. */
    items: (order: Order, key?: string, waitS = 10): Promise<Answer> => {
      keys += 1;
      return hub.request('/api/v2/bridge/main/items', {
        json: { target: world.ana, item: 'bread', count: 1, action: 'add', ...order },
        headers: { 'Idempotency-Key': key ?? `items-${keys}`, Prefer: `wait=${waitS}` },
      });
    },
    /** The player's inventory and row both have this many now. */
    agree: async (item: string, count: number, identifier = world.ana): Promise<void> => {
      const row = countOf(await held(identifier), item);
      expect([countOf((await look(identifier)).inventory, item), row]).toEqual([count, count]);
    },
    /** The status of the newest command. */
    statusOf: async (): Promise<unknown> =>
      ((await hub.request('/api/v2/commands')).body['data'] as { status: string }[])[0]?.status,
    /** The process of the game server dies, and starts again without players. */
    reboot: async (): Promise<void> => {
      opened.server.crash();
      mysql.crash();
      mysql.hold(false);
      mysql.deafen(false);
      await mysql.quiet();
      await eventually(() => hub.sizes().sessions).toBe(0);
      const speed = world.speed === undefined ? {} : { speed: world.speed };
      const framework = { ...world, rows: '' };
      const again = await startGame({ framework, url: hub.bridgeUrl, token: hub.token, mysql, kvp, ...speed });
      onTestFinished(async () => {
        await again.server.stop('causeway');
        again.server.crash();
      });
      await eventually(() => hub.sizes().sessions).toBe(1);
    },
  };
};
