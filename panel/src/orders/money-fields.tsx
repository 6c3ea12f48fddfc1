import type { readAmount } from '../amount.ts';
import { useTexts } from '../i18n.ts';
import { SelectField, TextField } from '../parts/controls.tsx';
import { plain } from '../parts/text.tsx';

/** Longer than any amount: a number that is cut short would be another one. */
const MAX_AMOUNT = 64;
const EXAMPLE = 15_000;

type Typed = { account: string; amount: string };

/** The account and the amount; `value` is the parsed amount. */
export const MoneyFields = ({
  accounts,
  typed,
  value,
  max,
  isTouched,
  onType,
}: {
  accounts: readonly string[];
  typed: Typed;
  value: ReturnType<typeof readAmount>;
  max: number;
  isTouched: boolean;
  onType: (typed: Typed) => void;
}) => {
  const { t, number } = useTexts();
  const faults = {
    wrong: t('dialog.amount.wrong', { plain: EXAMPLE, grouped: number(EXAMPLE) }),
    large: t('dialog.amount.large', { max: number(max) }),
  };
  return (
    <div className="row top">
      <TextField
        className="grow amount"
        label={t('dialog.amount')}
        value={typed.amount}
        inputMode="numeric"
        maxLength={MAX_AMOUNT}
        data-autofocus
        error={isTouched && typeof value !== 'number' ? faults[value] : undefined}
        onChange={(text) => onType({ ...typed, amount: text })}
      />
      <SelectField
        label={t('dialog.account')}
        value={typed.account}
        onChange={(value) => onType({ ...typed, account: value })}
        options={accounts.map((each) => [each, plain(each)] as const)}
      />
    </div>
  );
};
