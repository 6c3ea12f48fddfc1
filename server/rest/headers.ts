import { invalidField } from '../errors.ts';

const PRINTABLE = /^[\x20-\x7e]{1,255}$/;

/** `Idempotency-Key`, bare or as a quoted structured-field string. @throws HubError invalid_request */
export const readIdempotencyKey = (header: string | undefined): string | undefined => {
  if (header === undefined) return undefined;
  const quoted = /^"((?:[^"\\]|\\["\\])*)"$/.exec(header);
  const key = quoted?.[1] === undefined ? header : quoted[1].replaceAll(/\\(["\\])/g, '$1');
  if (!PRINTABLE.test(key)) throw invalidField('/Idempotency-Key', 'must be 1 to 255 printable ASCII characters');
  return key;
};

/** `Prefer` (RFC 7240): what cannot be honoured is ignored, as the RFC says. */
export const readPreference = (
  header: string | undefined,
  defaultWaitMs: number,
): { waitMs: number; isAsync: boolean } => {
  if (header === undefined) return { waitMs: defaultWaitMs, isAsync: false };
  const preferences = header.split(',').map((part) => part.trim().toLowerCase());
  const seconds = preferences.map((part) => /^wait *= *"?(\d{1,2})"?$/.exec(part)?.[1]).find((text) => text);
  const wait = Number(seconds ?? 0);
  return {
    waitMs: wait >= 1 && wait <= 60 ? wait * 1000 : defaultWaitMs,
    isAsync: preferences.includes('respond-async'),
  };
};
