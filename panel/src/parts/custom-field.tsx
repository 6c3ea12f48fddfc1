import { NativeSelect, Textarea, TextInput } from '@mantine/core';
import { choiceText, type Fault, type Field } from '../fields.ts';
import { useTexts } from '../i18n.ts';
import { isolated, plain } from './text.tsx';

const useFaultText = (): ((field: Field, fault: Fault) => string) => {
  const { t, number } = useTexts();
  return ({ is, schema }, fault) => {
    const { minimum, maximum } = schema;
    if (is === 'number' && fault === 'wrong' && typeof minimum === 'number' && typeof maximum === 'number') {
      return t('custom.field.between', { from: number(minimum), to: number(maximum) });
    }
    return t(`custom.field.${fault}`);
  };
};

/** One parameter of a custom command. */
export const CustomField = ({
  field,
  value,
  fault,
  onChange,
}: {
  field: Field;
  value: string;
  fault: Fault | undefined;
  onChange: (value: string) => void;
}) => {
  const { t } = useTexts();
  const textOf = useFaultText();
  const { name, is, isRequired, hint, choices } = field;
  const common = {
    label: isRequired ? plain(name) : t('custom.field.optional', { name: isolated(name) }),
    ...(hint !== '' && { description: plain(hint) }),
    error: fault === undefined ? undefined : textOf(field, fault),
    value,
  };
  if (is === 'choice') {
    const data = [
      { value: '', label: '–' },
      ...choices.map(choiceText).map((each) => ({ value: each, label: plain(each) })),
    ];
    return <NativeSelect {...common} data={data} onChange={(event) => onChange(event.currentTarget.value)} />;
  }
  if (is === 'json') {
    return <Textarea {...common} placeholder="{ }" onChange={(event) => onChange(event.currentTarget.value)} />;
  }
  const mode = is === 'number' ? ('decimal' as const) : ('text' as const);
  return <TextInput {...common} inputMode={mode} onChange={(event) => onChange(event.currentTarget.value)} />;
};
