import type { Scenario } from './scenario.ts';
import { idles } from './scenarios/idle.ts';
import { players } from './scenarios/players.ts';
import { type Measured, measureRoundTrip } from './scenarios/round-trip.ts';
import { storms } from './scenarios/storm.ts';
import { sync } from './scenarios/sync.ts';
import { webhooks } from './scenarios/webhooks.ts';
import { round } from './statistics.ts';

const PEERS = ['limit', 'by-hand-frozen', 'express-socketio'];
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

type Kind = { command: 'kick' | 'money'; callers: number; bridges: number };

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

const roundTrip = ({ command, callers, bridges }: Kind): Scenario => ({
  name: `${command}, callers ${callers}, bridges ${bridges}`,
  about: `${command === 'kick' ? 'Kicks' : 'Payments'} from ${counted(callers, 'caller')} to ${counted(bridges, 'bridge')}.`,
  isQuick: callers === 64 && bridges === 1,
  run: async ({ isQuick, isPinned, fsyncUs }) => {
    const { causeway, ...peers } = await measureRoundTrip({
      command,
      callers,
      bridges,
      isPinned,
      contestants: ['causeway', ...(isQuick ? QUICK_PEERS : PEERS)],
      rounds: isQuick ? 3 : 5,
      roundMs: isQuick ? 700 : 2_000,
    });
    if (causeway === undefined) throw new Error('our own hub was not measured');
    const ofOne = command === 'money' && callers === 1 ? alone(causeway, peers['limit'], fsyncUs) : {};
    return { ours: causeway, peers, ratios: { ...ratiosOf(causeway, peers), ...ofOne } };
  },
});

const CALLERS = [1, 16, 64, 256];
const BRIDGES = [1, 100];

const roundTrips = (['kick', 'money'] as const).flatMap((command) =>
  BRIDGES.flatMap((bridges) => CALLERS.map((callers) => roundTrip({ command, callers, bridges }))),
);

/** Commands on PostgreSQL, beside the same hub on SQLite and the bound of the runtime. */
const onPostgres = (['kick', 'money'] as const).map(
  (command): Scenario => ({
    name: `PostgreSQL, ${command}, callers 64, bridges 1`,
    about: `${command === 'kick' ? 'Kicks' : 'Payments'} on the PostgreSQL server of BENCH_POSTGRES_URL, from 64 callers to 1 bridge.`,
    isQuick: false,
    run: async ({ isPinned }) => {
      if (process.env['BENCH_POSTGRES_URL'] === undefined) {
        process.stderr.write('bench: PostgreSQL was not measured, for BENCH_POSTGRES_URL is not set\n');
        return { ours: {}, peers: {}, ratios: {} };
      }
      const {
        'causeway-postgres': ours,
        causeway,
        limit,
      } = await measureRoundTrip({
        command,
        callers: 64,
        bridges: 1,
        isPinned,
        contestants: ['causeway-postgres', 'causeway', 'limit'],
        rounds: 5,
        roundMs: 2_000,
      });
      if (ours === undefined || causeway === undefined || limit === undefined)
        throw new Error('a program was not measured');
      const peers = { 'causeway on SQLite': causeway, limit };
      return { ours, peers, ratios: ratiosOf(ours, peers) };
    },
  }),
);

export const SCENARIOS: readonly Scenario[] = [
  ...roundTrips,
  ...onPostgres,
  players,
  sync,
  ...idles,
  ...storms,
  ...webhooks,
];
