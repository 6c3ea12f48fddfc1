import { Button, Textarea } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { readAmount } from '../amount.ts';
import type { Command, Player } from '../api.ts';
import { useTexts } from '../i18n.ts';
import type { Order } from '../order.ts';
import { useSession } from '../session.ts';
import { useOrder } from '../use-order.ts';
import { FormDialog } from './form-dialog.tsx';
import { MoneyFields } from './money-fields.tsx';
import { OrderOutcome } from './order-outcome.tsx';
import { Foreign, isolated, plain } from './text.tsx';

export type OrderDraft = { kind: 'kick' | 'add' | 'remove'; account?: string; amount?: string; reason?: string };

const MAX_REASON = 512;

const TITLES = { kick: 'dialog.kick.title', add: 'dialog.give.title', remove: 'dialog.take.title' } as const;

/** Describes the command in one sentence, sends it once, and stays open until its outcome is known. */
export const OrderDialog = ({
  player,
  draft,
  onClose,
  onUndo,
}: {
  player: Player;
  draft: OrderDraft;
  onClose: () => void;
  onUndo: (command: Command) => void;
}) => {
  const { t, rich, number, locale } = useTexts();
  const { project } = useSession();
  const accounts = Object.keys(player.accounts);
  const [typed, setTyped] = useState({
    account: draft.account ?? (accounts.includes('bank') ? 'bank' : (accounts[0] ?? 'bank')),
    amount: draft.amount ?? '',
  });
  const [reason, setReason] = useState(draft.reason ?? '');
  const [isTouched, setTouched] = useState(false);
  const { phase, run, change } = useOrder();
  const isTyped = reason !== (draft.reason ?? '') || typed.amount !== (draft.amount ?? '');

  const { kind } = draft;
  const max = Math.min(project.maxAmount ?? Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
  const { account } = typed;
  const value = readAmount(typed.amount, { locale, max });
  /** Undefined while something is missing. */
  const order = (): Order | undefined => {
    const common = { serverId: player.serverId, target: player.identifier, reason: reason.trim() };
    if (common.reason === '') return undefined;
    if (kind === 'kick') return { ...common, name: 'kick' };
    return typeof value === 'number' ? { ...common, name: 'money', action: kind, account, amount: value } : undefined;
  };
  /** The sent command; a repeated request uses the same one. */
  const [sent, setSent] = useState<Order>();
  const send = (wanted: Order | undefined): void => {
    setSent(wanted);
    if (wanted !== undefined) void run(wanted);
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setTouched(true);
    if (phase.is === 'asking') send(order());
  };
  const name = <Foreign key="name">{player.name}</Foreign>;
  const bold = (text: string) => <strong key={text}>{text}</strong>;
  const sentence = rich(`dialog.${kind}.says`, {
    name,
    server: bold(player.serverId),
    account: bold(plain(account)),
    amount: bold(typeof value === 'number' ? number(value) : '…'),
    balance: bold(number(player.accounts[account] ?? 0)),
  });

  return (
    <FormDialog
      title={t(TITLES[kind], { name: isolated(player.name) })}
      isHeld={phase.is === 'sending'}
      isDirty={phase.is === 'asking' && isTyped}
      onClose={onClose}
    >
      {phase.is === 'asking' ? (
        <form onSubmit={submit} className="stack" noValidate>
          {kind === 'kick' ? null : (
            <MoneyFields
              accounts={accounts}
              typed={typed}
              value={value}
              max={max}
              isTouched={isTouched}
              onType={setTyped}
            />
          )}
          <Textarea
            label={t('common.reason')}
            value={reason}
            maxLength={MAX_REASON}
            rows={2}
            data-autofocus={kind === 'kick' || undefined}
            error={isTouched && reason.trim() === '' ? t('dialog.reason.missing') : undefined}
            onChange={(event) => setReason(event.currentTarget.value)}
          />
          <p className="sentence">{sentence}</p>
          <div className="row end">
            <Button variant="default" onClick={onClose}>
              {t('common.cancel')}
            </Button>
            <Button type="submit" color={kind === 'add' ? 'blue' : 'red'}>
              {t(`dialog.${kind}.submit`)}
            </Button>
          </div>
        </form>
      ) : (
        <OrderOutcome
          phase={phase}
          name={player.name}
          onClose={onClose}
          onChange={change}
          onAsk={() => send(sent)}
          onUndo={onUndo}
        />
      )}
    </FormDialog>
  );
};
