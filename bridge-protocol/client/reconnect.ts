import { afterClose, CLOSE_CODES, parseCloseReason } from '../wire/close-codes.ts';

/** The end of a connection: closed with a code, or refused with an HTTP status before the upgrade. */
export type ConnectionEnd =
  | { kind: 'closed'; code: number; reason: string }
  | { kind: 'refused'; status: number; body: string; retryAfterMs?: number };

/** The next step. `stop` without a delay is final. */
export type NextStep = { do: 'reconnect'; afterMs: number } | { do: 'stop'; probeAfterMs?: number };

const MAX_DELAY_MS = 60 * 60 * 1000;
const DEFAULT_WAIT_MS = 30_000;
const RETRY_JITTER_MS = 1_000;
/** A stopped bridge adds up to this share of the delay, so that bridges do not come back together. */
const PROBE_JITTER = 0.25;

/** The reason for the end of the connection, as text. */
export const describeEnd = (end: ConnectionEnd): string => {
  if (end.kind === 'refused') return `refused with HTTP ${end.status}: ${end.body.slice(0, 300)}`;
  const name = parseCloseReason(end.reason).code ?? end.reason;
  return name === '' ? `closed with ${end.code}` : `closed with ${end.code} (${name})`;
};

/**
 * When to come back. Delays grow from `baseMs` to `maxMs`, drawn at random from zero on so that a thousand bridges do
 * not come back together, and start over after a connection that was stable.
 */
export const createReconnect = ({
  random,
  baseMs,
  maxMs,
  probeMs,
}: {
  random: () => number;
  baseMs: number;
  maxMs: number;
  probeMs: number;
}) => {
  let attempts = 0;

  const backoff = (): number => {
    const delay = random() * Math.min(maxMs, baseMs * 2 ** attempts);
    attempts = Math.min(attempts + 1, 30);
    return delay;
  };

  const stopFor = (told: number | undefined): NextStep => {
    const probeAfterMs = told === undefined ? probeMs : Math.min(told, MAX_DELAY_MS) * (1 + random() * PROBE_JITTER);
    return { do: 'stop', probeAfterMs };
  };

  const afterClosed = (code: number, reason: string): NextStep => {
    const { r } = parseCloseReason(reason);
    const told = r === undefined ? undefined : Math.min(r, MAX_DELAY_MS);
    switch (afterClose(code)) {
      case 'stop':
        return code === CLOSE_CODES.replaced ? { do: 'stop' } : stopFor(code === CLOSE_CODES.disabled ? r : undefined);
      case 'wait':
        return { do: 'reconnect', afterMs: told ?? DEFAULT_WAIT_MS };
      case 'reconnect':
        if (code === CLOSE_CODES.shutting_down && told !== undefined) {
          return { do: 'reconnect', afterMs: random() * told };
        }
        return { do: 'reconnect', afterMs: backoff() };
    }
  };

  const afterRefused = (status: number, retryAfterMs: number | undefined): NextStep => {
    if (status === 403) return stopFor(retryAfterMs);
    if (status === 400 || status === 401) return stopFor(undefined);
    if ((status === 429 || status === 503) && retryAfterMs !== undefined) {
      const jitter = Math.max(RETRY_JITTER_MS, Math.min(maxMs, retryAfterMs / 2));
      return { do: 'reconnect', afterMs: Math.min(retryAfterMs, MAX_DELAY_MS) + random() * jitter };
    }
    return { do: 'reconnect', afterMs: backoff() };
  };

  return {
    stable: (): void => {
      attempts = 0;
    },
    after: (end: ConnectionEnd): NextStep =>
      end.kind === 'closed' ? afterClosed(end.code, end.reason) : afterRefused(end.status, end.retryAfterMs),
  };
};
