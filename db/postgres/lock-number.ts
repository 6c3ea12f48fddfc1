import { createHash } from 'node:crypto';

/** The second number of an advisory lock: PostgreSQL's locks have numbers, and the hub's have names. */
export const lockNumber = (key: string): number => createHash('sha256').update(key).digest().readInt32BE();
