import { ACCOUNT_PATTERN, IDENTIFIER_PATTERN, LIMITS } from '../bridge-protocol/wire/limits.ts';
import type { Player } from '../bridge-protocol/wire/player.ts';

type Fields = Record<string, unknown>;

/** Lua has one kind of table: an empty one arrives as a list, one with holes as an object. */
export const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : Object.values(fieldsOf(value)));

/** At most `length` UTF-16 units, without half a surrogate pair at the end. */
export const clipped = (value: unknown, length: number): string => {
  const text = typeof value === 'string' ? value : String(value ?? '');
  return text.length <= length ? text : text.slice(0, length).replace(/[\ud800-\udbff]$/, '');
};

const isWhole = (value: unknown): value is number => typeof value === 'number' && Number.isSafeInteger(value);
const wholeOf = (value: unknown): number => (typeof value === 'number' ? Math.floor(value) : Number.NaN);

/** Balances that are exact whole numbers; cents and values that are not numbers stay in the game. */
const accountsOf = (value: unknown): Player['accounts'] =>
  Object.fromEntries(
    Object.entries(fieldsOf(value))
      .map(([name, balance]): [string, number] => [name, wholeOf(balance)])
      .filter(([name, balance]) => ACCOUNT_PATTERN.test(name) && isWhole(balance))
      .slice(0, LIMITS.accountsPerPlayer),
  );

/** The player's linked identifiers, without the IP address: that is private. */
const identifiersOf = (value: unknown): string[] => [
  ...new Set(
    listOf(value)
      .filter((one): one is string => typeof one === 'string')
      .filter((one) => IDENTIFIER_PATTERN.test(one) && !one.startsWith('ip:'))
      .slice(0, LIMITS.identifiersPerPlayer),
  ),
];

const itemOf = (value: unknown): Player['inventory'][number] => {
  const { slot, name, label, count, metadata } = fieldsOf(value);
  return {
    slot: Math.max(0, wholeOf(slot) || 0),
    name: clipped(name, 128),
    label: clipped(label, 128),
    count: Math.max(0, wholeOf(count) || 0),
    metadata: fieldsOf(metadata),
  };
};

const vehicleOf = (value: unknown): Player['vehicles'][number] => {
  const { plate, model, label, stored, garage, metadata } = fieldsOf(value);
  return {
    plate: clipped(plate, 32),
    model: clipped(model, 128),
    label: clipped(label, 128),
    stored: stored === true,
    garage: garage === undefined || garage === null ? null : clipped(garage, 128),
    metadata: fieldsOf(metadata),
  };
};

/** The identifier of this record, as the adapter read it. */
export const identifierOf = (value: unknown): string => String(fieldsOf(value)['identifier']);

/** A record as the adapter read it, cut to the limits of the protocol: names and items come from untrusted sources. */
export const playerOf = (value: unknown): Player => {
  const { name, online, gameId, identifiers, accounts, inventory, vehicles, metadata } = fieldsOf(value);
  return {
    identifier: identifierOf(value),
    name: clipped(name, LIMITS.nameLength),
    online: online === true,
    ...(isWhole(gameId) && gameId >= 0 ? { gameId } : {}),
    identifiers: identifiersOf(identifiers),
    accounts: accountsOf(accounts),
    inventory: listOf(inventory).slice(0, LIMITS.inventorySlots).map(itemOf),
    vehicles: listOf(vehicles).slice(0, LIMITS.vehiclesPerPlayer).map(vehicleOf),
    metadata: fieldsOf(metadata),
  };
};
