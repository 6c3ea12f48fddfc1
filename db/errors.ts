export type DatabaseErrorCode =
  | 'invalid_url'
  | 'unreadable'
  | 'wrong_owner'
  | 'not_a_database'
  | 'foreign'
  | 'corrupt'
  | 'locked'
  | 'newer'
  | 'unreleased'
  | 'unreachable'
  | 'unsupported'
  | 'exists'
  /** A backup took longer than its deadline. */
  | 'late'
  /** The caller ended a backup. */
  | 'stopped'
  /** The source changed during a copy. */
  | 'changed'
  /** The database is an unfinished copy. */
  | 'unfinished'
  /**
   * A temporary error: busy, full, read-only or gone; the same statement may work later. The statement had no effect,
   * unless `isUnknown`.
   */
  | 'unavailable'
  /** The database refused a statement, for example because of a constraint. */
  | 'failed'
  | 'closed';

/** The message is one line: the database, its problem and the remedy. It contains no password and no value of a row. */
export class DatabaseError extends Error {
  override name = 'DatabaseError';
  readonly code: DatabaseErrorCode;
  /** The connection broke during the statement: it is unknown whether it took effect. */
  readonly isUnknown: boolean;
  /** The disk is full: `unavailable` until an operator makes room. */
  readonly isFull: boolean;
  /** A row that another process wrote meanwhile has these values of a unique index: `failed`. */
  readonly isDuplicate: boolean;
  constructor(
    code: DatabaseErrorCode,
    message: string,
    options: ErrorOptions & { isUnknown?: boolean; isFull?: boolean; isDuplicate?: boolean } = {},
  ) {
    super(message, options);
    this.code = code;
    this.isUnknown = options.isUnknown === true;
    this.isFull = options.isFull === true;
    this.isDuplicate = options.isDuplicate === true;
  }
}

/** The disk of a database file has no room for a write. */
export const diskFull = (file: string, cause?: unknown): DatabaseError =>
  new DatabaseError('unavailable', `The disk of the database ${file} is full; make room.`, { cause, isFull: true });
