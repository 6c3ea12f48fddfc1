import { Checkbox, TextInput } from '@mantine/core';
import type { Scope } from '../api.ts';
import { useTexts } from '../i18n.ts';
import { plain } from '../parts/text.tsx';
import { useServers } from '../queries.ts';
import { useSession } from '../session.ts';
import { BOUNDS, type Bound, type KeyDraft, MOST, readBound } from './draft.ts';
import { GROUPS, lackedBy, PRESETS, presetOf, scopesIn, scopesOf } from './scopes.ts';

/** Longer than any number: a number that is cut short would be another one. */
const MAX_TYPED = 64;
const EXAMPLE = 15_000;
const LABELS = {
  maxBatchTargets: 'keys.players',
  maxBatchTotal: 'keys.money',
  rateLimit: 'keys.requests',
} as const;

type Fields = { draft: KeyDraft; onChange: (change: Partial<KeyDraft>) => void };

const toggled = <T,>(list: readonly T[], value: T): T[] =>
  list.includes(value) ? list.filter((each) => each !== value) : [...list, value];

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
              <Checkbox
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
  const { t, number, locale } = useTexts();
  const read = readBound(draft, name, locale);
  const faults = {
    wrong: t('dialog.amount.wrong', { plain: EXAMPLE, grouped: number(EXAMPLE) }),
    large: t('keys.large', { max: number(MOST[name]) }),
  };
  return (
    <TextInput
      label={t(LABELS[name])}
      value={draft[name]}
      inputMode="numeric"
      maxLength={MAX_TYPED}
      error={typeof read === 'string' ? faults[read] : undefined}
      onChange={(event) => onChange({ [name]: event.currentTarget.value })}
    />
  );
};

/** The name of a key, its permissions and its limits. Only permissions of the user's own key are offered. */
export const KeyFields = ({ draft, onChange }: Fields) => {
  const { t } = useTexts();
  const { scopes: offered } = useSession();
  const { data: servers = [] } = useServers();
  const { name, scopes, servers: chosen, expiresAt } = draft;
  const bounds = BOUNDS.filter((bound) => bound === 'rateLimit' || scopes.includes('commands:batch'));
  return (
    <>
      <TextInput
        label={t('keys.person')}
        value={name}
        maxLength={128}
        data-autofocus
        onChange={(event) => onChange({ name: event.currentTarget.value })}
      />
      <Presets draft={draft} offered={offered} onChange={onChange} />
      <Scopes draft={draft} offered={offered} onChange={onChange} />
      {servers.length < 2 ? null : (
        <fieldset>
          <legend>{t('keys.servers')}</legend>
          <div className="checks">
            {servers.map(({ serverId, name: label }) => (
              <Checkbox
                key={serverId}
                label={plain(label)}
                checked={chosen.includes(serverId)}
                onChange={() => onChange({ servers: toggled(chosen, serverId) })}
              />
            ))}
          </div>
        </fieldset>
      )}
      <fieldset>
        <legend>{t('keys.limits')}</legend>
        <div className="fields">
          {bounds.map((bound) => (
            <BoundField key={bound} name={bound} draft={draft} onChange={onChange} />
          ))}
          <TextInput
            type="datetime-local"
            label={t('keys.expiresAt')}
            value={expiresAt}
            onChange={(event) => onChange({ expiresAt: event.currentTarget.value })}
          />
        </div>
        <p className="dim small">{t('keys.boundHint')}</p>
      </fieldset>
    </>
  );
};
