import { join } from 'node:path';
import { expect, it } from 'vitest';
import { atEnd } from '../kit/ends.ts';
import { newFolder } from '../kit/folder.ts';
import { startHub } from '../kit/hub.ts';
import { createVictim } from '../kit/processes.ts';
import { until } from '../kit/until.ts';
import { INTERPRETERS, runLua } from './lua.ts';

const KILLS = 7;
/** In flight when the process is killed. */
const PAYMENTS = 5;

it.each(INTERPRETERS)(
  'needs no more memory after 100,000 commands and 1,000 reconnects under %s',
  async (interpreter) => {
    const said = await runLua(interpreter, 'measure_memory.lua');
    process.stdout.write(`${interpreter}\n${said}`);
    expect(said).toMatch(/100000 commands/);
  },
  500_000,
);

/** A bank in Lua whose process can be killed, and a hub that pays its player. */
const openBank = async (interpreter: string) => {
  const hub = await startHub();
  const env = {
    LUA_PATH: 'bridge-lua/?.lua;bridge-lua/?/init.lua;;',
    CAUSEWAY_URL: hub.bridgeUrl,
    CAUSEWAY_TOKEN: hub.token,
    CAUSEWAY_JOURNAL: join(newFolder(), 'bank.journal'),
  };
  const bank = createVictim(['bridge-lua/examples/ledger.lua'], env, { program: interpreter });
  atEnd(() => bank.kill());
  const pay = (nth: number) =>
    hub.request('/api/v2/bridge/main/money', {
      json: { target: 'char1:ana', type: 'bank', action: 'add', amount: nth },
      headers: { Prefer: 'wait=5', 'Idempotency-Key': `payment-${nth}` },
    });
  return {
    bank,
    pay,
    connected: () => until(() => hub.sizes().sessions === 1, `the bank is connected; it said ${bank.said()}`),
    gone: () => until(() => hub.sizes().sessions === 0, 'the hub has noticed'),
    balance: async (): Promise<number> => {
      const answer = await hub.request('/api/v2/players/char1:ana', { headers: { 'Cache-Control': 'no-cache' } });
      return (answer.body['accounts'] as Record<string, number>)['bank'] ?? 0;
    },
  };
};

it.each(INTERPRETERS)(
  'loses and doubles no payment when the bank is killed again and again under %s',
  async (interpreter) => {
    const { bank, pay, connected, gone, balance } = await openBank(interpreter);
    for (let kill = 0; kill < KILLS; kill += 1) {
      bank.start();
      await connected();
      const open = Array.from({ length: PAYMENTS }, (_, n) => pay(kill * PAYMENTS + n + 1));
      await Promise.race(open);
      await bank.kill('SIGKILL');
      await Promise.all(open);
      await gone();
    }
    bank.start();
    await connected();
    let sum = 0;
    for (let nth = 1; nth <= KILLS * PAYMENTS; nth += 1) {
      let answer = await pay(nth);
      await until(async () => {
        const { status } = (answer.body['command'] ?? {}) as { status?: string };
        // A payment that the kill rolled back has ended as failed with 503, and is told so for ever.
        if (answer.status !== 202 && (answer.status !== 503 || status === 'failed')) return true;
        answer = await pay(nth);
        return false;
      }, `payment ${nth} has ended`);
      // The bank is atomic, so it knows of each payment whether it happened.
      expect(answer.body, `payment ${nth}`).not.toMatchObject({ executed: 'unknown' });
      if (answer.status === 200) sum += nth;
    }
    expect(sum).toBeGreaterThan(0);
    expect(await balance()).toBe(sum);
  },
  300_000,
);
