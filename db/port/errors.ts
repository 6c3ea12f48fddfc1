export type DatabaseErrorCode =
  | 'invalid_url'
  | 'unreadable'
  | 'wrong_owner'
  | 'not_a_database'
  | 'foreign'
  | 'corrupt'
  | 'locked'
  | 'newer'
  | 'unreachable'
  | 'unsupported'
  | 'exists'
  /** A backup that was not done within its deadline. */
  | 'late'
  /** A backup that the caller ended. */
  | 'stopped'
  /** Somebody changed what was to stay as it is. */
  | 'changed'
  /** A copy that was not brought to its end. */
  | 'unfinished'
  /**
   * For now: busy, full, read-only or gone; the same may work later. The statement was not carried out, unless
   * `inDoubt`.
   */
  | 'unavailable'
  /** The database refused a statement, for example because of a constraint. */
  | 'failed'
  | 'closed';

/** One line for people: which database, what is wrong and what to do. Never a password, never a value. */
export class DatabaseError extends Error {
  override name = 'DatabaseError';
  readonly code: DatabaseErrorCode;
  /** The connection broke under the statement: nobody knows whether it took effect. */
  readonly inDoubt: boolean;
  /** The disk has no room: `unavailable` until an operator makes some. */
  readonly isFull: boolean;
  constructor(
    code: DatabaseErrorCode,
    message: string,
    options: ErrorOptions & { inDoubt?: boolean; isFull?: boolean } = {},
  ) {
    super(message, options);
    this.code = code;
    this.inDoubt = options.inDoubt === true;
    this.isFull = options.isFull === true;
  }
}

/** The disk of a database file has no room for a write. */
export const diskFull = (file: string, cause?: unknown): DatabaseError =>
  new DatabaseError('unavailable', `The disk of the database ${file} is full; make room.`, { cause, isFull: true });
