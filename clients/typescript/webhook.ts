import type { KeptFields } from './events.ts';

type Sent<T, D> = {
  /** The same over all attempts, and `webhook-id`. */
  id: string;
  type: T;
  /** When it happened. */
  timestamp: string;
  serverId: string;
  /** Grows with each state of the subject: keep the highest. */
  revision: number;
  /** `omitted`: some fields were left out, because the body would have had more than 20 KB. */
  data: D & { omitted?: true };
};

/**
 * The body of a webhook, a union by `type`; a newer hub may send other types. `data.id` and its end are the facts: act once
 * for them, whatever `id` they come under.
 */
export type WebhookEvent =
  | { [T in keyof KeptFields]: Sent<T, KeptFields[T]> }[keyof KeptFields]
  | Sent<'webhook.test', { webhookId: string }>;

/** A webhook as `fetch` servers have it, or as others do: headers in any case, and the body exactly as it came. */
export type WebhookRequest =
  | Request
  | { headers: Headers | Record<string, string | readonly string[] | undefined>; body: string | Uint8Array };

/** Thrown for a webhook that is not of the hub, is too old, or cannot be read: answer it with 400. */
export class WebhookRefused extends Error {
  override readonly name = 'WebhookRefused';
}

/** Such a webhook may be repeated by an attacker who has seen it. */
const TOLERANCE_S = 300;

const bytesOf = (base64: string): Uint8Array<ArrayBuffer> | undefined => {
  try {
    return Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0));
  } catch {
    return undefined;
  }
};

/** An HMAC-SHA256 key for `crypto.subtle`. */
const hmacKey = (secret: Uint8Array<ArrayBuffer>, use: 'sign' | 'verify') =>
  crypto.subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, [use]);

const secretKey = (secret: string) => {
  const bytes = /^whsec_/.test(secret) ? bytesOf(secret.slice(6)) : undefined;
  if (bytes === undefined || bytes.length < 24 || bytes.length > 64) {
    throw new TypeError('the secret must be whsec_ and 24 to 64 bytes in base64');
  }
  return hmacKey(bytes, 'verify');
};

const encoder = new TextEncoder();

const joined = (head: string, body: Uint8Array): Uint8Array<ArrayBuffer> => {
  const start = encoder.encode(head);
  const all = new Uint8Array(start.length + body.length);
  all.set(start);
  all.set(body, start.length);
  return all;
};

const headersOf = (headers: Headers | Record<string, string | readonly string[] | undefined>): Headers =>
  headers instanceof Headers
    ? headers
    : new Headers(
        Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
      );

/**
 * The event of a webhook (Standard Webhooks 1.0.0, `v1`) whose signature fits one of the secrets, and which is at most
 * five minutes old. `now`: milliseconds, for tests. @throws WebhookRefused; TypeError for a secret that is none
 */
export const verifyWebhook = async (
  request: WebhookRequest,
  secret: string | readonly string[],
  { now = Date.now() }: { now?: number } = {},
): Promise<WebhookEvent> => {
  const keys = await Promise.all([secret].flat().map((each) => secretKey(each)));
  const headers = headersOf(request.headers);
  const [id, time, signatures] = ['id', 'timestamp', 'signature'].map((name) => headers.get(`webhook-${name}`));
  if (!id || !time || !signatures) throw new WebhookRefused('a header is missing: webhook-id, -timestamp, -signature');
  if (!/^\d{1,12}$/.test(time) || Math.abs(now / 1000 - Number(time)) > TOLERANCE_S) {
    throw new WebhookRefused('webhook-timestamp is not within five minutes of this clock');
  }
  const given = request instanceof Request ? new Uint8Array(await request.arrayBuffer()) : request.body;
  const body = typeof given === 'string' ? encoder.encode(given) : given;
  const signed = joined(`${id}.${time}.`, body);
  const v1 = signatures.split(' ').flatMap((each) => (each.startsWith('v1,') ? (bytesOf(each.slice(3)) ?? []) : []));
  for (const key of keys) {
    for (const signature of v1) {
      if (!(await crypto.subtle.verify('HMAC', key, signature, signed))) continue;
      try {
        return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
      } catch {
        throw new WebhookRefused('the body is not JSON');
      }
    }
  }
  throw new WebhookRefused('no signature fits the secret');
};

/** The header `X-Causeway-Signature` of an order of a web shop, for its body. */
export const orderSignature = async (secret: string, body: string): Promise<string> => {
  const time = Math.floor(Date.now() / 1000);
  const key = await hmacKey(encoder.encode(secret), 'sign');
  const made = new Uint8Array(await crypto.subtle.sign('HMAC', key, encoder.encode(`${time}.${body}`)));
  return `t=${time},v1=${Array.from(made, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
};
