import { choiceText, type Fault, type Field } from '../fields.ts';
import { useTexts } from '../i18n.ts';
import { ReasonField } from '../parts/common-fields.tsx';
import { AreaField, SelectField, TextField } from '../parts/controls.tsx';
import { PlayerFilter } from '../parts/player-filter.tsx';
import { isolated, plain } from '../parts/text.tsx';
import { ThingField } from './thing-field.tsx';

const useFaultText = (): ((field: Field, fault: Fault) => string) => {
  const { t, number } = useTexts();
  return ({ is, role, schema }, fault) => {
    if (role === 'reason' && fault === 'missing') return t('dialog.reason.missing');
    const { minimum, maximum } = schema;
    if (is === 'number' && fault === 'wrong' && typeof minimum === 'number' && typeof maximum === 'number') {
      return t('custom.field.between', { from: number(minimum), to: number(maximum) });
    }
    return t(`custom.field.${fault}`);
  };
};

/** One parameter of a custom command. */
export const CustomField = ({
  serverId,
  field,
  value,
  fault,
  hubError,
  onChange,
}: {
  serverId: string;
  field: Field;
  value: string;
  fault: Fault | undefined;
  /** The error of the hub for the value. */
  hubError?: string | undefined;
  onChange: (value: string) => void;
}) => {
  const { t } = useTexts();
  const textOf = useFaultText();
  const { name, role, is, isRequired, hint, choices } = field;
  const label = isRequired ? plain(name) : t('custom.field.optional', { name: isolated(name) });
  const error = fault === undefined ? hubError : textOf(field, fault);
  const common = { label, description: hint === '' ? undefined : plain(hint), error, value };
  if (is === 'choice') {
    const options = ['', ...choices.map(choiceText)].map((each) => [each, each === '' ? '–' : plain(each)] as const);
    return <SelectField {...common} options={options} onChange={onChange} />;
  }
  if (role === 'item') {
    return (
      <ThingField
        {...common}
        serverId={serverId}
        kind="items"
        onChoose={(entry) => onChange(entry.name)}
        onClear={() => onChange('')}
      />
    );
  }
  if (role === 'reason') {
    // In the words of the panel: the parameter itself may have any name.
    const why = t(isRequired ? 'common.reason' : 'dialog.reason.optional');
    return <ReasonField {...common} label={why} isTouched={false} onChange={onChange} />;
  }
  if (role === 'player') {
    return (
      <PlayerFilter
        label={label}
        description={common.description}
        error={error}
        target={value === '' ? undefined : value}
        name={undefined}
        serverId={serverId}
        onChange={(target) => onChange(target ?? '')}
      />
    );
  }
  if (is === 'json') {
    return <AreaField {...common} placeholder="{ }" onChange={onChange} />;
  }
  const mode = is === 'number' ? ('decimal' as const) : ('text' as const);
  return <TextField {...common} inputMode={mode} onChange={onChange} />;
};
