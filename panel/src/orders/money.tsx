import { useState } from 'react';
import { readAmount } from '../amount.ts';
import { useTexts } from '../i18n.ts';
import { AccountField, NumberField } from '../parts/common-fields.tsx';
import { TextField } from '../parts/controls.tsx';
import { isolated, plain } from '../parts/text.tsx';
import { useProject } from '../queries.ts';
import { useSession } from '../session.ts';
import { RecentChange } from './recent-change.tsx';
import { type OrderProps, OrderShell } from './shell.tsx';

/** Gives or deducts money: shows what the balance becomes, and asks for a large amount twice. */
export const MoneyOrder = (props: OrderProps<'money'>) => {
  const { player, draft } = props;
  const { t, number, locale } = useTexts();
  const { project } = useSession();
  const { data: bounds } = useProject();
  const accounts = Object.keys(player.accounts);
  const [typed, setTyped] = useState({
    account: draft.account ?? (accounts.includes('bank') ? 'bank' : (accounts[0] ?? 'bank')),
    amount: draft.amount ?? '',
  });
  const [repeated, setRepeated] = useState('');
  const max = Math.min(project.maxAmount ?? Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
  const { account } = typed;
  const isFilled = draft.amount !== undefined;
  const { action } = draft;
  const value = readAmount(typed.amount, { locale, max });
  const balance = player.accounts[account];
  const change = typeof value !== 'number' ? undefined : action === 'add' ? value : -value;
  const after = balance === undefined || change === undefined ? undefined : balance + change;
  const isShort = after !== undefined && after < 0;
  const isLarge = typeof value === 'number' && bounds !== undefined && value > bounds.confirmAbove;
  const isRepeated = !isLarge || readAmount(repeated, { locale, max }) === value;
  return (
    <OrderShell
      {...props}
      kind={action}
      reason="needed"
      isReasonFirst={isFilled}
      isTyped={typed.amount !== (draft.amount ?? '')}
      submit={typeof value === 'number' ? t(`dialog.${action}.submit`, { amount: number(value) }) : undefined}
      isOff={isShort}
      says={
        <p className={isShort ? 'effect short' : 'effect'} aria-live="polite">
          <span className="dim">{isolated(account)}</span>{' '}
          <span>
            {balance === undefined ? '…' : number(balance)} →{' '}
            <strong>{after === undefined ? '…' : number(after)}</strong>
            {isShort ? ` · ${t('dialog.short', { missing: number(-after) })}` : null}
          </span>
        </p>
      }
      body={(common) =>
        typeof value === 'number' && isRepeated ? { ...common, type: account, action, amount: value } : undefined
      }
    >
      {(isTouched) => (
        <>
          <div className="row top">
            <NumberField
              className="grow amount"
              label={t('dialog.amount')}
              value={typed.amount}
              max={max}
              isTouched={isTouched}
              data-autofocus={isFilled ? undefined : true}
              onChange={(amount) => setTyped((old) => ({ ...old, amount }))}
            />
            <AccountField
              known={accounts}
              value={account}
              onChange={(chosen) => setTyped((old) => ({ ...old, account: chosen }))}
            />
          </div>
          {isLarge ? (
            <TextField
              label={t('dialog.repeat', { amount: number(value) })}
              value={repeated}
              inputMode="numeric"
              autoComplete="off"
              error={isTouched && !isRepeated ? t('dialog.repeat.wrong') : undefined}
              onChange={setRepeated}
            />
          ) : null}
          <RecentChange player={player} account={plain(account)} />
        </>
      )}
    </OrderShell>
  );
};
