import { type ReactNode, useState } from 'react';
import { readAmount } from '../amount.ts';
import type { Player } from '../api.ts';
import { type Rules, textNamed } from '../commands/form.ts';
import type { Draft, Kind } from '../commands/kinds.ts';
import { useTexts } from '../i18n.ts';
import { TextField } from '../parts/controls.tsx';
import { isolated, plain } from '../parts/text.tsx';
import { useProject } from '../queries.ts';
import { RecentChange } from './recent-change.tsx';

type Money = {
  /** The balance would not do. */
  isShort: boolean;
  /** The amount is large, and was not typed once more. */
  isUnsure: boolean;
  /** The text of the sending button; undefined: that of the kind. */
  word: string | undefined;
  fields: ReactNode;
  /** The balance before and after, in words. */
  says: ReactNode;
};

/** The change of a balance by an order of money; undefined for other commands. */
export const useMoney = ({
  kind,
  draft,
  rules,
  player,
  isTouched,
}: {
  kind: Kind;
  draft: Draft;
  rules: Rules;
  player: Player | undefined;
  isTouched: boolean;
}): Money | undefined => {
  const { t, number } = useTexts();
  const { data: bounds } = useProject();
  const [repeated, setRepeated] = useState('');
  if (player === undefined || (kind !== 'give' && kind !== 'take')) return undefined;
  const account = textNamed(draft, 'type', rules);
  const value = readAmount(textNamed(draft, 'amount', rules), rules);
  const balance = player.accounts[account];
  const after =
    typeof value !== 'number' || balance === undefined
      ? undefined
      : kind === 'give'
        ? balance + value
        : balance - value;
  const isShort = after !== undefined && after < 0;
  const isLarge = typeof value === 'number' && bounds !== undefined && value > bounds.confirmAbove;
  const isUnsure = isLarge && readAmount(repeated, rules) !== value;
  return {
    isShort,
    isUnsure,
    word: typeof value === 'number' ? t(`dialog.${kind}.submit`, { amount: number(value) }) : undefined,
    fields: (
      <>
        {isLarge ? (
          <TextField
            className="wide"
            label={t('dialog.repeat', { amount: number(value) })}
            value={repeated}
            inputMode="numeric"
            autoComplete="off"
            error={isTouched && isUnsure ? t('dialog.repeat.wrong') : undefined}
            onChange={setRepeated}
          />
        ) : null}
        <RecentChange player={player} account={plain(account)} />
      </>
    ),
    says: (
      <p className={isShort ? 'effect short' : 'effect'} aria-live="polite">
        <span className="dim">{isolated(account)}</span>{' '}
        <span>
          {balance === undefined ? '…' : number(balance)} → <strong>{after === undefined ? '…' : number(after)}</strong>
          {isShort ? ` · ${t('dialog.short', { missing: number(-after) })}` : null}
        </span>
      </p>
    ),
  };
};
