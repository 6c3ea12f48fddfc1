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
  constructor(code: DatabaseErrorCode, message: string, options: ErrorOptions & { inDoubt?: boolean } = {}) {
    super(message, options);
    this.code = code;
    this.inDoubt = options.inDoubt === true;
  }
}
