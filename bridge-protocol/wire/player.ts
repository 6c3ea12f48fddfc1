import * as z from 'zod/mini';
import { ACCOUNT_PATTERN, IDENTIFIER_PATTERN, LIMITS } from './limits.ts';

export const identifier = z.string().check(z.regex(IDENTIFIER_PATTERN));
export const account = z.string().check(z.regex(ACCOUNT_PATTERN));
/** A text of at most `max` UTF-16 code units. */
export const text = (max: number) => z.string().check(z.maxLength(max));
export const count = z.int().check(z.nonnegative());
/** Lua has one kind of table, and FXServer writes an empty one as `[]`: read it as an empty object. */
export const emptyAsObject = (input: unknown): unknown => (Array.isArray(input) && input.length === 0 ? {} : input);
export const record = <V extends z.core.SomeType>(value: V) =>
  z.pipe(z.transform(emptyAsObject), z.record(text(64), value));
export const metadata = record(z.unknown());

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
const accounts = record(z.int()).check(
  z.refine(
    (all) => Object.keys(all).length <= LIMITS.accountsPerPlayer,
    `at most ${LIMITS.accountsPerPlayer} accounts`,
  ),
);

/** A player as a bridge reports it. A player that is not `online: true` is offline. */
export const player = z.object({
  identifier,
  name: text(LIMITS.nameLength),
  online: z._default(z.boolean(), false),
  /** Whether an online player can be given something now; absent: they can. */
  playable: z.optional(z.boolean()),
  /** The number that the game shows beside an online player, such as the server id of FiveM. */
  gameId: z.optional(count),
  identifiers: z._default(z.array(identifier).check(z.maxLength(LIMITS.identifiersPerPlayer)), []),
  accounts: z._default(accounts, {}),
  inventory: z._default(z.array(inventoryItem).check(z.maxLength(LIMITS.inventorySlots)), []),
  vehicles: z._default(z.array(vehicle).check(z.maxLength(LIMITS.vehiclesPerPlayer)), []),
  metadata: z._default(metadata, {}),
});
export type Player = z.infer<typeof player>;
