import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IntegrationKind } from '../../db/schema/shops.ts';

const HEX_SHA256 = /^[0-9a-f]{64}$/i;

/** Compares in constant time. */
const isSame = (given: string, expected: string): boolean =>
  HEX_SHA256.test(given) && timingSafeEqual(Buffer.from(given, 'hex'), Buffer.from(expected, 'hex'));

const hmac = (secret: string, text: string | Buffer, ...more: (string | Buffer)[]): string => {
  const maker = createHmac('sha256', secret).update(text);
  for (const part of more) maker.update(part);
  return maker.digest('hex');
};

/** Tebex signs the hexadecimal SHA-256 of the body. */
const isOfTebex = (header: string, body: Buffer, secrets: readonly string[]): boolean => {
  const hash = createHash('sha256').update(body).digest('hex');
  return secrets.filter((secret) => isSame(header, hmac(secret, hash))).length > 0;
};

const STAMPED = /^t=(\d{1,15}),v1=([0-9a-fA-F]{64})$/;

/** Other shops sign the time of sending and the body: `t=<seconds>,v1=<signature of "t.body">`. */
const isOfOrders = (header: string, body: Buffer, secrets: readonly string[]): boolean => {
  const [, at, signature] = STAMPED.exec(header) ?? [];
  if (at === undefined || signature === undefined) return false;
  return secrets.filter((secret) => isSame(signature, hmac(secret, `${at}.`, body))).length > 0;
};

/** The header with the signature, by the kind of shop. */
export const SIGNATURE_HEADERS: Record<IntegrationKind, string> = {
  tebex: 'x-signature',
  orders: 'x-causeway-signature',
};

/** Whether one of the secrets made this signature. Every secret is tried, so the time does not tell which one fits. */
export const isSigned = (
  kind: IntegrationKind,
  { header, body }: { header: string | undefined; body: Buffer },
  secrets: readonly string[],
): boolean => {
  if (header === undefined) return false;
  return kind === 'tebex' ? isOfTebex(header, body, secrets) : isOfOrders(header, body, secrets);
};
