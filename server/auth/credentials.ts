import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { ApiKeyRow } from '../../db/queries/api-keys.ts';
import type { ProjectRow } from '../../db/queries/projects.ts';
import type { ServerRow } from '../../db/queries/servers.ts';
import type { Store } from '../../db/store.ts';
import type { Tuning } from '../platform/config.ts';
import { HubError, rateLimited } from '../platform/errors.ts';
import { Newest, Windows } from '../platform/windows.ts';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_LENGTH = 32;
const CHECKSUM_LENGTH = 6;

/**
 * `api_key` for REST, `bridge_token` for game servers, `panel_session` for the cookie of the panel,
 * `setup_link` and `setup_session` for the setup of an empty hub.
 */
export type SecretKind = 'api_key' | 'bridge_token' | 'panel_session' | 'setup_link' | 'setup_session';
const PREFIXES: Record<SecretKind, string> = {
  api_key: 'cw_live_',
  bridge_token: 'cwb_',
  panel_session: 'cwp_',
  setup_link: 'cws_',
  setup_session: 'cwt_',
};

/** The start of every kind of secret, for patterns that find secrets in a text. */
export const SECRET_START = new RegExp(Object.values(PREFIXES).join('|'));
/** Every secret in a text, even a damaged one. */
export const SECRETS = new RegExp(`(?:${SECRET_START.source})[0-9A-Za-z]+`, 'g');

const randomText = (length: number): string => {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      // 248 is the largest multiple of 62 below 256: without it, the first letters would be more frequent.
      if (byte < 248 && text.length < length) text += BASE62.charAt(byte % 62);
    }
  }
  return text;
};

