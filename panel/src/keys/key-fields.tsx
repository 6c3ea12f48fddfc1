import type { Scope } from '../api.ts';
import { useTexts } from '../i18n.ts';
import { NumberField } from '../parts/common-fields.tsx';
import { CheckField, TextField } from '../parts/controls.tsx';
import { ServerChecks, toggled } from '../parts/server-checks.tsx';
import { useSession } from '../session.ts';
import { BOUNDS, type Bound, type KeyDraft, MOST } from './draft.ts';
import { GROUPS, lackedBy, PRESETS, presetOf, scopesIn, scopesOf } from './scopes.ts';

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
export const KeyFields = ({ draft, onChange }: Fields) => {
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
