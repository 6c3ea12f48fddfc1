import { createBridge } from '../../bridge-protocol/client/bridge.ts';
import { openWebSocket } from '../../bridge-protocol/ws.ts';
import { openWorld } from '../../simulator/world.ts';
import { telling } from './telling.ts';

const [url = '', token = '', file = ''] = process.argv.slice(2);
const PLAYERS = 64;
const TAKES_AT_LEAST_MS = 250;
const TAKES_AT_MOST_MS = 500;

const world = openWorld({ file, players: PLAYERS });

/**
 * A game server with journal and balances in one transaction. Its payments are slow, so that it can be killed during
 * one.
 */
createBridge({
  openSocket: telling('main', openWebSocket({ url, token })),
  software: { name: 'promises', version: '1.0.0' },
  journal: world.journal,
  accounts: ['bank', 'cash', 'black_money'],
  commands: {
    money: async (params, context) => {
      const takesMs = TAKES_AT_LEAST_MS + Math.random() * (TAKES_AT_MOST_MS - TAKES_AT_LEAST_MS);
      await new Promise((resolve) => setTimeout(resolve, takesMs));
      return world.commands.money(params, context);
    },
  },
  players: { snapshot: world.players, read: world.player },
}).start();

process.on('message', () => process.send?.({ event: 'lines', lines: world.commandLines(0), audit: world.audit() }));
process.on('disconnect', () => process.exit());
