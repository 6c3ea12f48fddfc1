import * as z from 'zod/mini';

/** The WebSocket subprotocol; the version of the protocol is part of it. */
export const SUBPROTOCOL = 'causeway.v1';
/** `hello.protocol` of this version. */
export const PROTOCOL_VERSION = 1;

/** Every bound of the wire, in one place. Sizes in bytes or UTF-16 code units, times in milliseconds. */
export const LIMITS = {
  /** One frame, either direction, UTF-8 encoded. */
  frameBytes: 256 * 1024,
  /** How deep objects and arrays may be nested in a frame. */
  nesting: 64,
  identifierLength: 128,
  nameLength: 128,
  reasonLength: 512,
  identifiersPerPlayer: 32,
  accountsPerPlayer: 64,
  inventorySlots: 1024,
  vehiclesPerPlayer: 512,
  playersPerFrame: 1000,
  openCommands: 2048,
  /** Commands one bridge works on at a time. */
  inFlight: 32,
  helloTimeoutMs: 5_000,
  pingEveryMs: 15_000,
  /** After a missing answer for this long (on top of `pingEveryMs`) the hub closes 4001. */
  pingTimeoutMs: 10_000,
  /** A bridge that has heard nothing for this long reconnects. */
  bridgeSilenceMs: 40_000,
  /** `received` is coalesced for at most this long. */
  receivedWithinMs: 20,
  statusEveryMs: 15_000,
  /** How long a bridge keeps the ids of executed commands. */
  journalRetentionMs: 14 * 24 * 60 * 60 * 1000,
} as const;

/** A player's own or linked identifier: `char1:5f3a…`, `ABC12345`, `license:…`. */
export const IDENTIFIER_PATTERN = /^[A-Za-z0-9:_.@-]{1,128}$/;
/** An account type: `bank`, `cash`, `black_money`. */
export const ACCOUNT_PATTERN = /^[A-Za-z0-9_.-]{1,64}$/;

const identifier = z.string().check(z.regex(IDENTIFIER_PATTERN));
const account = z.string().check(z.regex(ACCOUNT_PATTERN));
const text = (max: number) => z.string().check(z.maxLength(max));
const count = z.int().check(z.nonnegative());
const commandId = z.string().check(z.minLength(1), z.maxLength(64));
/** Lua has one kind of table, and FXServer writes an empty one as `[]`: read it as an empty object. */
const record = <V extends z.core.SomeType>(value: V) =>
  z.pipe(
    z.transform((input: unknown) => (Array.isArray(input) && input.length === 0 ? {} : input)),
    z.record(text(64), value),
  );
const metadata = record(z.unknown());

/** One slot of an inventory. `slot` is sparse and chosen by the game. */
export const inventoryItem = z.object({
  slot: count,
  name: text(128),
  label: text(128),
  count,
  metadata,
});

/** One vehicle a player owns. */
export const vehicle = z.object({
  plate: text(32),
  model: text(128),
  label: text(128),
  stored: z.boolean(),
  garage: z.nullable(text(128)),
  metadata,
});

/** Balances by account type. Negative ones exist in some frameworks and are shown as they are. */
const accounts = record(z.int());

/** A player as a bridge reports it. A player that is not `online: true` is offline. */
export const player = z.object({
  identifier,
  name: text(LIMITS.nameLength),
  online: z._default(z.boolean(), false),
  identifiers: z._default(z.array(identifier).check(z.maxLength(LIMITS.identifiersPerPlayer)), []),
  accounts: z._default(accounts, {}),
  inventory: z._default(z.array(inventoryItem).check(z.maxLength(LIMITS.inventorySlots)), []),
  vehicles: z._default(z.array(vehicle).check(z.maxLength(LIMITS.vehiclesPerPlayer)), []),
  metadata: z._default(metadata, {}),
});
export type Player = z.infer<typeof player>;

/** Codes a bridge may give for a command it did not (fully) carry out. */
export const COMMAND_ERROR_CODES = [
  'player_not_found',
  'player_offline',
  'insufficient_funds',
  'unknown_account',
  'invalid_params',
  'unsupported',
  'server_restarting',
  'journal_unavailable',
  'fingerprint_mismatch',
  'internal_error',
] as const;
export type CommandErrorCode = (typeof COMMAND_ERROR_CODES)[number];

export const commandError = z.object({
  /** One of {@link COMMAND_ERROR_CODES}; the hub reads one it does not know as `internal_error`. */
  code: text(64),
  message: text(1024),
  details: z.optional(metadata),
});
export type CommandError = z.infer<typeof commandError>;

/**
 * What a bridge promises about an effect. `atomic`: journal and balance in one transaction. `durable`: started,
 * durable effect, done. `saved`: framework memory changed, save forced, then done. `volatile`: saved minutes later.
 */