const checksum = (text: string): string => {
  let rest = crc32(text);
  let digits = '';
  for (let place = 0; place < CHECKSUM_LENGTH; place += 1) {
    digits = BASE62.charAt(rest % 62) + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
};

/** A new secret: prefix, 32 base62 characters of randomness (190 bits), 6 of CRC-32. Shown once, never stored. */
export const newSecret = (kind: SecretKind): string => {
  const body = PREFIXES[kind] + randomText(RANDOM_LENGTH);
  return body + checksum(body);
};

/** Whether a text has the form and checksum of such a secret; nothing is looked up. */
export const isWellFormedSecret = (kind: SecretKind, text: string): boolean => {
  const prefix = PREFIXES[kind];
  if (text.length !== prefix.length + RANDOM_LENGTH + CHECKSUM_LENGTH || !text.startsWith(prefix)) return false;
  if (!/^[0-9A-Za-z]+$/.test(text.slice(prefix.length))) return false;
  const split = text.length - CHECKSUM_LENGTH;
  return checksum(text.slice(0, split)) === text.slice(split);
};

/** The hash that is stored instead of a secret. A fast hash is enough: 190 random bits cannot be guessed. */
export const hashSecret = (text: string): string => hash('sha256', text, 'hex');

/** The first characters of a secret, so that people can tell keys apart. */
export const secretPrefix = (text: string): string => text.slice(0, 12);

/** Permissions for commands, after `commands:`. Several commands can need the same one. */
const COMMAND_SCOPES = ['kick', 'money', 'items', 'vehicles', 'job', 'announce', 'player'] as const;
export type CommandScope = (typeof COMMAND_SCOPES)[number];

/** All permissions that a key can have. */
export const SCOPES = [
  'players:read',
  'players:write',
  ...COMMAND_SCOPES.map((name) => `commands:${name}` as const),
  'commands:custom',
  'commands:batch',
  'commands:read',
  'commands:resolve',
  'schedules:write',
  'servers:read',
  'servers:write',
  'keys:write',
  'integrations:write',
  'webhooks:write',
  'project:write',
] as const;
export type Scope = (typeof SCOPES)[number];

/** The caller: a key and its project. */
export type Principal = {
  readonly project: ProjectRow;
  readonly key: ApiKeyRow;
  readonly scopes: ReadonlySet<string>;
  /** The servers that the key may use; undefined: all of the project. */
  readonly servers: readonly string[] | undefined;
  /** The limit that the request counts against: of the project's keys, or of reads, changes and sign-ins of the panel. */
  readonly bucket: 'project' | 'panel' | 'people' | 'sign-ins';
};

/** The principal of a key. Expiry and revocation are not checked. */
export const principalOf = (key: ApiKeyRow, project: ProjectRow, bucket: Principal['bucket']): Principal => ({
  project,
  key,
  scopes: new Set(key.scopes),
  servers: key.servers ?? undefined,
  bucket,
});

const REFUSED_FOR_MS = 10 * 60 * 1000;
const REFUSED_AT_MOST = 1_000;

/** A key is cached for this long, so a revocation by another process takes effect within a second. */
const TRUSTED_MS = 900;
/** While the database does not answer, a key is cached for this long, so that health requests are answered. */
const TRUSTED_BLINDLY_MS = 60_000;
const CACHE_SIZE = 10_000;
const LAST_USE_EVERY_MS = 60_000;

type Cached = { principal: Principal; checkedAt: number; isStale: boolean };

/** Look-ups of unknown bridge tokens in one second, for the whole hub. */
const UNKNOWN_TOKENS_PER_SECOND = 50;
const GOOD_TOKENS = 50_000;

/** Keys and tokens: form, checksum, limit on wrong ones, look-up, last use. */
export const createCredentials = ({
  store,
  tuning,
  now = Date.now,
}: {
  store: Pick<Store, 'apiKeys' | 'servers' | 'setupLinks'>;
  tuning: Pick<Tuning, 'wrongKeysPerMinute'>;
  now?: () => number;
}) => {
  const cache = new Newest<Cached>(CACHE_SIZE);
  const used = new Map<string, number>();
  const written = new Map<string, number>();
  const wrong = new Windows();
  /** Failed look-ups of the whole hub. */
  const failed = new Windows({ ms: 1_000, names: 1 });
  /** Hashes of tokens that have opened a socket. */
  const goodTokens = new Newest<true>(GOOD_TOKENS);
  /** Times of wrong bridge tokens, by their first characters. */
  const refusedTokens = new Newest<number>(REFUSED_AT_MOST);

  const countWrong = (from: string): void => void wrong.add(from);

  const refuse = (code: 'invalid_api_key', from: string): never => {
    countWrong(from);
    throw new HubError(code);
  };

  const noteRefused = (token: string): void => void refusedTokens.set(secretPrefix(token), now());
  /** Whether an unknown token may be looked up. An address with many wrong secrets may use half of the look-ups. */
  const mayLookUp = (from: string): boolean =>
    failed.read('').count < UNKNOWN_TOKENS_PER_SECOND / (isBlocked(from) ? 2 : 1);

  const isBlocked = (from: string): boolean => wrong.read(from).count >= tuning.wrongKeysPerMinute;

  const blocked = (from: string): HubError =>
    rateLimited(
      `Over ${tuning.wrongKeysPerMinute} wrong secrets came from this address in a minute. Check yours.`,
      Math.ceil(wrong.read(from).resetMs / 1000),
    );

  const assertNotBlocked = (from: string): void => {
    if (isBlocked(from)) throw blocked(from);
  };

  const forget = (): void => {
    for (const entry of cache.values()) entry.isStale = true;
  };

  /** The first use of a new secret ends the old one that has waited for it; of the first key, it ends the setup. */
  const noteUsed = async (key: ApiKeyRow, hash: string): Promise<void> => {
    // A read first: without room on the disk, nothing is written for all other keys.
    if (key.lastUsedAt === null && (await store.setupLinks.isMade(key.id))) await store.setupLinks.end(key.id);
    if (key.hash !== hash || key.previousHash === null || key.previousExpiresAt !== null) return;
    await store.apiKeys.endPrevious(key, now());
    forget();
  };

  const lookUp = async (hash: string): Promise<Principal | undefined> => {
    const found = await store.apiKeys.byHash(hash, now());
    if (found === undefined || found.key.revokedAt !== null || found.project.disabled) return undefined;
    await noteUsed(found.key, hash);
    return principalOf(found.key, found.project, 'project');
  };

  const keep = (hash: string, principal: Principal | undefined): void => {
    cache.delete(hash);
    if (principal !== undefined) cache.set(hash, { principal, checkedAt: performance.now(), isStale: false });
  };

  const ageOf = ({ checkedAt }: Cached): number => performance.now() - checkedAt;
  const isFresh = (cached: Cached): boolean => !cached.isStale && ageOf(cached) < TRUSTED_MS;

  const resolve = async (hash: string): Promise<Principal | undefined> => {
    const cached = cache.get(hash);
    if (cached !== undefined && isFresh(cached)) return cached.principal;
    try {
      const principal = await lookUp(hash);
      keep(hash, principal);
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
        assertNotBlocked(`key ${address}`);
        return refuse('invalid_api_key', `key ${address}`);
      }
      const hash = hashSecret(header);
      if (!cache.has(hash)) assertNotBlocked(`key ${address}`);
      const principal = await resolve(hash);
      if (principal === undefined || !isLive(principal)) return refuse('invalid_api_key', `key ${address}`);
      used.set(principal.key.id, now());
      return principal;
    },

    /** Counts a wrong secret of any kind from this address as a wrong key. */
    countWrong: (address: string): void => countWrong(`key ${address}`),
    /** @throws HubError rate_limited: too many wrong keys came from this address */
    assertNotBlocked: (address: string): void => assertNotBlocked(`key ${address}`),
    /** False while no wrong secret has come: then no address can be blocked. */
    hasWrong: (): boolean => !wrong.isEmpty,
    /** The refusal of an uncached key from an address that has sent too many wrong ones. */
    blockedKey: (header: string, address: string): HubError | undefined =>
      isBlocked(`key ${address}`) && !cache.has(hashSecret(header)) ? blocked(`key ${address}`) : undefined,
    /** Records a use of a key through a panel session. */
    noteUse: (keyId: string): void => {
      used.set(keyId, now());
    },

    /** The current principal of a key that was valid; undefined: it is no longer valid. */
    current: async (header: string): Promise<Principal | undefined> => {
      const principal = await resolve(hashSecret(header));
      return principal !== undefined && isLive(principal) ? principal : undefined;
    },

    /**
     * The server of a bridge token, enabled or not. Tokens that were valid before are always looked up. Others are looked
     * up until too many look-ups of this second have failed; an address with many wrong ones gets half of those.
     * @throws HubError invalid_api_key, rate_limited
     */
    authenticateBridge: async (token: string, address: string): Promise<{ server: ServerRow; project: ProjectRow }> => {
      const from = `token ${address}`;
      if (!isWellFormedSecret('bridge_token', token)) {
        assertNotBlocked(from);
        noteRefused(token);
        return refuse('invalid_api_key', from);
      }
      const hash = hashSecret(token);
      if (!goodTokens.has(hash) && !mayLookUp(from)) {
        throw rateLimited('Too many unknown tokens came in this second.', 1);
      }
      const found = await store.servers.byTokenHash(hash, now());
      if (found === undefined) {
        failed.add('');
        goodTokens.delete(hash);
        noteRefused(token);
        return refuse('invalid_api_key', from);
      }
      goodTokens.set(hash, true);
      refusedTokens.delete(secretPrefix(token));
      return found;
    },

    /** When a bridge last came with a wrong token that begins so, in the last ten minutes (epoch milliseconds). */
    tokenRefusedAt: (prefix: string): number | undefined => {
      const at = refusedTokens.get(prefix);
      return at !== undefined && now() - at < REFUSED_FOR_MS ? at : undefined;
    },

    /** Empties the cache, after a change of a key or a project. */
    forget,

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
