import { formOf, type Rules, readDraft } from '../commands/form.ts';
import { FormFields } from '../commands/form-fields.tsx';
import { CUSTOM, isCustomName, kindOf } from '../commands/kinds.ts';
import { describeName } from '../commands.tsx';
import { type Texts, useTexts } from '../i18n.ts';
import { Button, SelectField, TextField } from '../parts/controls.tsx';
import { useMay, useMaySend } from '../session.ts';
import { type HubErrors, otherErrors } from './hub-errors.tsx';
import { BUILT_IN, isGiven, newRow, type Row } from './mapping.ts';

/** The commands that the key may map: of the game, declared by the game server, and one whose name is typed. */
export const useCommandNames = (customs: Rules['customs']): string[] => {
  const may = useMay();
  const builtIn = BUILT_IN.filter(useMaySend());
  const declared = [...customs.keys()].map((name) => CUSTOM + name);
  return may('commands:custom') ? [...builtIn, ...declared, CUSTOM] : builtIn;
};

const nameIn = (texts: Texts, name: string): string =>
  name === CUSTOM ? texts.t('shops.otherCommand') : describeName(texts, name);

/** A command that takes something is called so. */
const nameOf = (texts: Texts, row: Row): string => {
  const kind = kindOf(row);
  return kind === undefined || isGiven(kind) ? nameIn(texts, row.name) : texts.t(`action.${kind}`);
};

/** One command of a package. `place`: where it stands in the request. */
export const CommandFields = ({
  row,
  place,
  serverId,
  rules,
  isTouched,
  errors,
  onChange,
  onRemove,
}: {
  row: Row;
  place: string;
  serverId: string;
  rules: Rules;
  isTouched: boolean;
  errors: HubErrors;
  onChange: (row: Row) => void;
  onRemove: () => void;
}) => {
  const texts = useTexts();
  const { t } = texts;
  const names = useCommandNames(rules.customs);
  const form = formOf(row, rules);
  const isTypedName = form === undefined && isCustomName(row.name);
  const selected = isTypedName ? CUSTOM : row.name;
  const read = readDraft(row, rules);
  const isNameMissing = isTouched && 'faults' in read && read.faults['name'] === 'missing';
  const fields = form === undefined ? [] : form.fields.map((field) => `params/${field.name}`);
  return (
    <li className="part stack">
      <div className="row between top tight">
        <div className="row top">
          <SelectField
            label={t('shops.command')}
            value={selected}
            options={[...new Set([...names, selected])].map(
              (value) => [value, value === row.name ? nameOf(texts, row) : nameIn(texts, value)] as const,
            )}
            onChange={(value) => onChange(newRow(row.key, value))}
          />
          {isTypedName ? (
            <TextField
              label={t('shops.commandName')}
              value={row.name.slice(CUSTOM.length)}
              maxLength={64}
              error={isNameMissing ? t('custom.field.missing') : undefined}
              onChange={(text) => onChange({ ...row, name: CUSTOM + text.trim() })}
            />
          ) : null}
        </div>
        <Button isSmall aria-label={t('shops.removeNamed', { what: nameOf(texts, row) })} onClick={onRemove}>
          {t('shops.remove')}
        </Button>
      </div>
      <FormFields
        draft={row}
        serverId={serverId}
        rules={rules}
        isTouched={isTouched}
        hubError={(field) => errors.get(`${place}/params/${field}`)}
        onType={(typed) => onChange({ ...row, typed: { ...row.typed, ...typed } })}
      />
      {otherErrors(errors, place, fields).map((text) => (
        <p key={text} className="change small" role="alert">
          {text}
        </p>
      ))}
    </li>
  );
};
