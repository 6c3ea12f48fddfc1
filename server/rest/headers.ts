import type { IncomingMessage } from 'node:http';
import { invalidField } from '../platform/errors.ts';

const PRINTABLE = /^[\x20-\x7e]{1,255}$/;

/** `Idempotency-Key`, bare or as a quoted structured-field string. @throws HubError invalid_request */
export const readIdempotencyKey = (request: IncomingMessage): string | undefined => {
  const header = request.headers['idempotency-key']?.toString();
  if (header === undefined) return undefined;
  // Node.js joins headers of one name with a comma.
  if (header.includes(',') && (request.headersDistinct['idempotency-key'] ?? []).length > 1) {
    throw invalidField('/Idempotency-Key', 'must be sent once');
  }
  const quoted = /^"((?:[^"\\]|\\["\\])*)"$/.exec(header);
  const key = quoted?.[1] === undefined ? header : quoted[1].replaceAll(/\\(["\\])/g, '$1');
  if (!PRINTABLE.test(key)) throw invalidField('/Idempotency-Key', 'must be 1 to 255 printable ASCII characters');
  return key;
};

const WAIT = /^wait *= *"?(\d{1,2})"?$/;

/**
 * `Prefer` (RFC 7240): unknown preferences and parameters are ignored. With `respond-async` and `wait`, the hub waits
 * that long and then answers 202. The first `wait` counts.
 */
export const readPreference = (
  header: string | undefined,
  defaultWaitMs: number,
): { waitMs: number; isAsync: boolean } => {
  if (header === undefined) return { waitMs: defaultWaitMs, isAsync: false };
  const preferences = header.split(',').map((part) => part.split(';', 1)[0]?.trim().toLowerCase() ?? '');
  const isAsync = preferences.includes('respond-async');
  const seconds = preferences.map((part) => WAIT.exec(part)?.[1]).find((text) => text);
  const wait = Number(seconds ?? 0);
  if (wait >= 1 && wait <= 60) return { waitMs: wait * 1000, isAsync };
  return { waitMs: isAsync ? 0 : defaultWaitMs, isAsync };
};
