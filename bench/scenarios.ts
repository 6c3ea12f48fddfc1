import type { OtherNode } from './machine.ts';
import type { Scenario } from './scenario.ts';
import { games } from './scenarios/game.ts';
import { growths } from './scenarios/growth.ts';
import { idles } from './scenarios/idle.ts';
import { natives } from './scenarios/native.ts';
import { players } from './scenarios/players.ts';
import { type Measured, measureRoundTrip, rowOn } from './scenarios/round-trip.ts';
import { storms } from './scenarios/storm.ts';
import { sync } from './scenarios/sync.ts';
import { round } from './statistics.ts';

const PEERS = [
  'limit',
  'by-hand',
  'by-hand-frozen',
  'express-socketio',
  'express-socketio-bare',
  'fastify-ocpp',
  'fastify-ws',
  'birpc',
];
/** The contestants that support money. */
const DURABLE_PEERS = ['limit', 'by-hand', 'by-hand-frozen', 'express-socketio'];
/** The contestants that read an idempotency key, and the bound. */
const KEYED_PEERS = ['limit', 'by-hand', 'by-hand-frozen'];
const QUICK_PEERS = ['limit', 'express-socketio'];

const ratiosOf = (ours: Measured, peers: Record<string, Measured>): Record<string, number> =>
  Object.fromEntries(
    Object.entries(peers).flatMap(([name, peer]) => [
      [`rate / ${name}`, round(ours.perSecond / Math.max(1, peer.perSecond), 2)],
      [`p99 / ${name}`, round(ours.p99Us / Math.max(1, peer.p99Us), 2)],
    ]),
  );

/** The share of each contestant's figures on the bench's own Node.js in those on the other one. */
const gainsOf = (measured: Record<string, Measured>, other: OtherNode): Record<string, number> =>
  Object.fromEntries(
    Object.entries(measured).flatMap(([name, here]) => {
      const there = measured[rowOn(name, other)];
      return there === undefined
        ? []
        : [
            [`${name}: rate / on ${other.version}`, round(here.perSecond / Math.max(1, there.perSecond), 2)],
            [`${name}: cpuUs / on ${other.version}`, round(here.cpuUs / Math.max(0.1, there.cpuUs), 2)],
          ];
    }),
  );

/** A single caller waits for two durable writes; on a fast runtime they are nearly all of the time. */
const alone = (ours: Measured, limit: Measured | undefined, fsyncUs: number): Record<string, number> =>
  limit === undefined ? {} : { 'p50 / (limit and two fsyncs)': round(ours.p50Us / (limit.p50Us + 2 * fsyncUs), 2) };

type Kind = { command: 'kick' | 'money'; isKeyed?: boolean; callers: number; bridges: number };

const peersOf = ({ command, isKeyed = false }: Kind): readonly string[] => {
  if (isKeyed) return KEYED_PEERS;
  return command === 'kick' ? PEERS : DURABLE_PEERS;
};

const nameOf = ({ command, isKeyed = false, callers, bridges }: Kind): string =>
  `${command}${isKeyed ? ' with keys' : ''}, callers ${callers}, bridges ${bridges}`;

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

const aboutOf = ({ command, isKeyed = false, callers, bridges }: Kind): string => {
  const what = command === 'kick' ? 'Kicks' : 'Payments';
  const keys = isKeyed ? ', each with an idempotency key of its own' : '';
  return `${what}${keys}, from ${counted(callers, 'caller')} to ${counted(bridges, 'bridge')}.`;
};

const roundTrip = (kind: Kind): Scenario => ({
  name: nameOf(kind),
  about: aboutOf(kind),
  isQuick: kind.callers === 64 && kind.bridges === 1 && kind.isKeyed !== true,
  run: async ({ isQuick, isPinned, fsyncUs, other }) => {
    const { command, isKeyed = false, callers, bridges } = kind;
    const contestants = ['causeway', ...(isQuick ? QUICK_PEERS : peersOf(kind))];
    const { causeway, ...others } = await measureRoundTrip({
      command,
      isKeyed,
      callers,
      bridges,
      isPinned,
      contestants,
      ...(other && { other }),
      rounds: isQuick ? 3 : 5,
      roundMs: isQuick ? 700 : 2_000,
    });
    if (causeway === undefined) throw new Error('our own hub was not measured');
    const ofOne = command === 'money' && callers === 1 ? alone(causeway, others['limit'], fsyncUs) : {};
    const peers = Object.fromEntries(Object.entries(others).filter(([name]) => contestants.includes(name)));
    const gains = other === undefined ? {} : gainsOf({ causeway, ...others }, other);
    return { ours: causeway, peers: others, ratios: { ...ratiosOf(causeway, peers), ...ofOne, ...gains } };
  },
});

const CALLERS = [1, 16, 64, 256];
const BRIDGES = [1, 100];

const roundTrips = (['kick', 'money'] as const).flatMap((command) =>
  BRIDGES.flatMap((bridges) => CALLERS.map((callers) => roundTrip({ command, callers, bridges }))),
);

const keyed = BRIDGES.map((bridges) => roundTrip({ command: 'money', isKeyed: true, callers: 64, bridges }));

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
        isKeyed: false,
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
  ...keyed,
  ...onPostgres,
  players,
  sync,
  ...growths,
  ...idles,
  ...storms,
  ...games,
  ...natives,
];
