import { createHmac, randomBytes } from 'node:crypto';
import type { WebhookRow } from '../../db/queries/webhooks.ts';
import type { Seal } from '../platform/seal.ts';
import type { Post, Posted } from './post.ts';
import { USER_AGENT } from './rounds.ts';

const SECRET_PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** A new secret of a webhook in the form of Standard Webhooks 1.0.0: the bytes behind the prefix are the key. */
export const newSigningSecret = (): string => SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64');

const signatureOf = (secret: string, signed: string): string => {
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
};

/**
 * The headers of a post, by Standard Webhooks 1.0.0: `id` is the same in every repeat, the time (epoch milliseconds) is that
 * of this attempt, and there is one signature for each secret that is valid now.
 */
export const signedHeaders = (
  secrets: readonly string[],
  { id, at, body }: { id: string; at: number; body: string },
): Record<string, string> => {
  const timestamp = `${Math.floor(at / 1_000)}`;
  const signed = `${id}.${timestamp}.${body}`;
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map((secret) => signatureOf(secret, signed)).join(' '),
  };
};

/** The secrets that are valid at a time, the newest first. @throws SealError */
const openSecrets = (seal: Seal, { id, secrets }: Pick<WebhookRow, 'id' | 'secrets'>, at: number): string[] =>
  secrets.filter(({ expiresAt }) => expiresAt === null || expiresAt > at).map(({ sealed }) => seal.open(sealed, id));

/** A post of JSON, signed with what is valid at its time. @throws SealError */
export const signedPost = (
  { post, seal }: { post: Post; seal: Seal },
  webhook: WebhookRow,
  { id, body, at }: { id: string; body: string; at: number },
): Promise<Posted> => {
  const headers = {
    'Content-Type': 'application/json',
    'User-Agent': USER_AGENT,
    ...signedHeaders(openSecrets(seal, webhook, at), { id, at, body }),
  };
  return post(seal.open(webhook.url, webhook.id), { body, headers });
};
