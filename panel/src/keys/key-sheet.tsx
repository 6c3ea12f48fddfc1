import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { readAmount } from '../amount.ts';
import { type ApiKey, hub, type Schemas, type Scope } from '../api.ts';
import { instantOf, localOf } from '../clock.ts';
import { changedIn, numberText } from '../drafts.ts';
import { type Texts, useTexts } from '../i18n.ts';
import { useMadeBefore } from '../made-before.ts';
import { NumberField, ServerChecks, toggled } from '../parts/common-fields.tsx';
import { CheckField, TextField } from '../parts/controls.tsx';
import { Sheet } from '../parts/form-dialog.tsx';
import { allPages } from '../queries.ts';
import { useSession } from '../session.ts';

const GROUPS = ['see', 'players', 'goods', 'many', 'manage'] as const;

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

const scopesIn = (group: (typeof GROUPS)[number]): Scope[] => ALL.filter((scope) => GROUP_OF[scope] === group);

const lackedBy = (scopes: readonly string[]): Scope[] => ALL.filter((scope) => !scopes.includes(scope));

const PRESETS = ['moderator', 'bot', 'admin'] as const;
type Preset = (typeof PRESETS)[number];
const MODERATING: readonly Scope[] = [...scopesIn('see'), 'commands:kick', 'commands:player', 'commands:announce'];
const SCOPES_OF: Record<Preset, readonly Scope[]> = {
  moderator: MODERATING,
  bot: [...MODERATING, ...scopesIn('goods'), 'commands:batch'],
  admin: ALL,
};

/** The scopes of a preset, as far as a key with `offered` may give them. */
const scopesOf = (preset: Preset, offered: readonly Scope[]): Scope[] =>
  SCOPES_OF[preset].filter((scope) => offered.includes(scope));

const isSame = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((each) => others.includes(each));

/** The preset that these scopes are; undefined: an own choice. */
const presetOf = (scopes: readonly string[], offered: readonly Scope[] = ALL): Preset | undefined =>
  PRESETS.find((preset) => isSame(scopes, scopesOf(preset, offered)));

/** The rights of a key in one or two words. */
export const scopesInShort = ({ t, count }: Texts, scopes: readonly string[]): string => {
  const preset = presetOf(scopes);
  return preset === undefined ? count('keys.scopeCount', scopes.length) : t(`keys.preset.${preset}`);
};

/** The rights of a key, scope by scope. */
export const scopesInWords = ({ textOr }: Texts, scopes: readonly string[]): string[] =>
  scopes.map((scope) => textOr(`scope.${scope}`, scope));

export const boundsInWords = (
  { t, number }: Texts,
  { maxBatchTargets, maxBatchTotal, rateLimit }: Pick<ApiKey, 'maxBatchTargets' | 'maxBatchTotal' | 'rateLimit'>,
): string[] => [
  ...(maxBatchTargets === null ? [] : [`${t('keys.players')}: ${number(maxBatchTargets)}`]),
  ...(maxBatchTotal === null ? [] : [`${t('keys.money')}: ${number(maxBatchTotal)}`]),
  ...(rateLimit === null ? [] : [`${t('keys.requests')}: ${number(rateLimit)}`]),
];

/** The bounds of a key, and the largest that the hub takes. */
const MOST = {
  maxBatchTargets: 10_000,
  maxBatchTotal: Number.MAX_SAFE_INTEGER,
  rateLimit: 10_000,
} as const;
type Bound = keyof typeof MOST;
const BOUNDS = Object.keys(MOST) as Bound[];

type KeyDraft = {
  name: string;
  scopes: readonly Scope[];
  /** Ids; none: all servers. */
  servers: readonly string[];
  /** Local time of the browser; empty: never. */
  expiresAt: string;
} & Record<Bound, string>;

