import { simulate } from '../simulator/simulate.ts';

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
/** Reports the effects of commands after a given ledger line; only this process can open the world's file. */
process.on('message', (after: number) => {
  process.send?.({ lines: simulation.world.commandLines(after), audit: simulation.world.audit() });
});
process.on('SIGTERM', () => {
  simulation.stop().then(
    () => process.exit(0),
    () => process.exit(1),
  );
});
