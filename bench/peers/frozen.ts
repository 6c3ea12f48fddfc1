import { hash, randomFillSync } from 'node:crypto';

/**
 * Copies of the hub's parts as they were on 2026-11-23 (commit 32090d5). The peer `by-hand-frozen` takes them from
 * here, so that a faster hub does not make its own yardstick faster.
 */
export const FROZEN_TABLE = `
CREATE TABLE commands (
  seq integer PRIMARY KEY AUTOINCREMENT NOT NULL, id text NOT NULL, project_id text NOT NULL, server_id text NOT NULL,
  name text NOT NULL, class text NOT NULL, target text, params text NOT NULL, fingerprint text NOT NULL,
  status text NOT NULL, idempotency_key text, actor text NOT NULL, request_id text NOT NULL, attempts integer NOT NULL,
  epoch integer, session_id text, void_requested integer NOT NULL, result text, error text, created_at integer NOT NULL,
  expires_at integer NOT NULL, dispatched_at integer, settled_at integer, resolution text, journal_id text);
CREATE UNIQUE INDEX commands_id ON commands (id);
CREATE UNIQUE INDEX commands_idempotency_key ON commands (project_id, idempotency_key) WHERE idempotency_key is not null;
CREATE INDEX commands_project ON commands (project_id, seq);
CREATE INDEX commands_created ON commands (project_id, created_at, seq);
CREATE INDEX commands_dispatched ON commands (project_id, server_id, seq) WHERE status = 'dispatched';
CREATE INDEX commands_accepted ON commands (project_id, expires_at) WHERE status = 'accepted';
CREATE INDEX commands_indeterminate ON commands (project_id, seq) WHERE status = 'indeterminate';
CREATE INDEX commands_keyed ON commands (settled_at) WHERE idempotency_key is not null and settled_at is not null;`;

export const FROZEN_HEADERS = [
  ...['Cache-Control', 'no-store', 'Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'"],
  ...['Cross-Origin-Resource-Policy', 'same-origin', 'Referrer-Policy', 'no-referrer'],
  ...['X-Content-Type-Options', 'nosniff', 'X-Frame-Options', 'DENY'],
];

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
const PAIRS = Array.from({ length: 1_024 }, (_, value) => base32(value, 2));
let lastMsDigits = base32(0, TIME_DIGITS);
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

/** A time-ordered id with 60 random bits. */
export const frozenId = (kind: 'cmd' | 'req'): string => {
  const now = Math.max(Date.now(), lastMs);
  if (now === lastMs) sameMs += 1;
  else {
    sameMs = 0;
    lastMs = now;
    lastMsDigits = base32(now, TIME_DIGITS);
  }
  return `${kind}_${lastMsDigits}${base32(sameMs, 3)}${randomPairs(6)}`;
};

/** The id of a command with an idempotency key. */
export const frozenDerivedId = (parts: readonly string[]): string =>
  `cmd_${hash('sha256', JSON.stringify(parts), 'hex').slice(0, 40)}`;

const WINDOW_MS = 60_000;

/** An exact limit for each 60 seconds: a ring holds the time of every admitted request. */
export const frozenLimit = (limit: number) => {
  const times = new Float64Array(limit);
  let next = 0;
  let held = 0;
  return (): { admitted: boolean; remaining: number } => {
    const at = performance.now();
    while (held > 0 && at - (times[(next - held + limit) % limit] ?? 0) >= WINDOW_MS) held -= 1;
    if (held >= limit) return { admitted: false, remaining: 0 };
    times[next] = at;
    next = (next + 1) % limit;
    held += 1;
    return { admitted: true, remaining: limit - held };
  };
};
