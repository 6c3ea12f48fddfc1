import { DatabaseError } from '../errors.ts';

// Classes: connection, resources, operator intervention, system; then deadlock, serialization, read-only.
const UNAVAILABLE = /^(08|53|57|58|40001$|40P01$|25006$|E[A-Z]+$)/;
// The server was ended while the statement ran; the socket broke.
const BROKEN = /^(57P0[12]|ECONNRESET|EPIPE|ETIMEDOUT)$/;

/** The SQLSTATE, or the code of the socket's error; empty where there is none. */
export const postgresCode = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

/** drizzle's own message repeats the statement and its values. */
const causeOf = (thrown: unknown): unknown =>
  thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown;

/** Whether PostgreSQL has ended the statement's transaction, because it and another one waited for each other. */
export const isDeadlock = (thrown: unknown): boolean => postgresCode(causeOf(thrown)) === '40P01';

/** Whether the statement may have taken effect although its answer never came. */
const isOutcomeUnknown = (error: unknown, reason: string): boolean => {
  const isOfConnecting = error instanceof Error && 'syscall' in error && error.syscall === 'connect';
  if (isOfConnecting) return false;
  return BROKEN.test(postgresCode(error)) || /read timeout|terminated unexpectedly/i.test(reason);
};

/** Turns a driver's error into a DatabaseError; `target` names the database. */
export const postgresError = (target: string, thrown: unknown): DatabaseError => {
  if (thrown instanceof DatabaseError) return thrown;
  const error = causeOf(thrown);
  const reason = error instanceof Error ? error.message || postgresCode(error) : String(error);
  const isGone = UNAVAILABLE.test(postgresCode(error)) || /timeout|terminated|Connection|not queryable/.test(reason);
  if (!isGone) {
    const isDuplicate = postgresCode(error) === '23505';
    return new DatabaseError('failed', `The database refused a statement: ${reason}`, { cause: error, isDuplicate });
  }
  const isUnknown = isOutcomeUnknown(error, reason);
  return new DatabaseError('unavailable', `${target} cannot be used (${reason}).`, { cause: error, isUnknown });
};
