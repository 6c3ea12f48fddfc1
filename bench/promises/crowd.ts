import { createBridge } from '../../bridge-protocol/client/bridge.ts';
import { openWebSocket } from '../../bridge-protocol/ws.ts';
import { openWorld } from '../../simulator/world.ts';
import { telling } from './telling.ts';

const [url = '', token = '', file = '', players = ''] = process.argv.slice(2);

const world = openWorld({ file, players: Number(players) });

/** A game server with many players, and with journal and balances in one transaction. */
createBridge({
  openSocket: telling('main', openWebSocket({ url, token })),
  software: { name: 'promises', version: '1.0.0' },
  journal: world.journal,
  accounts: ['bank', 'cash', 'black_money'],
  commands: { money: world.commands.money, kick: () => ({ status: 'done', data: { kicked: true } }) },
  players: { snapshot: world.players, read: world.player },
}).start();

process.on('message', () => process.send?.({ event: 'lines', lines: world.commandLines(0), audit: world.audit() }));
process.on('disconnect', () => process.exit());
