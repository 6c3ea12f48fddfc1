import { hostname } from 'node:os';
import * as z from 'zod';
import packageJson from '../../package.json' with { type: 'json' };
import { useFaultWords } from './fields.ts';
import { REACH_FORM, readReach } from './reach.ts';

/** The version of this program, as its package says. */
export const VERSION: string = packageJson.version;

const wholeNumber = (fallback: number, min: number, max: number) => {
  const error = `must be a whole number from ${min} to ${max}; without it ${fallback} is used`;
  // Decimal digits only: a text such as 8e3 or 0x50 is a slip.
  const digits = z.string({ error }).regex(/^\d{1,10}$/, { error });
  return digits.transform(Number).pipe(z.number().min(min, { error }).max(max, { error })).default(fallback);
};
const ms = (fallback: number, min = 1, max = 3_600_000) => wholeNumber(fallback, min, max);
const amount = (fallback: number, max = 10_000_000) => wholeNumber(fallback, 1, max);
const flag = z
  .enum(['true', 'false', '1', '0'], { error: 'must be true or false' })
  .default('false')
  .transform((value) => value === 'true' || value === '1');

const UNIT_MS: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** All settings, by environment variable. Times in milliseconds. */
export const configSchema = z.object({
  PORT: wholeNumber(8080, 0, 65_535),
  HOST: z.string().min(1).default('127.0.0.1'),
  DATABASE_URL: z
    .string()
    .regex(/^(file:.|postgres(ql)?:\/\/.)/, 'must begin with file: or postgres://')
    .regex(
      /^(?!file:(?:\/\/)?:memory:)/,
      'must name a file, such as file:causeway.db: a hub in memory would lose every command',
    )
    .default('file:causeway.db'),
  DATABASE_CONNECTIONS: amount(10, 1_000),
  /** Several addresses of one NATS cluster with commas between them. */
  NATS_URL: z
    .string()
    .regex(/^(nats|tls):\/\/.+/, 'must begin with nats:// or tls://')
    .optional(),
  PUBLIC_URL: z
    .url({ protocol: /^https?$/ })
    .refine((text) => !/^[^/]*\/\/[^/?#]*@/.test(text), 'must have no user name and no password in it')
    // The panel's cookie is for the whole host (`__Host-`, RFC 6265bis), so a hub cannot be served under a path.
    .refine(
      (text) => /^https?:\/\/[^/?#]*\/?$/.test(text),
      'must be an origin without a path, such as https://hub.example.com',
    )
    .transform((text) => text.replace(/\/$/, ''))
    .optional(),
  /** Number of trusted proxies; the client's address is that many places from the end of X-Forwarded-For. */
  TRUST_PROXY: wholeNumber(0, 0, 10),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  METRICS_TOKEN: z.string().min(16).optional(),
  /** Seals secrets that the hub needs in clear; the same on all nodes. */
  SECRET_KEY: z.string().min(32, 'must have at least 32 characters, such as those of openssl rand -hex 32').optional(),
  /** Hosts, addresses and ranges that webhooks may reach besides the public internet, also by http. */
  WEBHOOKS_MAY_REACH: z
    .string()
    .refine((text) => readReach(text) !== undefined, REACH_FORM)
    .optional(),
  NODE_NAME: z
    .string()
    .regex(/^[A-Za-z0-9_.-]{1,64}$/)
    .default(
      () =>
        hostname()
          .replaceAll(/[^A-Za-z0-9_.-]/g, '-')
          .slice(0, 64) || 'hub',
    ),
  /** An existing folder. */
  BACKUP_FOLDER: z.string().min(1).optional(),
  BACKUP_EVERY: z
    .string()
    .regex(/^[1-9]\d{0,3}[mhd]$/, 'must be a number of minutes, hours or days, such as 30m, 12h or 1d')
    .default('1d')
    .transform((text) => Number.parseInt(text, 10) * (UNIT_MS[text.slice(-1)] ?? 0)),
  BACKUP_KEEP: wholeNumber(7, 1, 1_000),
  /** How long events are kept, in projects that keep them. */
  EVENTS_KEEP_DAYS: wholeNumber(7, 1, 90),
  MIGRATE_ON_START: flag.prefault('true'),
  COMMAND_WAIT_MS: ms(10_000, 1, 60_000),
  SHUTDOWN_GRACE_MS: ms(10_000),
  MAX_BRIDGES: amount(50_000),
  ADMISSIONS_PER_SECOND: amount(200),
});
export type Config = z.infer<typeof configSchema>;

/** Whether only programs of the same machine reach a hub that listens on this address. */
export const isLoopbackHost = (host: string): boolean => /^(127\.|::1$|localhost$)/.test(host);

/** A setting that is not valid; the message names it. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

/** Reads the environment. Empty variables count as absent. @throws ConfigError with all wrong variables */
export const readConfig = (environment: Record<string, string | undefined>): Config => {
  useFaultWords();
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const parsed = configSchema.safeParse(given);
  if (parsed.success) {
    const { DATABASE_URL, NATS_URL } = parsed.data;
    const isFile = DATABASE_URL.startsWith('file:');
    if (parsed.data.BACKUP_FOLDER !== undefined && !isFile) {
      throw new ConfigError(
        'BACKUP_FOLDER: the hub copies SQLite files only; remove the variable and use pg_dump for PostgreSQL.',
      );
    }
    if (NATS_URL !== undefined && isFile) {
      throw new ConfigError(
        'NATS_URL: several nodes need a database server; set DATABASE_URL to postgres://… as well.',
      );
    }
    return parsed.data;
  }
  const lines = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  throw new ConfigError(lines.join('; '));
};

/** The address of a hub; an IPv6 address stands in brackets. */
export const urlOf = (host: string, port: number): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`;

/**
 * Times and limits of a hub that operators need not change. Code that starts a hub can pass others, as tests and
 * measurements do. Times in milliseconds, sizes in bytes.
 */
export const TUNING = {
  /** The longest wait for a fresh player record of a game server; a caller then gets the stored one. */
  playerReadTimeoutMs: 3_000,
  /** The longest wait for a `hello`: several round trips on a bad line. */
  helloTimeoutMs: 5_000,
  /** After its `welcome`, a bridge announces its custom commands within this; the hub may need longer to read them. */
  announcedWithinMs: 5_000,
  /** After its `welcome`, a bridge may announce custom commands for this long: resources start later. */
  offeredWithinMs: 60_000,
  /** Time between two pings. A bridge reconnects when it has heard nothing for 40 seconds, so at most 30,000. */
  pingEveryMs: 15_000,
  /** A bridge that says nothing for `pingEveryMs` plus this is closed (4001): it is gone before the bridge gives up. */
  pingTimeoutMs: 10_000,
  /** A command unconfirmed for this long makes the hub ping at once; a healthy bridge confirms within 20 ms. */
  receivedProbeMs: 2_000,
  /** A command unconfirmed for this long closes the bridge (4008): before the caller's ten seconds are over. */
  receivedCloseMs: 5_000,
  /** A bridge that takes nothing off its socket for this long is closed (4003). */
  slowConsumerMs: 10_000,
  /** A bridge with more unsent bytes than this is closed (4003): a full window of commands is far smaller. */
  slowConsumerBytes: 1_048_576,
  /** A bridge over its budget for this long is closed (4006): the sync of a full server stays well below it. */
  overBudgetMs: 30_000,
  /** Deadlines are checked at this interval: the precision of all the times above, for little CPU. */
  sweepEveryMs: 250,
  /** The hub looks for overdue commands, unfinished batches and planned runs at this interval. */
  lookEveryMs: 1_000,
  /** The hub looks at this interval for what it was not told: a waiting command whose rest is over, work of a dead node. */
  waitingCheckMs: 5_000,
  /** The hub reads what the command line has changed at this interval: a revoked token is out in 1 s. */
  revocationCheckMs: 500,
  /** Every node has noticed a change of a project or server by then: it trusts a key for 900 ms. */
  noticedWithinMs: 1_500,
  /** A stopping node serves at least this long while `/readyz` says 503: a proxy checks every second or two. */
  shutdownNoticeMs: 3_000,
  /** Connects of one game server: one every two seconds is a bridge that reconnects in a loop. */
  connectsPerMinute: 30,
  /** Wrong keys, tokens or cookies from one address before it is refused unread: far too few to guess a secret. */
  wrongKeysPerMinute: 30,
  /** Refused requests without a good key or signature from one address: pages that do not exist, too. */
  keylessPerMinute: 600,
  /** The hub checks at this interval whether a backup is due. */
  backupCheckMs: 30_000,
  /** Least time from the start to a backup that is due, five times as long at most: first the bridges come back. */
  backupDelayMs: 60_000,
  /** The hub looks for shop orders that another process has left at this interval; its own start at once. */
  shopCheckMs: 2_000,
  /** The longest wait of an export for another one of its project, before it is refused. */
  exportWaitMs: 10_000,
  /** The longest wait of a search through all players for another one of its project, before it is refused. */
  scanWaitMs: 5_000,
  /** A game server that is away for less is not told to be offline: it was restarted, or its bridge reconnected. */
  offlineAfterMs: 30_000,
  /** Open event streams of one project: a tab of the panel holds one. */
  maxEventStreams: 50,
  /** HTTP connections beside the bridges: each takes a file descriptor and some memory. */
  maxHttpConnections: 10_000,
};
export type Tuning = Readonly<typeof TUNING>;
