import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { ApiKeyRow } from '../db/api-keys.ts';
import type { ProjectRow } from '../db/projects.ts';
import type { ServerRow } from '../db/servers.ts';
import type { Store } from '../db/store.ts';
import type { Config } from './config.ts';
import { HubError } from './errors.ts';
import { hashSecret, isWellFormedSecret } from './secrets.ts';

/** Everything a key may be allowed to do. */
export const SCOPES = [
  'players:read',
  'commands:kick',
  'commands:money',
  'commands:custom',
  'commands:read',
  'commands:resolve',
  'servers:read',
  'servers:write',
  'keys:write',
] as const;
export type Scope = (typeof SCOPES)[number];

/** Who asks: a key and the project it belongs to. */
export type Principal = {
  readonly project: ProjectRow;
  readonly key: ApiKeyRow;
  readonly scopes: ReadonlySet<string>;
  /** Undefined: every server of the project. */
  readonly servers: readonly string[] | undefined;
  /** Which minute the request counts in: the project's, or that of the panel's reads. */
  readonly bucket: 'project' | 'panel';
};

/** What a key of a project may do, judged by neither its end nor its revocation. */
export const principalOf = (key: ApiKeyRow, project: ProjectRow, bucket: Principal['bucket']): Principal => ({
  project,
  key,
  scopes: new Set(key.scopes),
  servers: key.servers ?? undefined,
  bucket,
});

/** A key that was looked up is trusted for this long: a revocation elsewhere is noticed within a second. */
const TRUSTED_MS = 900;
/** While the database does not answer, for this long: who asks for its health should get an answer. */
const TRUSTED_BLINDLY_MS = 60_000;
const CACHE_SIZE = 10_000;
const LAST_USE_EVERY_MS = 60_000;

type Cached = { principal: Principal; checkedAt: number; isStale: boolean };

/** Keys and tokens: form, checksum, limit on wrong ones, lookup, last use. */
export const createCredentials = ({
  store,
  config,
  now = Date.now,
}: {
  store: Pick<Store, 'apiKeys' | 'servers'>;
  config: Config;
  now?: () => number;
}) => {
  const cache = new Map<string, Cached>();
  const used = new Map<string, number>();
  const written = new Map<string, number>();
  const wrong = new RateLimiterMemory({ points: config.WRONG_KEYS_PER_MINUTE, duration: 60 });

  const countWrong = async (from: string): Promise<void> => {
    await wrong.consume(from).catch(() => undefined);
  };

  const refuse = async (code: 'invalid_api_key', from: string): Promise<never> => {
    await countWrong(from);
    throw new HubError(code);
  };

  const assertNotBlocked = async (from: string): Promise<void> => {
    const state = await wrong.get(from);
    if (state === null || state.remainingPoints > 0) return;
    throw new HubError('rate_limited', 'Too many wrong secrets came from this address. Wait and check yours.', {
      retryAfterS: Math.ceil(state.msBeforeNext / 1000),
    });
  };

  const lookUp = async (hash: string): Promise<Principal | undefined> => {
    const found = await store.apiKeys.byHash(hash, now());
    if (found === undefined || found.key.revokedAt !== null || found.project.disabled) return undefined;
    return principalOf(found.key, found.project, 'project');
  };

  const remember = (hash: string, principal: Principal | undefined): void => {
    cache.delete(hash);
    if (principal === undefined) return;
    if (cache.size >= CACHE_SIZE) {
      for (const oldest of cache.keys()) {
        cache.delete(oldest);
        break;
      }
    }
    cache.set(hash, { principal, checkedAt: performance.now(), isStale: false });
  };

  const ageOf = ({ checkedAt }: Cached): number => performance.now() - checkedAt;
  const isFresh = (cached: Cached): boolean => !cached.isStale && ageOf(cached) < TRUSTED_MS;

  const resolve = async (hash: string): Promise<Principal | undefined> => {
    const cached = cache.get(hash);
    if (cached !== undefined && isFresh(cached)) return cached.principal;
    try {
      const principal = await lookUp(hash);
      remember(hash, principal);
      return principal;
    } catch (error) {
      if (cached === undefined || cached.isStale || ageOf(cached) >= TRUSTED_BLINDLY_MS) throw error;
      return cached.principal;
    }
  };

  const isLive = (principal: Principal): boolean => principal.key.expiresAt === null || principal.key.expiresAt > now();

  return {
    /** The principal of an API key that was looked up a moment ago; undefined: look it up. */
    knownKey: (header: string | undefined): Principal | undefined => {
      const cached = header === undefined ? undefined : cache.get(hashSecret(header));
      if (cached === undefined || !isFresh(cached) || !isLive(cached.principal)) return undefined;
      used.set(cached.principal.key.id, now());
      return cached.principal;
    },

    /** The principal of an API key. @throws HubError missing_api_key, invalid_api_key, rate_limited */
    authenticateKey: async (header: string | undefined, address: string): Promise<Principal> => {
      if (header === undefined || header === '') throw new HubError('missing_api_key');
      if (!isWellFormedSecret('api_key', header)) {
        await assertNotBlocked(`key ${address}`);
        return refuse('invalid_api_key', `key ${address}`);
      }
      const hash = hashSecret(header);
      if (!cache.has(hash)) await assertNotBlocked(`key ${address}`);
      const principal = await resolve(hash);
      if (principal === undefined || !isLive(principal)) return refuse('invalid_api_key', `key ${address}`);
      used.set(principal.key.id, now());
      return principal;
    },

    /** Another wrong secret, of whatever kind, came from this address: it counts as a wrong key. */
    countWrong: (address: string): Promise<void> => countWrong(`key ${address}`),
    /** Too many wrong keys came from there. @throws HubError rate_limited */
    assertNotBlocked: (address: string): Promise<void> => assertNotBlocked(`key ${address}`),
    /** A key was used otherwise than by showing it: through a session of the panel. */
    noteUse: (keyId: string): void => {
      used.set(keyId, now());
    },

    /** Who a key that was good once is now, and what it may do; undefined: nobody any more. */
    current: async (header: string): Promise<Principal | undefined> => {
      const principal = await resolve(hashSecret(header));
      return principal !== undefined && isLive(principal) ? principal : undefined;
    },

    /** The server a bridge token belongs to, enabled or not. @throws HubError invalid_api_key, rate_limited */
    authenticateBridge: async (token: string, address: string): Promise<{ server: ServerRow; project: ProjectRow }> => {
      await assertNotBlocked(`token ${address}`);
      if (!isWellFormedSecret('bridge_token', token)) return refuse('invalid_api_key', `token ${address}`);
      const found = await store.servers.byTokenHash(hashSecret(token), now());
      return found ?? refuse('invalid_api_key', `token ${address}`);
    },

    /** Nothing is trusted any more without another look: after a change of a key or a project. */
    forget: (): void => {
      for (const entry of cache.values()) entry.isStale = true;
    },

    /** Writes last uses, at most once a minute and key. */
    writeLastUses: async (): Promise<void> => {
      const due = [...used].filter(([id, at]) => at - (written.get(id) ?? 0) >= LAST_USE_EVERY_MS);
      if (due.length === 0) return;
      for (const [id, at] of due) {
        used.delete(id);
        written.set(id, at);
      }
      await store.apiKeys.touch(due.map(([id, at]) => ({ id, at })));
    },
  };
};
export type Credentials = ReturnType<typeof createCredentials>;
