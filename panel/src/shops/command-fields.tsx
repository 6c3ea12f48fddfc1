import { type Texts, useTexts } from '../i18n.ts';
import { Button, SelectField, TextField } from '../parts/controls.tsx';
import { plain } from '../parts/text.tsx';
import { useMay, useMaySend } from '../session.ts';
import { type HubErrors, otherErrors } from './hub-errors.tsx';
import { BUILT_IN, CUSTOM, formOf, newRow, type Row, type Rules, readRow, shownFields } from './mapping.ts';
import { RowFields } from './row-fields.tsx';

/** The commands that the key may map: of the game, declared by the game server, and one whose name is typed. */
export const useCommandNames = (customs: Rules['customs']): string[] => {
  const may = useMay();
  const builtIn = BUILT_IN.filter(useMaySend());
  const declared = [...customs.keys()].map((name) => CUSTOM + name);
  return may('commands:custom') ? [...builtIn, ...declared, CUSTOM] : builtIn;
};

const nameIn = ({ t }: Texts, name: string): string => {
  const builtIn = BUILT_IN.find((each) => each === name);
  if (builtIn !== undefined) return t(`shops.command.${builtIn}`);
  return name === CUSTOM ? t('shops.command.custom') : plain(name.slice(CUSTOM.length));
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
  const form = formOf(row, rules.customs);
  const isTypedName = form === undefined && row.name.startsWith(CUSTOM);
  const selected = isTypedName ? CUSTOM : row.name;
  const read = readRow(row, rules);
  const isNameMissing = isTouched && 'faults' in read && read.faults['name'] === 'missing';
  const fields = form === undefined ? [] : shownFields(form).map((field) => `params/${field}`);
  return (
    <li className="part stack">
      <div className="row between top tight">
        <div className="row top">
          <SelectField
            label={t('shops.command')}
            value={selected}
            options={[...new Set([...names, selected])].map((value) => [value, nameIn(texts, value)] as const)}
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
        <Button isSmall aria-label={t('shops.removeNamed', { what: nameIn(texts, row.name) })} onClick={onRemove}>
          {t('shops.remove')}
        </Button>
      </div>
      <RowFields
        row={row}
        serverId={serverId}
        rules={rules}
        isTouched={isTouched}
        hubError={(field) => errors.get(`${place}/params/${field}`)}
        onType={(field, text) => onChange({ ...row, typed: { ...row.typed, [field]: text } })}
      />
      {otherErrors(errors, place, fields).map((text) => (
        <p key={text} className="change small" role="alert">
          {text}
        </p>
      ))}
    </li>
  );
};
