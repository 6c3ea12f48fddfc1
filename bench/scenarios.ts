import type { Scenario } from './scenario.ts';
import { games } from './scenarios/game.ts';
import { growths } from './scenarios/growth.ts';
import { idles } from './scenarios/idle.ts';
import { natives } from './scenarios/native.ts';
import { players } from './scenarios/players.ts';
import { type Measured, measureRoundTrip } from './scenarios/round-trip.ts';
import { storms } from './scenarios/storm.ts';
import { sync } from './scenarios/sync.ts';
import { round } from './statistics.ts';

const PEERS = ['limit', 'by-hand', 'express-socketio', 'express-socketio-bare', 'fastify-ocpp', 'fastify-ws', 'birpc'];
/** The contestants that support money. */
const DURABLE_PEERS = ['limit', 'by-hand', 'express-socketio'];
const QUICK_PEERS = ['limit', 'express-socketio'];

const ratiosOf = (ours: Measured, peers: Record<string, Measured>): Record<string, number> =>
  Object.fromEntries(
    Object.entries(peers).flatMap(([name, peer]) => [
      [`rate / ${name}`, round(ours.perSecond / Math.max(1, peer.perSecond), 2)],
      [`p99 / ${name}`, round(ours.p99Us / Math.max(1, peer.p99Us), 2)],
    ]),
  );

/** A single caller waits for two durable writes; on a fast runtime they are nearly all of the time. */
const alone = (ours: Measured, limit: Measured | undefined, fsyncUs: number): Record<string, number> =>
  limit === undefined ? {} : { 'p50 / (limit and two fsyncs)': round(ours.p50Us / (limit.p50Us + 2 * fsyncUs), 2) };

const roundTrip = (command: 'kick' | 'money', callers: number, bridges: number): Scenario => ({
  name: `${command}, callers ${callers}, bridges ${bridges}`,
  isQuick: callers === 64 && bridges === 1,
  run: async ({ isQuick, isPinned, fsyncUs }) => {
    const peers = isQuick ? QUICK_PEERS : command === 'kick' ? PEERS : DURABLE_PEERS;
    const { causeway, ...others } = await measureRoundTrip({
      command,
      callers,
      bridges,
      isPinned,
      contestants: ['causeway', ...peers],
      rounds: isQuick ? 3 : 5,
      roundMs: isQuick ? 700 : 2_000,
    });
    if (causeway === undefined) throw new Error('our own hub was not measured');
    const ofOne = command === 'money' && callers === 1 ? alone(causeway, others['limit'], fsyncUs) : {};
    return { ours: causeway, peers: others, ratios: { ...ratiosOf(causeway, others), ...ofOne } };
  },
});

const CALLERS = [1, 16, 64, 256];
const BRIDGES = [1, 100];

const roundTrips = (['kick', 'money'] as const).flatMap((command) =>
  BRIDGES.flatMap((bridges) => CALLERS.map((callers) => roundTrip(command, callers, bridges))),
);

export const SCENARIOS: readonly Scenario[] = [
  ...roundTrips,
  players,
  sync,
  ...growths,
  ...idles,
  ...storms,
  ...games,
  ...natives,
];
