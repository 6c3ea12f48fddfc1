import { onTestFinished } from 'vitest';
import { type GameOptions, startGame } from '../fxserver/game.ts';
import { createKvp } from '../fxserver/kvp.ts';
import { createMysql } from '../fxserver/mysql.ts';
import { type Answer, startHub, type TestHub } from '../kit/hub.ts';
import { eventually } from '../kit/stage.ts';
import type { World } from './frameworks.ts';

export type Seen = {
  name: string;
  online: boolean;
  identifiers: string[];
  accounts: Record<string, number>;
  inventory: { slot: number; name: string; count: number }[];
  vehicles: { plate: string; model: string; stored: boolean; garage: string | null }[];
  metadata: Record<string, unknown>;
};
type Order = { target: string; type?: string; amount?: number; action?: 'add' | 'remove'; allowNegative?: boolean };

/** Requests of a caller to the hub. */
const createCaller = (hub: TestHub, account: string) => {
  let keys = 0;
  return {
    /** The current data of a player on the game server. */
    look: async (identifier: string): Promise<Seen> => {
      const path = `/api/v2/players/${encodeURIComponent(identifier)}`;
      const { body, status } = await hub.request(path, { headers: { 'Cache-Control': 'no-cache' } });
      if (status !== 200) throw new Error(`${identifier}: ${JSON.stringify(body)}`);
      return body as unknown as Seen;
    },
    /** The current data of a player in the hub. */
    recall: async (identifier: string): Promise<Seen | undefined> => {
      const { body, status } = await hub.request(`/api/v2/players/${encodeURIComponent(identifier)}`);
      return status === 200 ? (body as unknown as Seen) : undefined;
    },
    pay: (order: Order, key?: string, waitS = 10): Promise<Answer> => {
      keys += 1;
      return hub.request('/api/v2/bridge/main/money', {
        json: { type: account, amount: 50, action: 'add', ...order },
        headers: { 'Idempotency-Key': key ?? `key-${keys}`, Prefer: `wait=${waitS}` },
      });
    },
    /** Another command that runs exactly once. */
    command: (name: string, json: object, key?: string, waitS = 10): Promise<Answer> => {
      keys += 1;
      return hub.request(`/api/v2/bridge/main/${name}`, {
        json,
        headers: { 'Idempotency-Key': key ?? `key-${keys}`, Prefer: `wait=${waitS}` },
      });
    },
    kick: (target: string, reason = 'test'): Promise<Answer> =>
      hub.request('/api/v2/bridge/main/kick', { json: { target, reason } }),
  };
};

/** A real hub and a game server with the shipped resource in it; Ana and Bo play unless told otherwise. */
export const openWorld = async (world: World, options: Partial<GameOptions> & { isEmpty?: boolean } = {}) => {
  const hub = await startHub();
  const mysql = options.mysql ?? createMysql();
  const kvp = options.kvp ?? createKvp();
  const speed = world.speed === undefined ? {} : { speed: world.speed };
  const address = { url: hub.bridgeUrl, token: hub.token, mysql, kvp };
  const started = await startGame({ framework: world, ...speed, ...address, ...options });
  onTestFinished(async () => {
    await started.server.stop('causeway');
    await eventually(() => hub.sizes().sessions).toBe(0);
    started.server.crash();
    await mysql.close();
  });
  const caller = createCaller(hub, world.account);
  const join = (identifier: string, more: Parameters<typeof started.join>[1] = {}): Promise<number> =>
    started.join(identifier, { identifiers: world.licenses[identifier] ?? [], ...more });
  if (options.isEmpty !== true) {
    await join(world.ana);
    await join(world.bo);
  }
  await eventually(async () => (await caller.recall(world.ana))?.identifiers.length ?? 0).toBeGreaterThan(0);
  return {
    hub,
    ...started,
    ...caller,
    join,
    /** Pays a player while the database is down, so the payment is not stored and the command has no answer yet. */
    payUnsaved: async (order: Order): Promise<{ paying: Promise<Answer> }> => {
      mysql.hold(true);
      const paying = caller.pay(order);
      await eventually(() => mysql.heldBack()).toBeGreaterThan(0);
      mysql.down(true);
      mysql.hold(false);
      await mysql.quiet();
      return { paying };
    },
    /** The process of the game server dies, and starts again without players. */
    reboot: async (): Promise<void> => {
      started.server.crash();
      mysql.crash();
      mysql.hold(false);
      await mysql.quiet();
      await eventually(() => hub.sizes().sessions).toBe(0);
      const again = await startGame({ framework: { ...world, rows: '' }, ...speed, ...address });
      onTestFinished(async () => {
        await again.server.stop('causeway');
        again.server.crash();
      });
      await eventually(() => hub.sizes().sessions).toBe(1);
    },
    /** A player's money in the game's tables. */
    stored: (identifier: string): Promise<Record<string, number>> => world.stored(mysql, identifier),
  };
};
