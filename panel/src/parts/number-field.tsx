import { readAmount } from '../amount.ts';
import { useTexts } from '../i18n.ts';
import { TextField } from './controls.tsx';

/** Longer than any amount: a number that is cut short would be another one. */
const MAX_TYPED = 64;
const EXAMPLE = 15_000;

/** A whole number from 1 to `max`, or nothing in an optional field. It shows its fault, or else that of the hub. */
export const NumberField = ({
  label,
  value,
  max,
  isTouched,
  isOptional = false,
  description,
  error,
  onType,
}: {
  label: string;
  value: string;
  max: number;
  isTouched: boolean;
  isOptional?: boolean;
  description?: string;
  error?: string | undefined;
  onType: (text: string) => void;
}) => {
  const { t, number, locale } = useTexts();
  const read = readAmount(value, { locale, max });
  const faults = {
    wrong: t('dialog.amount.wrong', { plain: EXAMPLE, grouped: number(EXAMPLE) }),
    large: t('dialog.amount.large', { max: number(max) }),
  };
  const isFaulty = isTouched && !(isOptional && value.trim() === '');
  return (
    <TextField
      label={label}
      value={value}
      inputMode="numeric"
      maxLength={MAX_TYPED}
      description={description}
      error={isFaulty && typeof read !== 'number' ? faults[read] : error}
      onChange={onType}
    />
  );
};
