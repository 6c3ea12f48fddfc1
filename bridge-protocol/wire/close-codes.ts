/** Close codes of the hub. 4000–4499: come back. 4500–4999: stop. */
export const CLOSE_CODES = {
  shutting_down: 4000,
  silent: 4001,
  no_hello: 4002,
  slow_consumer: 4003,
  internal_error: 4004,
  fenced: 4005,
  over_budget: 4006,
  node_full: 4007,
  no_received: 4008,
  instances_fight: 4029,
  protocol_violation: 4500,
  invalid_token: 4501,
  disabled: 4503,
  deleted: 4504,
  unsupported_version: 4506,
  replaced: 4509,
  frame_too_large: 4513,
  bad_hello: 4522,
} as const;
export type CloseCodeName = keyof typeof CLOSE_CODES;

/** A stopped bridge retries once per this time: never after 4509, and after 4503 when the hub says. */
export const STOPPED_PROBE_MS = 10 * 60 * 1000;

/**
 * Whether to come back after a close. Unknown codes follow the range: 4000–4499 reconnect with backoff, 4500–4999
 * stop, anything else (1006 for a cut line, 1001, …) reconnects.
 */
export const afterClose = (code: number): 'reconnect' | 'wait' | 'stop' => {
  if (code === CLOSE_CODES.node_full || code === CLOSE_CODES.instances_fight) return 'wait';
  return code >= 4500 && code <= 4999 ? 'stop' : 'reconnect';
};

/** The close reason on the wire, at most 123 bytes (RFC 6455 section 5.5). `r` is a time in ms. */
export const closeReason = (name: CloseCodeName, r?: number): string =>
  JSON.stringify(r === undefined ? { code: name } : { code: name, r });

/** Reads a close reason; anything that is not ours gives `{}`. */
export const parseCloseReason = (reason: string): { code?: string; r?: number } => {
  try {
    const parsed: unknown = JSON.parse(reason);
    if (typeof parsed !== 'object' || parsed === null) return {};
    const code = 'code' in parsed && typeof parsed.code === 'string' ? { code: parsed.code } : {};
    const r = 'r' in parsed && typeof parsed.r === 'number' && parsed.r >= 0 ? { r: parsed.r } : {};
    return { ...code, ...r };
  } catch {
    return {};
  }
};
