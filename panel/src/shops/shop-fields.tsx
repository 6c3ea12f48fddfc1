import type { Rules } from '../commands/form.ts';
import { useRules } from '../commands/rules.ts';
import { useTexts } from '../i18n.ts';
import { NumberField, ServerField } from '../parts/common-fields.tsx';
import { SelectField, TextField } from '../parts/controls.tsx';
import type { HubErrors } from './hub-errors.tsx';
import { MappingFields } from './mapping-fields.tsx';
import { readLimit, type ShopDraft } from './shop.ts';

/** Kinds of identifiers that shops send. */
const IDENTIFIERS = ['fivem', 'steam', 'license', 'discord', 'xbl', 'live'];

/** The rules of the form of a shop: those of its game server, and the shop's own limit. */
export const useShopRules = ({ serverId, maxAmount }: ShopDraft): Rules => {
  const rules = useRules(serverId);
  return { ...rules, max: Math.min(rules.max, readLimit(maxAmount, rules.locale) ?? rules.max) };
};

/** The settings of a shop and its packages. */
export const ShopFields = ({
  draft,
  rules,
  isTouched,
  errors,
  onChange,
}: {
  draft: ShopDraft;
  rules: Rules;
  isTouched: boolean;
  errors: HubErrors;
  onChange: (change: Partial<ShopDraft>) => void;
}) => {
  const { t } = useTexts();
  const { name, serverId, identifierKind, packages } = draft;
  const kinds = [...new Set([...IDENTIFIERS, identifierKind])].filter((kind) => kind !== '');
  const limit = (field: 'maxAmount' | 'maxDaily', label: string) => (
    <NumberField
      label={label}
      value={draft[field]}
      max={Number.MAX_SAFE_INTEGER}
      isTouched={isTouched}
      isOptional
      error={errors.get(`/${field}`)}
      onChange={(text) => onChange({ [field]: text })}
    />
  );
  return (
    <>
      <div className="fields">
        <TextField
          label={t('common.name')}
          value={name}
          maxLength={128}
          error={isTouched && name.trim() === '' ? t('custom.field.missing') : errors.get('/name')}
          onChange={(text) => onChange({ name: text })}
        />
        <ServerField
          value={serverId}
          error={errors.get('/serverId')}
          onChange={(chosen) => onChange({ serverId: chosen })}
        />
        <SelectField
          label={t('shops.identifierKind')}
          value={identifierKind}
          error={errors.get('/identifierKind')}
          options={[['', t('shops.anyKind')], ...kinds.map((kind) => [kind, kind] as const)]}
          onChange={(value) => onChange({ identifierKind: value })}
        />
        {limit('maxAmount', t('shops.maxAmount'))}
        {limit('maxDaily', t('shops.maxDaily'))}
      </div>
      <MappingFields
        packages={packages}
        serverId={serverId}
        rules={rules}
        isTouched={isTouched}
        errors={errors}
        onChange={(changed) => onChange({ packages: changed })}
      />
    </>
  );
};
