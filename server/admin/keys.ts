import type { ApiKeyRow, NewApiKey } from '../../db/queries/api-keys.ts';
import type { Store } from '../../db/store.ts';
import { SCOPES, type Scope } from '../auth/credentials.ts';
import { createSecret, hashSecret, secretPrefix } from '../auth/secrets.ts';
import { newId } from '../platform/ids.ts';

type KeyOptions = {
  name: string;
  /** Default: all. */
  scopes?: readonly Scope[];
  /** Null, the default: every server of the project. */
  servers?: readonly string[] | null;
  /** Epoch milliseconds; null, the default: never. */
  expiresAt?: number | null;
  /** The id of the key that made it. */
  createdBy?: string | null;
};

/** The row of a new API key, and its secret, of which only a hash is stored. */
export const newKey = (projectId: string, options: KeyOptions): { row: NewApiKey; key: string } => {
  const { name, scopes = SCOPES, servers = null, expiresAt = null, createdBy = null } = options;
  const key = createSecret('api_key');
  const at = Date.now();
  const row = {
    id: newId('key'),
    projectId,
    name,
    scopes: [...new Set(scopes)],
    servers: servers && [...servers],
    prefix: secretPrefix(key),
    hash: hashSecret(key),
    createdBy,
    createdAt: at,
    updatedAt: at,
    expiresAt,
  };
  return { row, key };
};

/** Creates an API key without checking the project's quota. */
export const createKey = async (
  store: Pick<Store, 'apiKeys'>,
  projectId: string,
  options: KeyOptions,
): Promise<{ row: ApiKeyRow; key: string }> => {
  const { row, key } = newKey(projectId, options);
  return { row: await store.apiKeys.create(row), key };
};

/** A new secret for a key. The old one works for `graceSeconds` more. */
export const rotatedKey = (
  { hash }: Pick<ApiKeyRow, 'hash'>,
  graceSeconds: number,
): { key: string; patch: Pick<ApiKeyRow, 'hash' | 'prefix' | 'previousHash' | 'previousExpiresAt'> } => {
  const key = createSecret('api_key');
  const previous =
    graceSeconds === 0
      ? { previousHash: null, previousExpiresAt: null }
      : { previousHash: hash, previousExpiresAt: Date.now() + graceSeconds * 1000 };
  return { key, patch: { hash: hashSecret(key), prefix: secretPrefix(key), ...previous } };
};
