import { simulate } from '../simulator/simulate.ts';

const [url = '', token = '', worldFile = ''] = process.argv.slice(2);

/** The simulated game server, which comes back faster than a real one has to. */
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
/** Tells what commands did to the money after a line of the ledger; the world's file is locked for others. */
process.on('message', (after: number) => {
  process.send?.({ lines: simulation.world.commandLines(after), audit: simulation.world.audit() });
});
process.on('SIGTERM', () => {
  simulation.stop().then(
    () => process.exit(0),
    () => process.exit(1),
  );
});
