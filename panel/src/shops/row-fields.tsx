import { fieldsBesidePlayer, readField } from '../fields.ts';
import { useTexts } from '../i18n.ts';
import { type Entry, NamedField, useCatalogue } from '../orders/named-field.tsx';
import { AccountField, NumberField } from '../parts/common-fields.tsx';
import { AreaField, SelectField, TextField } from '../parts/controls.tsx';
import { CustomField } from '../parts/custom-field.tsx';
import { isolated, plain } from '../parts/text.tsx';
import { textOf as textOfValue } from '../parts/values.tsx';
import {
  type BuiltIn,
  fieldText,
  formOf,
  JSON_FIELD,
  jsonText,
  keptParams,
  MAX_COUNT,
  type Row,
  type Rules,
  readRow,
  textOf,
} from './mapping.ts';

const MAX_GRADE = 6;
const MAX_REASON = 512;
const MAX_JSON = 4_096;

type Fields = {
  row: Row;
  serverId: string;
  rules: Rules;
  isTouched: boolean;
  /** The error of the hub for a parameter. */
  hubError: (field: string) => string | undefined;
  onType: (field: string, text: string) => void;
};

/** The fault of a field: that of the panel once the form was sent, or else that of the hub. */
const useErrorOf = ({ row, rules, isTouched, hubError }: Fields): ((field: string) => string | undefined) => {
  const { t } = useTexts();
  const read = readRow(row, rules);
  return (field) => {
    const fault = isTouched && 'faults' in read ? read.faults[field] : undefined;
    if (fault === 'choose') return t('dialog.choose');
    if (fault === 'grade') return t('dialog.grade.wrong');
    return fault === 'missing' || fault === 'json' ? t(`custom.field.${fault}`) : hubError(field);
  };
};

type Kind = Parameters<typeof useCatalogue>[1];

/** The entry of the catalogue for a name. */
const useEntry = (serverId: string, kind: Kind, name: string): Entry | undefined => {
  const found = useCatalogue(serverId, kind, name === '' ? undefined : name);
  if (name === '') return undefined;
  return found.find((entry) => entry.name === name) ?? { name, label: name };
};

/** A thing of the game, chosen from the catalogue of the server. */
const Thing = ({ kind, field, label, ...fields }: Fields & { kind: Kind; field: string; label: string }) => {
  const { row, serverId, onType } = fields;
  const error = useErrorOf(fields)(field);
  const useEntries = (text: string | undefined) => useCatalogue(serverId, kind, text);
  return (
    <NamedField
      label={label}
      chosen={useEntry(serverId, kind, textOf(row, field))}
      isMissing={false}
      error={error}
      isLater
      find={useEntries}
      onChoose={({ name }) => onType(field, name)}
    />
  );
};

const Whole = ({ field, label, max, ...fields }: Fields & { field: string; label: string; max: number }) => (
  <NumberField
    label={label}
    value={textOf(fields.row, field)}
    max={max}
    isTouched={fields.isTouched}
    error={useErrorOf(fields)(field)}
    onChange={(text) => fields.onType(field, text)}
  />
);

const Grade = (fields: Fields) => {
  const { row, serverId, onType } = fields;
  const { t } = useTexts();
  const error = useErrorOf(fields)('grade');
  const value = textOf(row, 'grade');
  const grades = useEntry(serverId, 'jobs', textOf(row, 'job'))?.grades ?? [];
  const common = { label: t('dialog.grade'), value, error };
  const change = (text: string): void => onType('grade', text);
  if (!grades.some(({ grade }) => String(grade) === value)) {
    return <TextField {...common} inputMode="numeric" maxLength={MAX_GRADE} onChange={change} />;
  }
  const data = grades.map(({ grade, label }) => [String(grade), plain(label)] as const);
  return <SelectField {...common} options={data} onChange={change} />;
};

const BuiltInFields = ({ form, ...fields }: Fields & { form: BuiltIn }) => {
  const { t } = useTexts();
  const errorOf = useErrorOf(fields);
  switch (form) {
    case 'money':
      return (
        <>
          <AccountField
            known={fields.rules.accounts}
            value={textOf(fields.row, 'type')}
            error={errorOf('type')}
            onChange={(text) => fields.onType('type', text)}
          />
          <Whole {...fields} field="amount" label={t('dialog.amount')} max={fields.rules.max} />
        </>
      );
    case 'items':
      return (
        <>
          <Thing {...fields} kind="items" field="item" label={t('dialog.item')} />
          <Whole {...fields} field="count" label={t('dialog.count')} max={MAX_COUNT} />
        </>
      );
    case 'vehicles':
      return <Thing {...fields} kind="vehicles" field="model" label={t('dialog.model')} />;
    case 'job':
      return (
        <>
          <Thing {...fields} kind="jobs" field="job" label={t('dialog.job.field')} />
          <Grade {...fields} />
        </>
      );
  }
};

const JsonField = (fields: Fields) => {
  const { t } = useTexts();
  return (
    <AreaField
      label={t('shops.params')}
      description={t('shops.undeclared')}
      placeholder="{ }"
      value={jsonText(fields.row)}
      maxLength={MAX_JSON}
      spellCheck={false}
      error={useErrorOf(fields)(JSON_FIELD)}
      onChange={(text) => fields.onType(JSON_FIELD, text)}
    />
  );
};

/** The parameters of one command of a package. */
export const RowFields = (fields: Fields) => {
  const { row, serverId, rules, isTouched, hubError, onType } = fields;
  const { t } = useTexts();
  const form = formOf(row, rules.customs);
  const errorOf = useErrorOf(fields);
  if (form === undefined) return <JsonField {...fields} />;
  const kept = keptParams(row, form);
  const also =
    Object.keys(kept).length === 0 ? null : (
      <p className="dim small">{t('shops.also', { params: isolated(textOfValue(kept)) })}</p>
    );
  if (typeof form !== 'string') {
    return (
      <div className="fields">
        {fieldsBesidePlayer(form).map((field) => {
          const value = fieldText(row, field);
          const read = readField(field, value);
          return (
            <CustomField
              key={field.name}
              serverId={serverId}
              field={field}
              value={value}
              fault={isTouched && 'fault' in read ? read.fault : undefined}
              hubError={hubError(field.name)}
              onChange={(text) => onType(field.name, text)}
            />
          );
        })}
        {also}
      </div>
    );
  }
  return (
    <>
      <div className="fields">
        <BuiltInFields {...fields} form={form} />
        <TextField
          label={t('dialog.reason.optional')}
          value={textOf(row, 'reason')}
          maxLength={MAX_REASON}
          error={errorOf('reason')}
          onChange={(text) => onType('reason', text)}
        />
      </div>
      {also}
    </>
  );
};
