import { setTimeout as sleep } from 'node:timers/promises';
import { percentile } from '../statistics.ts';
import { connectCauseway, type Identity, newIdentity } from './bridges.ts';
import { connectRaw, type RawClient, type Refused } from './raw-websocket.ts';

/** One bridge of a herd before its connection. `onClose` is called at any end of its connection. */
export type Dial = {
  port: number;
  server: string;
  token: string;
  identity: Identity;
  address?: string;
  onClose: () => void;
};

type Kind = (dial: Dial) => Promise<RawClient>;

const connectPlain: Kind = ({ server, ...dial }) =>
  connectRaw({ ...dial, path: '/bridge', headers: { 'X-Server': server }, onText: () => undefined });

/** The parts of Engine.IO 4 and Socket.IO 5 that a connection with heartbeats needs. */
const connectSocketIo: Kind = ({ server, onClose, ...dial }) =>
  new Promise((resolve, reject) => {
    const onText = (text: string, client: RawClient): void => {
      if (text === '2') client.say('3');
      else if (text.startsWith('0')) client.say(`40${JSON.stringify({ server })}`);
      else if (text.startsWith('40')) resolve(client);
    };
    connectRaw({
      ...dial,
      path: '/socket.io/?EIO=4&transport=websocket',
      onText,
      onClose: () => {
        reject(new Error('closed before it was connected'));
        onClose();
      },
    }).catch(reject);
  });

/** Connects one bridge of a herd with less code than the clients that answer commands. Resolves when it is welcomed. */
const HERD_KINDS = {
  causeway: connectCauseway,
  json: connectPlain,
  'socket.io': connectSocketIo,
} satisfies Record<string, Kind>;
export type HerdKind = keyof typeof HERD_KINDS;

export type GatherPlan = {
  kind: HerdKind;
  servers: readonly string[];
  tokens: readonly string[];
  /** Loopback address to call from. */
  address?: string;
} & Dialling;

export type Dialling = {
  port: number;
  /** Number of bridges that dial at the same time. */
  atOnce: number;
  /** A bridge that is not welcomed by then counts as failed, ms. */
  withinMs: number;
};

export type Gathered = {
  welcomed: number;
  /** Answers with `Retry-After`, which the bridges obeyed. */
  refused: number;
  /** Attempts that failed in any other way: messages with their counts. */
  errors: Record<string, number>;
  /** The time of each welcome, ms after the start. */
  p50Ms: number;
  p99Ms: number;
  lastMs: number;
  /** This process's use of its core; near 1, the measurement shows this process and not the server. */
  cpu: number;
};

type Bridge = { server: string; token: string; identity: Identity };

const BACKOFF_MS = 500;
const LONGEST_BACKOFF_MS = 30_000;

/**
 * How long a bridge waits after a failure, as the protocol requires: a random time, so that bridges do not reconnect
 * together.
 */
const waitAfter = ({ retryAfterS }: Refused, failures: number): number =>
  retryAfterS === undefined
    ? Math.random() * Math.min(LONGEST_BACKOFF_MS, BACKOFF_MS * 2 ** failures)
    : retryAfterS * 1_000 + Math.random() * Math.max(1_000, Math.min(LONGEST_BACKOFF_MS, retryAfterS * 500));

/** Many idle bridges in one process: they only answer heartbeats. */
export const createHerd = () => {
  const herd: Bridge[] = [];
  let kind: HerdKind = 'causeway';
  let address: string | undefined;
  let held = 0;

  const dial = async ({ server, token, identity }: Bridge, port: number): Promise<void> => {
    let isIn = false;
    const onClose = (): void => {
      if (isIn) held -= 1;
      isIn = false;
    };
    const from = address === undefined ? {} : { address };
    await HERD_KINDS[kind]({ port, server, token, identity, ...from, onClose });
    isIn = true;
    held += 1;
  };

  const welcomeAll = async (bridges: readonly Bridge[], { port, atOnce, withinMs }: Dialling): Promise<Gathered> => {
    const cpu = process.cpuUsage();
    const start = performance.now();
    const isOver = (): boolean => performance.now() - start > withinMs;
    const times: number[] = [];
    const errors: Record<string, number> = {};
    let refused = 0;

    const bringIn = async (bridge: Bridge): Promise<void> => {
      for (let failures = 0; !isOver(); failures += 1) {
        try {
          await dial(bridge, port);
          times.push(performance.now() - start);
          return;
        } catch (error) {
          const reason = error as Refused;
          if (reason.retryAfterS === undefined) errors[reason.message] = (errors[reason.message] ?? 0) + 1;
          else refused += 1;
          await sleep(waitAfter(reason, failures));
        }
      }
    };
    const queue = bridges.values();
    const lane = async (): Promise<void> => {
      for (const bridge of queue) await bringIn(bridge);
    };
    const lanes = Array.from({ length: Math.min(atOnce, bridges.length) }, lane);
    await Promise.race([Promise.all(lanes), sleep(withinMs, undefined, { ref: false })]);
    const { user, system } = process.cpuUsage(cpu);
    return {
      welcomed: times.length,
      refused,
      errors,
      p50Ms: percentile(times, 0.5),
      p99Ms: percentile(times, 0.99),
      lastMs: times.at(-1) ?? 0,
      cpu: (user + system) / 1_000 / (performance.now() - start),
    };
  };

  return {
    /** Adds bridges and connects them; resolves when the last one is welcomed. */
    gather: (plan: GatherPlan): Promise<Gathered> => {
      kind = plan.kind;
      address = plan.address;
      const more = plan.servers.map((server, n) => ({ server, token: plan.tokens[n] ?? '', identity: newIdentity() }));
      herd.push(...more);
      return welcomeAll(more, plan);
    },
    /** All bridges dial again with their own tokens. */
    comeBack: (dialling: Dialling): Promise<Gathered> => welcomeAll(herd, dialling),
    /** Number of connected bridges. */
    held: (): number => held,
  };
};
