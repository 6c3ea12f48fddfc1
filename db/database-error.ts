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
  /** For now: busy, full, read-only or gone. The statement was not carried out; the same may work later. */
  | 'unavailable'
  /** The database refused a statement, for example because of a constraint. */
  | 'failed'
  | 'closed';

/** One line for people: which database, what is wrong and what to do. Never a password, never a value. */
export class DatabaseError extends Error {
  override name = 'DatabaseError';
  readonly code: DatabaseErrorCode;
  constructor(code: DatabaseErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
