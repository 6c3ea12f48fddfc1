import { createBridge } from '../../bridge-protocol/client/bridge.ts';
import { openFileJournal } from '../../bridge-protocol/journal/file.ts';
import { openWebSocket } from '../../bridge-protocol/ws.ts';
import { pay } from '../../tests/kit/purse.ts';
import { type GameOrder, HANGING } from './games.ts';
import { tell, telling } from './telling.ts';

const OPENING_BALANCE = 1_000_000;
const hanging = new Set<() => void>();

/** The reference bridge over a real socket, with a game in which every player exists. */
const open = ({ server, url, token, journal, instance }: Extract<GameOrder, { order: 'open' }>): void => {
  const banks = new Map<string, number>();
  createBridge({
    openSocket: telling(server, openWebSocket({ url, token })),
    software: { name: 'promises', version: '1.0.0' },
    journal: openFileJournal({ path: journal, class: 'durable' }),
    accounts: ['bank'],
    instance,
    commands: {
      kick: () => ({ status: 'done', data: { kicked: true, by: instance } }),
      money: async (order, { id }) => {
        const { target } = order;
        if (target === HANGING) {
          tell({ event: 'hangs', server, id });
          await new Promise<void>((resolve) => hanging.add(resolve));
        }
        if (!banks.has(target)) banks.set(target, OPENING_BALANCE);
        const outcome = pay(banks, order);
        return { ...outcome, data: { ...outcome.data, by: instance } };
      },
    },
    players: { snapshot: () => [] },
  }).start();
};

process.on('message', (order: GameOrder) => {
  if (order.order === 'open') return open(order);
  for (const release of hanging) release();
  hanging.clear();
});
process.on('disconnect', () => process.exit());
