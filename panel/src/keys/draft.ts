import { readAmount } from '../amount.ts';
import type { ApiKey, Schemas, Scope } from '../api.ts';
import { numberText } from '../drafts.ts';
import { instantOf, localOf } from '../moment.ts';

/** The bounds of a key, and the largest that the hub takes. */
export const MOST = {
  maxBatchTargets: 10_000,
  maxBatchTotal: Number.MAX_SAFE_INTEGER,
  rateLimit: 10_000,
} as const;
export type Bound = keyof typeof MOST;
export const BOUNDS = Object.keys(MOST) as Bound[];

/** A key as it is typed. */
export type KeyDraft = {
  name: string;
  scopes: readonly Scope[];
  /** Ids; none: all servers. */
  servers: readonly string[];
  /** Local time of the browser; empty: never. */
  expiresAt: string;
} & Record<Bound, string>;

export const newKeyDraft = (scopes: readonly Scope[]): KeyDraft => ({
  ...{ name: '', scopes, servers: [], expiresAt: '' },
  ...{ maxBatchTargets: '', maxBatchTotal: '', rateLimit: '' },
});

/** A stored key for the form. */
export const keyDraftOf = (key: ApiKey): KeyDraft => ({
  name: key.name,
  // The hub knows no others.
  scopes: key.scopes as Scope[],
  servers: key.servers ?? [],
  expiresAt: key.expiresAt === null ? '' : localOf(key.expiresAt),
  maxBatchTargets: numberText(key.maxBatchTargets),
  maxBatchTotal: numberText(key.maxBatchTotal),
  rateLimit: numberText(key.rateLimit),
});

/** A bound as it is typed; null: none. Bounds of batches do not count for a key that starts none. */
export const readBound = (draft: KeyDraft, name: Bound, locale: string): ReturnType<typeof readAmount> | null => {
  const isOffered = name === 'rateLimit' || draft.scopes.includes('commands:batch');
  if (!isOffered || draft[name].trim() === '') return null;
  return readAmount(draft[name], { locale, max: MOST[name] });
};

type Settings = Required<Schemas['KeyChange']>;

/** The settings of a form; undefined: something is missing or wrong. `own`: the servers of the user's own key. */
export const readKey = (draft: KeyDraft, locale: string, own: string[] | null): Settings | undefined => {
  const [maxBatchTargets, maxBatchTotal, rateLimit] = BOUNDS.map((name) => readBound(draft, name, locale));
  const name = draft.name.trim();
  const expiresAt = draft.expiresAt === '' ? null : instantOf(draft.expiresAt);
  if (name === '' || draft.scopes.length === 0 || expiresAt === undefined) return undefined;
  if ([maxBatchTargets, maxBatchTotal, rateLimit].some((bound) => typeof bound === 'string')) return undefined;
  return {
    name,
    scopes: [...draft.scopes],
    servers: draft.servers.length > 0 ? [...draft.servers] : own,
    expiresAt,
    ...({ maxBatchTargets, maxBatchTotal, rateLimit } as Record<Bound, number | null>),
  };
};
