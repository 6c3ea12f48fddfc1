import { hash, randomFillSync } from 'node:crypto';

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

/** All pairs of digits, precomputed because thousands of ids are made per second. */
const PAIRS = Array.from({ length: 1_024 }, (_, value) => base32(value, 2));
let lastMsDigits = base32(0, TIME_DIGITS);

/** Random bytes are fetched in bulk, because a system call for each id would cost most of its time. */
const pool = new Uint16Array(2_048);
let used = pool.length;

const randomPairs = (pairs: number): string => {
  if (used + pairs > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  let text = '';
  for (const end = used + pairs; used < end; used += 1) text += PAIRS[(pool[used] ?? 0) & 1_023];
  return text;
};

/**
 * A new id: kind, 45 bits of milliseconds, a counter within the millisecond, 60 random bits. Ids of one process sort
 * in the order they were made, which keeps the journal's index append-only.
 */
export const newId = (
  kind: 'cmd' | 'ses' | 'key' | 'prj' | 'req' | 'read' | 'nod' | 'sch' | 'int' | 'evt' | 'whk',
): string => {
  const now = Math.max(Date.now(), lastMs);
  if (now === lastMs) sameMs += 1;
  else {
    sameMs = 0;
    lastMs = now;
    lastMsDigits = base32(now, TIME_DIGITS);
  }
  return `${kind}_${lastMsDigits}${base32(sameMs, 3)}${randomPairs(6)}`;
};

/** The id of a command with an idempotency key: always the same, even after the hub lost its newest rows. */
export const derivedCommandId = (projectId: string, serverId: string, name: string, key: string): string =>
  `cmd_${hash('sha256', JSON.stringify([projectId, serverId, name, key]), 'hex').slice(0, 40)}`;

/** The id of a batch: always the same for its key, because the ids of its commands are made from it. */
export const derivedBatchId = (projectId: string, serverId: string, key: string): string =>
  `bat_${hash('sha256', JSON.stringify([projectId, serverId, key]), 'hex').slice(0, 40)}`;

/** The id of a schedule with an idempotency key. */
export const derivedScheduleId = (projectId: string, key: string): string =>
  `sch_${hash('sha256', JSON.stringify([projectId, key]), 'hex').slice(0, 40)}`;

/** A hash of the fields that two requests with one idempotency key must share. */
export const fingerprintOf = (serverId: string, name: string, params: object): string =>
  hash('sha256', JSON.stringify([serverId, name, params]), 'base64url');
