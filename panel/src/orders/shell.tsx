import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { Command, Player } from '../api.ts';
import { useTexts } from '../i18n.ts';
import { CheckField, TextField } from '../parts/controls.tsx';
import { Foreign, isolated } from '../parts/text.tsx';
import { Who } from '../parts/who.tsx';
import { useServers } from '../queries.ts';
import { tell } from '../toasts.ts';
import { isUnchanged } from './again.ts';
import { isLasting, type OrderDraft, type OrderKind } from './draft.ts';
import type { BodyOf, Order, OrderName } from './order.ts';
import { OrderForm } from './order-form.tsx';
import { useOrder } from './use-order.ts';

const MAX_REASON = 512;

export type OrderProps<N extends OrderName = OrderName> = {
  player: Player;
  draft: Extract<OrderDraft, { name: N }>;
  /** The command without effect that the dialog repeats. */
  again?: Command | undefined;
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
  again,
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
  isReasonFirst = children === undefined,
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
  /** The reason has the focus when the dialog opens: the rest is filled in. */
  isReasonFirst?: boolean;
  reason?: 'needed' | 'optional' | 'none';
  /** Undefined while something is missing or wrong. */
  body: (common: Common) => BodyOf<N> | undefined;
  /** The fields; they show their faults once the form was sent. */
  children?: (isTouched: boolean) => ReactNode;
}) => {
  const { t, rich, has } = useTexts();
  const navigate = useNavigate();
  const [firstReason] = useState(String(again?.params['reason'] ?? ''));
  const [reason, setReason] = useState(firstReason);
  const [isTouched, setTouched] = useState(false);
  const [isPatient, setPatient] = useState(false);
  const isAway = useIsAway(player);
  const mayWait = isLasting(draft.name) && (isAway || isPatient);
  const waits = mayWait && isPatient;
  // The balance of a player who is away is read again before the command is sent.
  const isBlocked = isOff && !waits;
  const order = useOrder();
  /** The sent command; a repeated request uses the same one. */
  const [sent, setSent] = useState<Order>();
  const send = (wanted: Order | undefined): void => {
    setSent(wanted);
    if (wanted !== undefined) void order.run(wanted);
  };
  const filled = body({ target: player.identifier, reason: reason.trim() });
  const wanted = filled && (waits ? { ...filled, deliver: 'when_online' } : filled);
  const isSame = again !== undefined && wanted !== undefined && isUnchanged(again, wanted);
  // A program may have given none.
  const isReasonMissing = need === 'needed' && reason.trim() === '' && !isSame;
  const submit = (): void => {
    setTouched(true);
    if (isReasonMissing || isBlocked) return;
    const { serverId } = player;
    if (isSame) return send({ serverId, name: 'again', id: again.id });
    // The name is that of the body.
    send(wanted && ({ serverId, name: draft.name, body: wanted } as Order));
  };
  const sentence = `dialog.${kind}.says`;
  const word = button ?? t(`dialog.${kind}.submit`, { amount: '…' });
  return (
    <OrderForm
      title={t(`dialog.${kind}.title`, { name: isolated(player.name) })}
      name={player.name}
      order={order}
      isDirty={isTyped || reason !== firstReason}
      submit={isSame ? t('detail.again') : waits ? t('dialog.wait.submit') : word}
      isOff={isBlocked}
      onSubmit={submit}
      onAsk={() => send(sent)}
      onDone={(command) => {
        tell(command, player.name);
        if (again !== undefined) void navigate({ to: '/journal/$id', params: { id: command.id } });
      }}
      onClose={onClose}
    >
      <p className="dim small">
        <Who player={player} />
      </p>
      {children?.(isTouched)}
      {need === 'none' ? null : (
        <TextField
          label={t(need === 'needed' ? 'common.reason' : 'dialog.reason.optional')}
          value={reason}
          maxLength={MAX_REASON}
          autoComplete="off"
          data-autofocus={isReasonFirst || undefined}
          error={isTouched && isReasonMissing ? t('dialog.reason.missing') : undefined}
          onChange={setReason}
        />
      )}
      {mayWait ? <CheckField label={t('dialog.wait')} checked={isPatient} onChange={setPatient} /> : null}
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
      {again === undefined || wanted === undefined ? null : (
        <p className="dim" role="status">
          {t(isSame ? 'dialog.again.same' : 'dialog.again.changed')}
        </p>
      )}
    </OrderForm>
  );
};
