import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { hasPostgres, openPostgresServer } from '../../chaos/cluster/nodes.ts';
import { newFolder } from '../kit/folder.ts';
import { freePort } from '../kit/free-port.ts';
import { createEconomy, startGameServer } from '../kit/game-server.ts';
import { type Answer, startHub, type TestHub } from '../kit/hub.ts';
import { commandsOf, PAY } from '../kit/stage.ts';

const CALLERS = 8;
const PAYMENTS = 15;
/** How many have been paid when the server goes. */
const BEFORE = 20;
const PATIENCE = { timeout: 20_000 };

/** Pays all players in turn, each payment with a key, and repeats the request with that key until it has an outcome. */
const payUntilTold = async (hub: TestHub, target: string): Promise<void> => {
  const pay = (key: string): Promise<Answer | undefined> =>
    hub
      .request('/api/v2/bridge/main/money', {
        json: { target, type: 'bank', amount: PAY, action: 'add' },
        headers: { 'Idempotency-Key': key, Prefer: 'wait=5' },
      })
      .catch(() => undefined);
  for (let n = 0; n < PAYMENTS; n += 1) {
    const key = randomUUID();
    await expect.poll(async () => (await pay(key))?.status, PATIENCE).toBe(200);
  }
};

describe.runIf(hasPostgres)('PostgreSQL, restarted in the middle of payments', () => {
  it.each([
    ['a fast stop', 'SIGINT'],
    ['an immediate one', 'SIGQUIT'],
  ] as const)(
    'by %s: nothing is doubled or lost, and the hub goes on by itself and says so',
    async (_how, signal) => {
      const postgres = await openPostgresServer(await freePort());
      onTestFinished(postgres.close);
      const hub = await startHub({ env: { DATABASE_URL: postgres.url } });
      const targets = Array.from({ length: CALLERS }, (_, n) => `char1:caller${n}`);
      const economy = createEconomy(Object.fromEntries(targets.map((target) => [target, 0])));
      startGameServer({ url: () => hub.bridgeUrl, token: hub.token, folder: newFolder(), economy });
      const health = async () => {
        const { status, body } = await hub.request('/api/v2/health');
        return [status, body['status'] ?? body.code];
      };
      await expect.poll(health, PATIENCE).toEqual([200, 'pass']);

      const paying = Promise.all(targets.map((target) => payUntilTold(hub, target)));
      await expect.poll(() => economy.applied.length, PATIENCE).toBeGreaterThan(BEFORE);
      await postgres.end(signal);
      expect(await health()).toEqual([503, 'fail']);
      await postgres.start();
      await paying;

      await expect.poll(health, PATIENCE).toEqual([200, 'pass']);
      expect([...economy.banks.values()]).toEqual(targets.map(() => PAYMENTS * PAY));
      expect(economy.applied).toHaveLength(CALLERS * PAYMENTS);
      const rows = await commandsOf(hub);
      expect(rows.map(({ status }) => status)).toEqual(Array(CALLERS * PAYMENTS).fill('succeeded'));
      expect(new Set(rows.map(({ id }) => id))).toEqual(new Set(economy.applied.map(({ id }) => id)));
    },
    60_000,
  );
});