export const journalClass = z.enum(['atomic', 'durable', 'saved', 'volatile']);
export type JournalClass = z.infer<typeof journalClass>;

/** How a command ended at the bridge. */
export const outcomeStatus = z.enum(['done', 'failed', 'rejected', 'voided', 'indeterminate']);
export type OutcomeStatus = z.infer<typeof outcomeStatus>;

export const databaseState = z.object({
  engine: text(32),
  status: z.enum(['pass', 'warn', 'fail']),
  latencyMs: z.optional(z.number().check(z.nonnegative())),
});

export const hello = z.object({
  type: z.literal('hello'),
  protocol: z.int(),
  instance: z.string().check(z.minLength(1), z.maxLength(64)),
  software: z.object({
    name: text(64),
    version: text(64),
    game: z.optional(text(64)),
    framework: z.optional(text(64)),
  }),
  commands: z.array(text(64)).check(z.maxLength(256)),
  accounts: z.array(account).check(z.maxLength(LIMITS.accountsPerPlayer)),
  journal: z.object({
    class: journalClass,
    id: z.string().check(z.minLength(1), z.maxLength(64)),
    sequence: count,
  }),
  open: z._default(
    z
      .array(z.object({ id: commandId, status: z.union([outcomeStatus, z.literal('started')]) }))
      .check(z.maxLength(LIMITS.openCommands)),
    [],
  ),
  limits: z._default(z.object({ inFlight: z._default(z.int().check(z.positive()), LIMITS.inFlight) }), {
    inFlight: LIMITS.inFlight,
  }),
});

export const received = z.object({
  type: z.literal('received'),
  ids: z.array(commandId).check(z.maxLength(1024)),
});

export const result = z.object({
  type: z.literal('result'),
  id: commandId,
  status: outcomeStatus,
  data: z.optional(metadata),
  error: z.optional(commandError),
  sequence: z.optional(count),
});

const players = z.array(player).check(z.maxLength(LIMITS.playersPerFrame));
const identifiers = z.array(identifier).check(z.maxLength(LIMITS.playersPerFrame));

export const playersSnapshot = z.object({
  type: z.literal('players.snapshot'),
  revision: count,
  part: count,
  last: z.boolean(),
  players,
});

export const playersChanged = z.object({
  type: z.literal('players.changed'),
  revision: count,
  players: z._default(players, []),
  offline: z._default(identifiers, []),
  removed: z._default(identifiers, []),
});

export const playersRecord = z.object({
  type: z.literal('players.record'),
  id: commandId,
  player: z.optional(player),
  error: z.optional(commandError),
});

export const status = z.object({
  type: z.literal('status'),
  players: z.optional(z.object({ online: count, max: z.optional(count) })),
  database: z.optional(databaseState),
  tickMs: z.optional(z.number().check(z.nonnegative())),
  draining: z.optional(z.boolean()),
});

export const ping = z.object({ type: z.literal('ping'), n: count, now: z.int() });
export const pong = z.object({ type: z.literal('pong'), n: count, now: z.int() });
export const bye = z.object({ type: z.literal('bye'), reason: z.optional(text(512)) });
export const error = z.object({
  type: z.literal('error'),
  re: z.optional(text(64)),
  code: text(64),
  message: text(1024),
});

/** Everything a bridge may say. Unknown fields are dropped. */
export const bridgeMessage = z.discriminatedUnion('type', [
  hello,
  received,
  result,
  playersSnapshot,
  playersChanged,
  playersRecord,
  status,
  pong,
  bye,
  error,
]);
export type BridgeMessage = z.infer<typeof bridgeMessage>;

export const welcome = z.object({
  type: z.literal('welcome'),
  session: text(64),
  epoch: z.int(),
  now: z.int(),
  ping: z.object({ everyMs: z.int(), timeoutMs: z.int() }),
  limits: z.object({ frameBytes: z.int(), inFlight: z.int() }),
});

export const command = z.object({
  type: z.literal('command'),
  id: commandId,
  name: text(64),
  params: z.record(z.string(), z.unknown()),
  fingerprint: text(128),
  expiresAt: z.int(),
  attempt: z.int().check(z.positive()),
});

export const ack = z.object({ type: z.literal('ack'), ids: z.array(commandId) });
export const voidCommand = z.object({ type: z.literal('void'), id: commandId });
export const playersResync = z.object({ type: z.literal('players.resync') });
export const playersRead = z.object({ type: z.literal('players.read'), id: commandId, identifier });
export const drain = z.object({ type: z.literal('drain'), withinMs: count });

/** Everything the hub may say. */
export const hubMessage = z.discriminatedUnion('type', [
  welcome,
  command,
  ack,
  voidCommand,
  playersResync,
  playersRead,
  ping,
  drain,
  error,
]);
export type HubMessage = z.infer<typeof hubMessage>;

export type MessageOf<M extends { type: string }, T extends M['type']> = Extract<M, { type: T }>;
