import { createHash, createHmac } from 'node:crypto';

export const SECRET = 'a-secret-of-the-shop-01';

/** As docs.tebex.io says: HMAC-SHA256 with the secret over the hexadecimal SHA-256 of the body. */
export const tebexSignature = (body: string, secret = SECRET): string =>
  createHmac('sha256', secret).update(createHash('sha256').update(body).digest('hex')).digest('hex');

export const orderSignature = (body: string, secret = SECRET, at = Math.floor(Date.now() / 1000)): string =>
  `t=${at},v1=${createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')}`;
