import type { ApiKeyPatch, ApiKeyRow, NewApiKey } from '../../db/queries/api-keys.ts';
import type { ProjectRow } from '../../db/queries/projects.ts';
import type { Store } from '../../db/store.ts';
import { createTurns } from '../../db/turns.ts';
import { hashSecret, newSecret, SCOPES, type Scope, secretPrefix } from '../auth/credentials.ts';
import { HubError } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import { isoTime, optionalTime } from '../platform/time.ts';
import { quotaExceeded } from './servers.ts';

const KEYS_SCOPE: Scope = 'keys:write';
/** A key that expires within this time does not count as another one that can manage keys. */
const LASTS_MS = 24 * 60 * 60 * 1000;
/** The largest limit of a single key: each limit takes memory on every node. */
export const MAX_KEY_RATE_LIMIT = 10_000;

type KeyOptions = {
  name: string;
  /** Default: all. */
  scopes?: readonly Scope[];
  /** Null, the default: every server of the project. */
  servers?: readonly string[] | null;
  /** Epoch milliseconds; null, the default: never. */
  expiresAt?: number | null;
  /** Bounds of one batch; null, the default: only those of the project. */
  maxBatchTargets?: number | null;
  maxBatchTotal?: number | null;
  /** Requests in any 60 seconds; null, the default: only the limit of the project. */
  rateLimit?: number | null;
  /** The id of the key that made it. */
  createdBy?: string | null;
};

/** The row of a new API key, and its secret, of which only a hash is stored. */
export const newKey = (projectId: string, options: KeyOptions): { row: NewApiKey; key: string } => {
  const { name, scopes = SCOPES, servers = null, expiresAt = null, createdBy = null } = options;
  const { maxBatchTargets = null, maxBatchTotal = null, rateLimit = null } = options;
  const key = newSecret('api_key');
  const at = Date.now();
  const row = {
    id: newId('key'),
    projectId,
    name,
    scopes: [...new Set(scopes)],
    servers: servers && [...servers],
    maxBatchTargets,
    maxBatchTotal,
    rateLimit,
    prefix: secretPrefix(key),
    hash: hashSecret(key),
    createdBy,
    createdAt: at,
    updatedAt: at,
    expiresAt,
  };
  return { row, key };
};

/** An API key as people see it, without its secret. */
export const keyView = (row: ApiKeyRow) => ({
  id: row.id,
  name: row.name,
  prefix: row.prefix,
  scopes: row.scopes,
  servers: row.servers,
  maxBatchTargets: row.maxBatchTargets,
  maxBatchTotal: row.maxBatchTotal,
  rateLimit: row.rateLimit,
  createdBy: row.createdBy,
  createdAt: isoTime(row.createdAt),
  expiresAt: optionalTime(row.expiresAt),
  revokedAt: optionalTime(row.revokedAt),
  lastUsedAt: optionalTime(row.lastUsedAt),
});

/** Whether a key is live and may manage keys for all servers. */
const isAdmin = (row: Pick<ApiKeyRow, 'revokedAt' | 'expiresAt' | 'servers' | 'scopes'>): boolean =>
  row.revokedAt === null &&
  (row.expiresAt ?? Infinity) > Date.now() &&
  row.servers === null &&
  row.scopes.includes(KEYS_SCOPE);

/** The time for which the old secret of a key works: in seconds, or until the first use of the new one. */
type Grace = number | 'until used';

/** A new secret for a key. While a new one waits for its first use, the secret in use is the previous one. */
const rotated = (
  { hash, previousHash, previousExpiresAt }: ApiKeyRow,
  grace: Grace,
): { key: string; patch: ApiKeyPatch } => {
  const key = newSecret('api_key');
  const inUse = previousExpiresAt === null ? (previousHash ?? hash) : hash;
  const previous = {
    previousHash: grace === 0 ? null : inUse,
    previousExpiresAt: grace === 0 || grace === 'until used' ? null : Date.now() + grace * 1000,
  };
  return { key, patch: { hash: hashSecret(key), prefix: secretPrefix(key), ...previous } };
};

