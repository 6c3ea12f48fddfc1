/** Whether a command took effect, as far as can be known. */
export type Executed = 'yes' | 'no' | 'unknown';

type HttpStatus =
  | 400
  | 401
  | 403
  | 404
  | 405
  | 408
  | 409
  | 410
  | 413
  | 415
  | 417
  | 422
  | 429
  | 431
  | 500
  | 501
  | 502
  | 503
  | 504;
export type Definition = {
  status: HttpStatus;
  title: string;
  executed: Executed;
  retryable: boolean;
  remedy: string;
};

/** One error code: its HTTP status, meaning and remedy. */
export const define = (
  status: HttpStatus,
  title: string,
  remedy: string,
  more: { executed?: Executed; retryable?: boolean } = {},
): Definition => ({
  status,
  title,
  remedy,
  executed: more.executed ?? 'no',
  retryable: more.retryable ?? false,
});
