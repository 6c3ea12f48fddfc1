import type { ApiKey, Scope } from '../api.ts';
import type { Texts } from '../i18n.ts';

export const GROUPS = ['see', 'players', 'goods', 'many', 'manage'] as const;

/** The group of each scope, in the order in which they are shown. */
const GROUP_OF: Record<Scope, (typeof GROUPS)[number]> = {
  'players:read': 'see',
  'commands:read': 'see',
  'servers:read': 'see',
  'commands:kick': 'players',
  'commands:player': 'players',
  'commands:announce': 'players',
  'commands:custom': 'players',
  'commands:money': 'goods',
  'commands:items': 'goods',
  'commands:vehicles': 'goods',
  'commands:job': 'goods',
  'commands:batch': 'many',
  'schedules:write': 'many',
  'commands:resolve': 'manage',
  'players:write': 'manage',
  'servers:write': 'manage',
  'integrations:write': 'manage',
  'webhooks:write': 'manage',
  'keys:write': 'manage',
  'project:write': 'manage',
};
const ALL = Object.keys(GROUP_OF) as Scope[];

export const scopesIn = (group: (typeof GROUPS)[number]): Scope[] => ALL.filter((scope) => GROUP_OF[scope] === group);

export const lackedBy = (scopes: readonly string[]): Scope[] => ALL.filter((scope) => !scopes.includes(scope));

export const PRESETS = ['moderator', 'bot', 'admin'] as const;
export type Preset = (typeof PRESETS)[number];
const SEEING = scopesIn('see');
const SCOPES_OF: Record<Preset, readonly Scope[]> = {
  moderator: [...SEEING, 'commands:kick', 'commands:player', 'commands:announce'],
  bot: [...SEEING, 'commands:kick', 'commands:announce', ...scopesIn('goods'), 'commands:batch'],
  admin: ALL,
};

/** The scopes of a preset, as far as a key with `offered` may give them. */
export const scopesOf = (preset: Preset, offered: readonly Scope[]): Scope[] =>
  SCOPES_OF[preset].filter((scope) => offered.includes(scope));

const isSame = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((each) => others.includes(each));

/** The preset that these scopes are; undefined: an own choice. */
export const presetOf = (scopes: readonly string[], offered: readonly Scope[] = ALL): Preset | undefined =>
  PRESETS.find((preset) => isSame(scopes, scopesOf(preset, offered)));

/** The rights of a key in one or two words. */
export const scopesInShort = ({ t, count }: Texts, scopes: readonly string[]): string => {
  const preset = presetOf(scopes);
  return preset === undefined ? count('keys.scopeCount', scopes.length) : t(`keys.preset.${preset}`);
};

/** The rights of a key, scope by scope. */
export const scopesInWords = ({ t, has }: Texts, scopes: readonly string[]): string[] =>
  scopes.map((scope) => {
    const key = `scope.${scope}`;
    return has(key) ? t(key) : scope;
  });

export const boundsInWords = (
  { t, number }: Texts,
  { maxBatchTargets, maxBatchTotal, rateLimit }: Pick<ApiKey, 'maxBatchTargets' | 'maxBatchTotal' | 'rateLimit'>,
): string[] => [
  ...(maxBatchTargets === null ? [] : [`${t('keys.players')}: ${number(maxBatchTargets)}`]),
  ...(maxBatchTotal === null ? [] : [`${t('keys.money')}: ${number(maxBatchTotal)}`]),
  ...(rateLimit === null ? [] : [`${t('keys.requests')}: ${number(rateLimit)}`]),
];
