import { hash, randomFillSync } from 'node:crypto';

export type IdKind = 'cmd' | 'ses' | 'key' | 'prj' | 'req' | 'evt' | 'read';

const BASE32 = '0123456789abcdefghjkmnpqrstvwxyz';
const TIME_DIGITS = 9;

let lastMs = 0;
let sameMs = 0;

const base32 = (value: number, digits: number): string => {
  let rest = value;
  let text = '';
  for (let place = 0; place < digits; place += 1) {
    text = BASE32.charAt(rest % 32) + text;
    rest = Math.floor(rest / 32);
  }
  return text;
};

/** Random bytes are fetched in bulk: a call into the operating system for each id would be the dearest part of it. */
const pool = Buffer.alloc(4_096);
let used = pool.length;

const randomDigits = (digits: number): string => {
  if (used + digits > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  let text = '';
  for (const end = used + digits; used < end; used += 1) text += BASE32.charAt((pool[used] ?? 0) & 31);
  return text;
};

/**
 * A new id: kind, 45 bits of milliseconds, a counter within the millisecond, 60 random bits. Ids of one process sort
 * in the order they were made, which keeps the journal's index append-only.
 */
export const newId = (kind: IdKind): string => {
  const now = Math.max(Date.now(), lastMs);
  sameMs = now === lastMs ? sameMs + 1 : 0;
  lastMs = now;
  return `${kind}_${base32(now, TIME_DIGITS)}${base32(sameMs, 3)}${randomDigits(12)}`;
};

/** The id of a command with an idempotency key: the same everywhere, even for a hub that lost its newest rows. */
export const derivedCommandId = (projectId: string, serverId: string, name: string, key: string): string =>
  `cmd_${hash('sha256', JSON.stringify([projectId, serverId, name, key]), 'hex').slice(0, 40)}`;

/** What two requests must share to be the same command. */
export const fingerprintOf = (serverId: string, name: string, params: object): string =>
  hash('sha256', JSON.stringify([serverId, name, params]), 'base64url');
