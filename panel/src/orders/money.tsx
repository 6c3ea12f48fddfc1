import { useState } from 'react';
import { readAmount } from '../amount.ts';
import { useTexts } from '../i18n.ts';
import { plain } from '../parts/text.tsx';
import { useSession } from '../session.ts';
import { MoneyFields } from './money-fields.tsx';
import { type OrderProps, OrderShell } from './shell.tsx';

/** Gives or deducts money. */
export const MoneyOrder = (props: OrderProps<'money'>) => {
  const { player, draft } = props;
  const { number, locale } = useTexts();
  const { project } = useSession();
  const accounts = Object.keys(player.accounts);
  const [typed, setTyped] = useState({
    account: draft.account ?? (accounts.includes('bank') ? 'bank' : (accounts[0] ?? 'bank')),
    amount: draft.amount ?? '',
  });
  const max = Math.min(project.maxAmount ?? Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
  const { account } = typed;
  const { action } = draft;
  const value = readAmount(typed.amount, { locale, max });
  return (
    <OrderShell
      {...props}
      kind={action}
      reason="needed"
      isTyped={typed.amount !== (draft.amount ?? '')}
      blanks={{
        account: <strong key="account">{plain(account)}</strong>,
        amount: <strong key="amount">{typeof value === 'number' ? number(value) : '…'}</strong>,
        balance: <strong key="balance">{number(player.accounts[account] ?? 0)}</strong>,
      }}
      body={(common) => (typeof value === 'number' ? { ...common, type: account, action, amount: value } : undefined)}
    >
      {(isTouched) => (
        <MoneyFields
          accounts={accounts.includes(account) ? accounts : [...accounts, account]}
          typed={typed}
          value={value}
          max={max}
          isTouched={isTouched}
          isFixed={draft.undoes !== undefined}
          onType={setTyped}
        />
      )}
    </OrderShell>
  );
};