/** Creates, changes, rotates and revokes API keys: the only implementation, for REST and the command line. */
export const keyAdmin = ({
  store,
  forgetKeys = () => undefined,
}: {
  store: Pick<Store, 'apiKeys' | 'exclusively'>;
  /** Empties the key caches of the hubs. Without it, each hub reads the change from the row within a second. */
  forgetKeys?: () => void;
}) => {
  const inTurn = createTurns((key, work) => store.exclusively(key, work));

  /** Whether no other key can manage keys for all servers for a day, or at least for as long as this one. */
  const isLastAdmin = async (row: ApiKeyRow): Promise<boolean> => {
    if (!isAdmin(row)) return false;
    const lasts = Math.min(Date.now() + LASTS_MS, (row.expiresAt ?? Infinity) - 1);
    const others = await store.apiKeys.scopesOfOthers(row.projectId, row.id, lasts);
    return !others.some((scopes) => scopes.includes(KEYS_SCOPE));
  };

  const write = async ({ projectId, id }: ApiKeyRow, patch: ApiKeyPatch): Promise<ApiKeyRow> => {
    const changed = await store.apiKeys.update(projectId, id, patch, Date.now());
    if (changed === undefined) throw new HubError('key_not_found');
    forgetKeys();
    return changed;
  };

  /** Two changes at once could each count on the other's key. @throws HubError last_admin_key */
  const unlessLastAdmin = <T>(row: ApiKeyRow, work: () => Promise<T>): Promise<T> =>
    inTurn(`admin keys ${row.projectId}`, async () => {
      if (await isLastAdmin(row)) throw new HubError('last_admin_key');
      return work();
    });

  /** @throws HubError last_admin_key, key_not_found */
  const change = (row: ApiKeyRow, patch: Partial<Omit<ApiKeyRow, 'id' | 'projectId'>>): Promise<ApiKeyRow> => {
    const endsEarlier = (patch.expiresAt ?? row.expiresAt ?? Infinity) < (row.expiresAt ?? Infinity);
    const isHarmless = !isAdmin(row) || (isAdmin({ ...row, ...patch }) && !endsEarlier);
    return isHarmless ? write(row, patch) : unlessLastAdmin(row, () => write(row, patch));
  };

  return {
    /** The key of this id; undefined if there is none, or it was revoked. */
    find: async (projectId: string, id: string): Promise<ApiKeyRow | undefined> => {
      const row = await store.apiKeys.find(projectId, id);
      return row?.revokedAt === null ? row : undefined;
    },
    /** The quota holds for concurrent callers, on all nodes. @throws HubError quota_exceeded */
    create: async (
      { id: projectId, slug, maxKeys }: ProjectRow,
      options: KeyOptions,
    ): Promise<{ row: ApiKeyRow; key: string }> => {
      const { row, key } = newKey(projectId, options);
      const stored = await store.apiKeys.createWithin(row, maxKeys, Date.now());
      const created = stored === 'full' ? undefined : await store.apiKeys.find(projectId, row.id);
      if (created === undefined) throw quotaExceeded(slug, maxKeys, 'keys');
      return { row: created, key };
    },
    change,
    /**
     * Replaces the secret. With `force`, also the last key that can manage keys may lose its old one before the new one
     * was used. @throws HubError last_admin_key, key_not_found
     */
    rotate: async (row: ApiKeyRow, grace: Grace, { force = false } = {}): Promise<{ row: ApiKeyRow; key: string }> => {
      const { key, patch } = rotated(row, grace);
      const replace = () => write(row, patch);
      const isHarmless = grace === 'until used' || force;
      return { row: await (isHarmless ? replace() : unlessLastAdmin(row, replace)), key };
    },
    isLastAdmin,
    /** With `force` also the last key that can manage keys. @throws HubError last_admin_key, key_not_found */
    revoke: async (row: ApiKeyRow, { force = false } = {}): Promise<void> => {
      const patch = { revokedAt: Date.now() };
      await (force ? write(row, patch) : change(row, patch));
    },
  };
};