const newKeyDraft = (scopes: readonly Scope[]): KeyDraft => ({
  ...{ name: '', scopes, servers: [], expiresAt: '' },
  ...{ maxBatchTargets: '', maxBatchTotal: '', rateLimit: '' },
});

const keyDraftOf = (key: ApiKey): KeyDraft => ({
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
const readBound = (draft: KeyDraft, name: Bound, locale: string): ReturnType<typeof readAmount> | null => {
  const isOffered = name === 'rateLimit' || draft.scopes.includes('commands:batch');
  if (!isOffered || draft[name].trim() === '') return null;
  return readAmount(draft[name], { locale, max: MOST[name] });
};

type Settings = Required<Schemas['KeyChange']>;

/** The settings of a form; undefined: something is missing or wrong. `own`: the servers of the user's own key. */
const readKey = (draft: KeyDraft, locale: string, own: string[] | null): Settings | undefined => {
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

const LABELS = {
  maxBatchTargets: 'keys.players',
  maxBatchTotal: 'keys.money',
  rateLimit: 'keys.requests',
} as const;

type Fields = { draft: KeyDraft; onChange: (change: Partial<KeyDraft>) => void };

/** The scopes that the user's own key lacks, and how it gets them: keys of earlier releases lack newer scopes. */
const Lacking = () => {
  const { t, rich } = useTexts();
  const { scopes, key, project } = useSession();
  const lacking = lackedBy(scopes);
  if (lacking.length === 0) return null;
  return (
    <p className="dim small">
      {rich('keys.lacking', {
        scopes: lacking.map((scope) => t(`scope.${scope}`)).join(', '),
        command: <code key="command">{`causeway key set ${key.id} --project ${project.slug} --scopes all`}</code>,
      })}
    </p>
  );
};

const Presets = ({ draft: { scopes }, offered, onChange }: Fields & { offered: readonly Scope[] }) => {
  const { t } = useTexts();
  const chosen = presetOf(scopes, offered);
  return (
    <fieldset className="presets">
      <legend>{t('keys.presets')}</legend>
      {PRESETS.map((preset) => (
        <label key={preset} className="preset">
          <input
            type="radio"
            name="preset"
            checked={preset === chosen}
            onChange={() => onChange({ scopes: scopesOf(preset, offered) })}
          />
          <span>{t(`keys.preset.${preset}`)}</span>
          <span className="dim small">{t(`keys.presetSays.${preset}`)}</span>
        </label>
      ))}
    </fieldset>
  );
};

const Scopes = ({ draft: { scopes }, offered, onChange }: Fields & { offered: readonly Scope[] }) => {
  const { t } = useTexts();
  return (
    <fieldset>
      <legend>{t('keys.scopes')}</legend>
      {GROUPS.map((group) => [group, scopesIn(group).filter((scope) => offered.includes(scope))] as const)
        .filter(([, some]) => some.length > 0)
        .map(([group, some]) => (
          <div key={group} className="checks">
            <span className="small">{t(`keys.group.${group}`)}</span>
            {some.map((scope) => (
              <CheckField
                key={scope}
                label={t(`scope.${scope}`)}
                checked={scopes.includes(scope)}
                onChange={() => onChange({ scopes: toggled(scopes, scope) })}
              />
            ))}
          </div>
        ))}
      <Lacking />
    </fieldset>
  );
};

const BoundField = ({ name, draft, onChange }: Fields & { name: Bound }) => {
  const { t, number } = useTexts();
  return (
    <NumberField
      label={t(LABELS[name])}
      value={draft[name]}
      max={MOST[name]}
      isOptional
      large={t('keys.large', { max: number(MOST[name]) })}
      onChange={(text) => onChange({ [name]: text })}
    />
  );
};

/** The name of a key, its permissions and its limits. Only permissions of the user's own key are offered. */
const KeyFields = ({ draft, onChange }: Fields) => {
  const { t } = useTexts();
  const { scopes: offered } = useSession();
  const { name, scopes, servers: chosen, expiresAt } = draft;
  const bounds = BOUNDS.filter((bound) => bound === 'rateLimit' || scopes.includes('commands:batch'));
  return (
    <>
      <TextField
        label={t('keys.person')}
        value={name}
        maxLength={128}
        data-autofocus
        onChange={(text) => onChange({ name: text })}
      />
      <Presets draft={draft} offered={offered} onChange={onChange} />
      <Scopes draft={draft} offered={offered} onChange={onChange} />
      <ServerChecks chosen={chosen} onChange={(ids) => onChange({ servers: ids })} />
      <fieldset>
        <legend>{t('keys.limits')}</legend>
        <div className="fields">
          {bounds.map((bound) => (
            <BoundField key={bound} name={bound} draft={draft} onChange={onChange} />
          ))}
          <TextField
            type="datetime-local"
            label={t('keys.expiresAt')}
            value={expiresAt}
            onChange={(text) => onChange({ expiresAt: text })}
          />
        </div>
        <p className="dim small">{t('keys.boundHint')}</p>
      </fieldset>
    </>
  );
};

const readKeys = (): Promise<ApiKey[]> => allPages((query) => hub.request('get', '/api/v2/keys', { query }));

const make = (body: Schemas['NewKey']) => hub.request('post', '/api/v2/keys', { body });

/** Another secret for a key that was made, and whose secret was lost on its way; what was changed since then counts. */
const renew = async ({ id }: ApiKey, body: Schemas['KeyChange']) => {
  await hub.request('patch', '/api/v2/keys/{id}', { path: { id }, body });
  return hub.request('post', '/api/v2/keys/{id}/rotate', { path: { id } });
};

/** Makes a key, or changes `row`. `onDone` gets the secret of a new one. */
export const KeySheet = ({
  row,
  onDone,
  onClose,
}: {
  row: ApiKey | undefined;
  onDone: (made: { id: string; name: string; key: string } | undefined) => void;
  onClose: () => void;
}) => {
  const { t, locale } = useTexts();
  const session = useSession();
  const [before] = useState(() =>
    row === undefined ? newKeyDraft(scopesOf('moderator', session.scopes)) : keyDraftOf(row),
  );
  const [draft, setDraft] = useState(before);
  const madeBefore = useMadeBefore(readKeys);
  const settings = readKey(draft, locale, session.servers);
  const save = useMutation({
    mutationFn: async () => {
      if (settings === undefined) return undefined;
      const { maxBatchTargets, maxBatchTotal, rateLimit, ...others } = settings;
      // A new key without a bound gets that of the user's own key.
      const bounds = Object.entries({ maxBatchTargets, maxBatchTotal, rateLimit }).filter(
        ([, bound]) => bound !== null,
      );
      if (row === undefined) {
        const { name } = settings;
        // Nobody has the secret of one whose answer was lost.
        const isMine = (each: ApiKey): boolean => each.name === name && each.createdBy === session.key.id;
        const body = { ...others, ...Object.fromEntries(bounds) };
        return madeBefore(isMine, (made) => (made === undefined ? make(body) : renew(made, body)));
      }
      const body = changedIn(before, draft, settings);
      await hub.request('patch', '/api/v2/keys/{id}', { path: { id: row.id }, body });
      return undefined;
    },
    onSuccess: onDone,
  });
  return (
    <Sheet
      title={t(row === undefined ? 'keys.add' : 'keys.change')}
      submit={t(row === undefined ? 'keys.make' : 'common.save')}
      isDirty={draft !== before && !save.isSuccess}
      isReady={settings !== undefined && draft !== before}
      isPending={save.isPending}
      error={save.error}
      lost={row === undefined ? 'secret' : 'again'}
      onSubmit={() => save.mutate()}
      onClose={onClose}
    >
      <KeyFields draft={draft} onChange={(change) => setDraft((old) => ({ ...old, ...change }))} />
    </Sheet>
  );
};
