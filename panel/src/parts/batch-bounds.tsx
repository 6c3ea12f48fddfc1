import { TextInput } from '@mantine/core';
import { readAmount } from '../amount.ts';
import { useTexts } from '../i18n.ts';

/** Longer than any number: a number that is cut short would be another one. */
const MAX_LENGTH = 64;
const EXAMPLE = 15_000;
const MOST = { players: 10_000, money: Number.MAX_SAFE_INTEGER };

export type TypedBounds = Record<keyof typeof MOST, string>;
export const NO_BOUNDS: TypedBounds = { players: '', money: '' };

type Read = ReturnType<typeof readAmount> | undefined;

/** The bounds of a key's batches as they are typed; undefined where the field is empty. */
export const readBounds = (typed: TypedBounds, locale: string): Record<keyof TypedBounds, Read> => {
  const read = (name: keyof TypedBounds): Read =>
    typed[name].trim() === '' ? undefined : readAmount(typed[name], { locale, max: MOST[name] });
  return { players: read('players'), money: read('money') };
};

/** The bounds of a new key's batches. */
export const BatchBounds = ({ typed, onType }: { typed: TypedBounds; onType: (typed: TypedBounds) => void }) => {
  const { t, number, locale } = useTexts();
  const read = readBounds(typed, locale);
  const field = (name: keyof TypedBounds) => {
    const faults = {
      wrong: t('dialog.amount.wrong', { plain: EXAMPLE, grouped: number(EXAMPLE) }),
      large: t('keys.large', { max: number(MOST[name]) }),
    };
    const value = read[name];
    return (
      <TextInput
        className="grow"
        label={t(`keys.${name}`)}
        description={t('keys.boundHint')}
        value={typed[name]}
        inputMode="numeric"
        maxLength={MAX_LENGTH}
        error={typeof value === 'string' ? faults[value] : undefined}
        onChange={(event) => onType({ ...typed, [name]: event.currentTarget.value })}
      />
    );
  };
  return (
    <div className="row top">
      {field('players')}
      {field('money')}
    </div>
  );
};
