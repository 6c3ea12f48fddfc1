import { createBridge } from '../../bridge-protocol/client/bridge.ts';
import { openFileJournal } from '../../bridge-protocol/journal/file.ts';
import { openWebSocket } from '../../bridge-protocol/ws.ts';
import { pay } from '../../tests/kit/purse.ts';
import { createCaller } from '../promises/caller.ts';

/** Another tenant of the hub in a process of its own: a game server, and a caller that pays one player after another. */
const [url = '', port = '', token = '', key = '', journal = ''] = process.argv.slice(2);
const PAY_EVERY_MS = 20;

const banks = new Map([['char1:ana', 0]]);
createBridge({
  openSocket: openWebSocket({ url, token }),
  software: { name: 'neighbour', version: '1.0.0' },
  journal: openFileJournal({ path: journal, class: 'durable' }),
  accounts: ['bank'],
  commands: {
    money: (order) => pay(banks, order),
  },
  players: { snapshot: () => [] },
}).start();

const caller = createCaller({ port: Number(port), key });
let payments: { ms: number; status: number }[] = [];
let underWay: Promise<void> = Promise.resolve();

const payOnce = async (): Promise<void> => {
  const from = performance.now();
  const { status } = await caller.money('home', 'char1:ana').catch(() => ({ status: 0 }));
  payments.push({ ms: performance.now() - from, status });
};

const payForEver = async (): Promise<void> => {
  underWay = payOnce();
  await underWay;
  setTimeout(payForEver, PAY_EVERY_MS);
};

process.on('message', async ({ order }: { order: 'pay' | 'tell' }) => {
  if (order === 'pay') return payForEver();
  // A payment that is open now belongs to this report.
  await underWay;
  process.send?.({ event: 'payments', payments });
  payments = [];
});
process.on('disconnect', () => process.exit());
