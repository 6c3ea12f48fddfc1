import { simulate } from '../simulator/simulate.ts';
import { SIMULATED_GOODS } from './offers.ts';
import { reportOf } from './stock.ts';

const [url = '', token = '', worldFile = ''] = process.argv.slice(2);

/** The simulated game server; it reconnects sooner than a real one. */
const simulation = simulate({
  url,
  token,
  players: 12,
  worldFile,
  lifeEveryMs: 50,
  timings: { reconnectBaseMs: 20, reconnectMaxMs: 200, stableMs: 1_000 },
  log: (level, message) => process.stderr.write(`${level} ${message}\n`),
  onState: (state) => process.stderr.write(`${state}\n`),
});
/**
 * Reports the effects of commands after a given ledger line, and the goods of all players; only this process can open the
 * world's file.
 */
process.on('message', (after: number) => {
  process.send?.(reportOf(simulation.world, after, SIMULATED_GOODS.items));
});
process.on('SIGTERM', () => {
  simulation.stop().then(
    () => process.exit(0),
    () => process.exit(1),
  );
});
