import * as z from 'zod/mini';
import { customCommand } from './commands.ts';
import { LIMITS } from './limits.ts';
import { account, count, identifier, metadata, player, record, text } from './player.ts';

const commandId = z.string().check(z.minLength(1), z.maxLength(64));

/** Error codes of a bridge for a command that did not succeed. */
export const COMMAND_ERROR_CODES = [
  'player_not_found',
  'player_offline',
  'insufficient_funds',
  'unknown_account',
  'unknown_item',
  'inventory_full',
  'too_heavy',
  'not_enough_items',
  'inventory_locked',
  'unknown_model',
  'plate_taken',
  'vehicle_not_found',
  'vehicle_out',
  'unknown_job',
  'unknown_grade',
  'invalid_params',
  'refused',
  'unsupported',
  'server_restarting',
  'journal_unavailable',
  'fingerprint_mismatch',
  'internal_error',
] as const;
export type CommandErrorCode = (typeof COMMAND_ERROR_CODES)[number];

export const commandError = z.object({
  /** One of {@link COMMAND_ERROR_CODES}; the hub reads an unknown code as `internal_error`. */
  code: text(64),
  message: text(1024),
  details: z.optional(metadata),
});
export type CommandError = z.infer<typeof commandError>;

/**
 * A bridge promises this about an effect; the strongest promise comes first. `atomic`: journal and balance in one transaction.
 * `durable`: started, durable effect, done. `saved`: framework memory changed, save forced, then done. `volatile`: saved minutes later.
 */
export const journalClass = z.enum(['atomic', 'durable', 'saved', 'volatile']);
export type JournalClass = z.infer<typeof journalClass>;

/** The outcome of a command at the bridge. */
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
    frameworkVersion: z.optional(text(64)),
  }),
  commands: z.array(text(64)).check(z.maxLength(256)),
  accounts: z.array(account).check(z.maxLength(LIMITS.accountsPerPlayer)),
  journal: z.object({
    class: journalClass,
    id: z.string().check(z.minLength(1), z.maxLength(64)),
    sequence: count,
  }),
  /** The class of single commands (`{"items@1": "saved"}`), where it is not that of the journal. */
  classes: z.optional(
    record(journalClass).check(z.refine((all) => Object.keys(all).length <= 256, 'at most 256 commands')),
  ),
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

export const commandsCustom = z.object({
  type: z.literal('commands.custom'),
  commands: z.array(customCommand).check(z.maxLength(LIMITS.customCommands)),
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
  /** In the last part: the game has no other players, and none was left out. */
  complete: z.optional(z.boolean()),
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

/** The kinds of catalogues. `vehicles` lists models. */
export const CATALOGUE_KINDS = ['items', 'vehicles', 'jobs'] as const;
export type CatalogueKind = (typeof CATALOGUE_KINDS)[number];

/** One thing of a game that commands name. */
export const catalogueEntry = z.object({
  name: text(LIMITS.itemNameLength).check(z.minLength(1)),
  label: text(LIMITS.itemNameLength),
  /** The ranks of a job; other catalogues have none. */
  grades: z.optional(
    z.array(z.object({ grade: count, label: text(LIMITS.itemNameLength) })).check(z.maxLength(LIMITS.gradesPerJob)),
  ),
});
export type CatalogueEntry = z.infer<typeof catalogueEntry>;

/** One part of a catalogue. A part that is not one more than the part before ends the catalogue. */
export const catalogue = z.object({
  type: z.literal('catalogue'),
  kind: z.enum(CATALOGUE_KINDS),
  hash: text(64).check(z.minLength(1)),
  part: count,
  last: z.boolean(),
  entries: z.array(catalogueEntry).check(z.maxLength(LIMITS.entriesPerFrame)),
});

/** The hashes of the catalogues that the hub has, by kind; a newer hub may have more kinds. */
export const knownCatalogues = z.record(text(64), text(64));

export const status = z.object({
  type: z.literal('status'),
  players: z.optional(z.object({ online: count, max: z.optional(count) })),
  database: z.optional(databaseState),
  tickMs: z.optional(z.number().check(z.nonnegative())),
  draining: z.optional(z.boolean()),
  /** When the game server restarts, in the hub's time; 0: the announced restart was taken back. */
  restartAt: z.optional(count),
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

/** All messages of a bridge. Unknown fields are dropped. */
export const bridgeMessage = z.discriminatedUnion('type', [
  hello,
  commandsCustom,
  catalogue,
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
  /** The id of the game server, which its token decides. */
  server: z.optional(text(64)),
  epoch: z.int(),
  now: z.int(),
  ping: z.object({ everyMs: z.int(), timeoutMs: z.int() }),
  limits: z.object({ frameBytes: z.int(), inFlight: z.int() }),
  /** The hashes of the catalogues that the hub has of this server. */
  catalogues: z.optional(knownCatalogues),
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

/** All messages of the hub. */
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
