import { Button, Checkbox, TextInput } from '@mantine/core';
import { type FormEvent, type KeyboardEvent, type ReactNode, useEffect, useState } from 'react';
import type { Player } from '../api.ts';
import { useTexts } from '../i18n.ts';
import { FormDialog } from '../parts/form-dialog.tsx';
import { Foreign, isolated } from '../parts/text.tsx';
import { useServers } from '../queries.ts';
import { tell } from '../toasts.ts';
import { isLasting, type OrderDraft, type OrderKind } from './draft.ts';
import type { BodyOf, Order, OrderName } from './order.ts';
import { OrderOutcome } from './outcome.tsx';
import { useOrder } from './use-order.ts';

const MAX_REASON = 512;

export type OrderProps<N extends OrderName = OrderName> = {
  player: Player;
  draft: Extract<OrderDraft, { name: N }>;
  onClose: () => void;
};

type Common = { target: string; reason: string };

/** Whether a command that is sent now cannot take effect: the player is offline, or the game server is away. */
const useIsAway = ({ serverId, online }: Player): boolean => {
  const { data: servers = [] } = useServers();
  return !online || servers.some((server) => server.serverId === serverId && !server.connected);
};

/**
 * The dialog around the fields of one command: says what it will do, sends it once, and stays open until its outcome is
 * known. When it is done, it closes, and a toast tells; all else stays here, with what to do.
 */
export const OrderShell = <N extends OrderName>({
  player,
  draft,
  onClose,
  kind,
  blanks = {},
  says,
  submit: button,
  isOff = false,
  isTyped = false,
  reason: need = 'optional',
  body,
  children,
}: OrderProps<N> & {
  kind: OrderKind;
  /** Values of the sentence, beside player and server. */
  blanks?: Record<string, ReactNode>;
  /** In the place of the sentence. */
  says?: ReactNode;
  /** The text of the sending button; undefined: that of the kind. */
  submit?: string | undefined;
  /** It cannot be sent, and `says` tells why. */
  isOff?: boolean;
  isTyped?: boolean;
  reason?: 'needed' | 'optional' | 'none';
  /** Undefined while something is missing or wrong. */
  body: (common: Common) => BodyOf<N> | undefined;
  /** The fields; they show their faults once the form was sent. */
  children?: (isTouched: boolean) => ReactNode;
}) => {
  const { t, rich, has } = useTexts();
  const [reason, setReason] = useState('');
  const [isTouched, setTouched] = useState(false);
  const [isPatient, setPatient] = useState(false);
  const isAway = useIsAway(player);
  const mayWait = isLasting(draft.name) && (isAway || isPatient);
  const waits = mayWait && isPatient;
  // The balance of a player who is away is read again before the command is sent.
  const isBlocked = isOff && !waits;
  const { phase, run, change } = useOrder();
  /** The sent command; a repeated request uses the same one. */
  const [sent, setSent] = useState<Order>();
  const send = (wanted: Order | undefined): void => {
    setSent(wanted);
    if (wanted !== undefined) void run(wanted);
  };
  const isReasonMissing = need === 'needed' && reason.trim() === '';
  useEffect(() => {
    if (phase.is !== 'done') return;
    tell(phase.command, player.name);
    onClose();
  }, [phase, player.name, onClose]);
  const submit = (event: Pick<FormEvent, 'preventDefault'>): void => {
    event.preventDefault();
    setTouched(true);
    if (phase.is !== 'asking' || isReasonMissing || isBlocked) return;
    const filled = body({ target: player.identifier, reason: reason.trim() });
    const wanted = filled && (waits ? { ...filled, deliver: 'when_online' } : filled);
    // The name is that of the body.
    send(wanted && ({ serverId: player.serverId, name: draft.name, body: wanted } as Order));
  };
  const sentence = `dialog.${kind}.says`;
  const sendByKey = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit(event);
  };

  return (
    <FormDialog
      title={t(`dialog.${kind}.title`, { name: isolated(player.name) })}
      isHeld={phase.is === 'sending'}
      isDirty={phase.is === 'asking' && (isTyped || reason !== '')}
      onClose={onClose}
    >
      {phase.is === 'done' ? null : phase.is === 'asking' ? (
        <form onSubmit={submit} onKeyDown={sendByKey} className="stack" noValidate>
          {children?.(isTouched)}
          {need === 'none' ? null : (
            <TextInput
              label={t(need === 'needed' ? 'common.reason' : 'dialog.reason.optional')}
              value={reason}
              maxLength={MAX_REASON}
              autoComplete="off"
              data-autofocus={children === undefined || undefined}
              error={isTouched && isReasonMissing ? t('dialog.reason.missing') : undefined}
              onChange={(event) => setReason(event.currentTarget.value)}
            />
          )}
          {mayWait ? (
            <Checkbox
              label={t('dialog.wait')}
              checked={isPatient}
              onChange={(event) => setPatient(event.currentTarget.checked)}
            />
          ) : null}
          {says ??
            (!has(sentence) ? null : (
              <p className="sentence">
                {rich(sentence, {
                  name: <Foreign key="name">{player.name}</Foreign>,
                  server: <strong key="server">{player.serverId}</strong>,
                  ...blanks,
                })}
              </p>
            ))}
          <div className="row end">
            <Button variant="default" onClick={onClose}>
              {t('common.cancel')}
            </Button>
            <Button type="submit" disabled={isBlocked}>
              {waits ? t('dialog.wait.submit') : (button ?? t(`dialog.${kind}.submit`, { amount: '…' }))}
            </Button>
          </div>
        </form>
      ) : (
        <OrderOutcome phase={phase} name={player.name} onClose={onClose} onChange={change} onAsk={() => send(sent)} />
      )}
    </FormDialog>
  );
};
