import { createHash } from 'node:crypto';
import type pg from 'pg';
import type { Database } from '../database.ts';
import { DatabaseError } from '../errors.ts';
import { postgresError } from './errors.ts';

/** The second number of an advisory lock: PostgreSQL's locks have numbers, and the hub's have names. */
export const lockNumber = (key: string): number => createHash('sha256').update(key).digest().readInt32BE();

/** A semaphore: this many run at once, the others wait in order. */
export const atMostAtOnce = (many: number) => {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running >= many) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await work();
    } finally {
      // The next waiting task takes over the place.
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
};

/** First number of the advisory locks of keys; the second one is made of the key. */
const KEY_LOCKS = 0x63617574;
/** The lock of a node that was stopped in the middle must not hold up the others for ever. */
const HELD_AT_MOST_MS = 10_000;
/** A connection that breaks while it holds a lock must not end the process. */
const ignore = (): void => undefined;

const lock = async (client: pg.PoolClient, key: string): Promise<void> => {
  client.on('error', ignore);
  await client.query(
    `BEGIN; SET LOCAL idle_in_transaction_session_timeout = ${HELD_AT_MOST_MS}; ` +
      `SELECT pg_advisory_xact_lock(${KEY_LOCKS}, ${lockNumber(key)})`,
  );
};

/** Ends the transaction. A connection that cannot is closed, which frees its lock as well. */
const unlock = async (client: pg.PoolClient): Promise<void> => {
  const isBroken = await client.query('COMMIT').then(
    () => false,
    () => true,
  );
  client.off('error', ignore);
  client.release(isBroken);
};

/**
 * Locks of keys between nodes. Each is held by the transaction of a connection that does nothing else, while the work uses
 * others. At most half of the connections are for locks, so that the work gets one. Undefined: there is only one.
 */
export const keyLocks = (pool: pg.Pool, connections: number, target: string): Database['exclusively'] | undefined => {
  const places = Math.floor(connections / 2);
  const inPlace = atMostAtOnce(places);

  const locked = async (key: string): Promise<pg.PoolClient> => {
    let client: pg.PoolClient | undefined;
    try {
      client = await pool.connect();
      await lock(client, key);
      return client;
    } catch (error) {
      client?.release(true);
      // The work has not begun, so nothing is unknown.
      throw new DatabaseError('unavailable', postgresError(target, error).message, { cause: error });
    }
  };
  if (places === 0) return undefined;
  return (key, work) =>
    inPlace(async () => {
      const client = await locked(key);
      try {
        return await work();
      } finally {
        // Its caller need not wait for this.
        void unlock(client);
      }
    });
};
