import { Button, Checkbox, Textarea } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import type { Command, Player } from '../api.ts';
import { useTexts } from '../i18n.ts';
import { FormDialog } from '../parts/form-dialog.tsx';
import { Foreign, isolated } from '../parts/text.tsx';
import { useServers } from '../queries.ts';
import { canWait, type OrderDraft, type OrderKind } from './draft.ts';
import type { BodyOf, Order, OrderName } from './order.ts';
import { OrderOutcome } from './outcome.tsx';
import { useOrder } from './use-order.ts';

const MAX_REASON = 512;
const HARMLESS: ReadonlySet<OrderKind> = new Set(['add', 'give', 'giveVehicle', 'job', 'message', 'revive', 'heal']);

export type OrderProps<N extends OrderName = OrderName> = {
  player: Player;
  draft: Extract<OrderDraft, { name: N }>;
  onClose: () => void;
  onUndo: (command: Command) => void;
};

type Common = { target: string; reason: string };

/** Whether a command that is sent now cannot take effect: the player is offline, or the game server is away. */
const useIsAway = ({ serverId, online }: Player): boolean => {
  const { data: servers = [] } = useServers();
  return !online || servers.some((server) => server.serverId === serverId && !server.connected);
};

/**
 * The dialog around the fields of one command: describes it in one sentence, sends it once, and stays open until its
 * outcome is known.
 */
export const OrderShell = <N extends OrderName>({
  player,
  draft,
  onClose,
  onUndo,
  kind,
  blanks = {},
  isTyped = false,
  reason: need = 'optional',
  body,
  children,
}: OrderProps<N> & {
  kind: OrderKind;
  /** Values of the sentence, beside player and server. */
  blanks?: Record<string, ReactNode>;
  isTyped?: boolean;
  reason?: 'needed' | 'optional' | 'none';
  /** Undefined while something is missing or wrong. */
  body: (common: Common) => BodyOf<N> | undefined;
  /** The fields; they show their faults once the form was sent. */
  children?: (isTouched: boolean) => ReactNode;
}) => {
  const { t, rich } = useTexts();
  const [reason, setReason] = useState(draft.reason ?? '');
  const [isTouched, setTouched] = useState(false);
  const [isPatient, setPatient] = useState(false);
  const isAway = useIsAway(player);
  const mayWait = canWait(draft) && (isAway || isPatient);
  const { phase, run, change } = useOrder();
  /** The sent command; a repeated request uses the same one. */
  const [sent, setSent] = useState<Order>();
  const send = (wanted: Order | undefined): void => {
    setSent(wanted);
    if (wanted !== undefined) void run(wanted);
  };
  const isReasonMissing = need === 'needed' && reason.trim() === '';
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setTouched(true);
    if (phase.is !== 'asking' || isReasonMissing) return;
    const filled = body({ target: player.identifier, reason: reason.trim() });
    const wanted = filled && (mayWait && isPatient ? { ...filled, deliver: 'when_online' } : filled);
    if (filled !== undefined && draft.undoes !== undefined) {
      const given = reason.trim() === '' ? {} : { reason: reason.trim() };
      return send({ serverId: player.serverId, name: 'undo', id: draft.undoes, ...given });
    }
    // The name is that of the body.
    send(wanted && ({ serverId: player.serverId, name: draft.name, body: wanted } as Order));
  };

  return (
    <FormDialog
      title={t(`dialog.${kind}.title`, { name: isolated(player.name) })}
      isHeld={phase.is === 'sending'}
      isDirty={phase.is === 'asking' && (isTyped || reason !== (draft.reason ?? ''))}
      onClose={onClose}
    >
      {phase.is === 'asking' ? (
        <form onSubmit={submit} className="stack" noValidate>
          <fieldset disabled={draft.undoes !== undefined} className="stack">
            {children?.(isTouched)}
          </fieldset>
          {need === 'none' ? null : (
            <Textarea
              label={t(need === 'needed' ? 'common.reason' : 'dialog.reason.optional')}
              value={reason}
              maxLength={MAX_REASON}
              rows={2}
              data-autofocus={children === undefined || draft.undoes !== undefined || undefined}
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
          <p className="sentence">
            {rich(`dialog.${kind}.says`, {
              name: <Foreign key="name">{player.name}</Foreign>,
              server: <strong key="server">{player.serverId}</strong>,
              ...blanks,
            })}
          </p>
          <div className="row end">
            <Button variant="default" onClick={onClose}>
              {t('common.cancel')}
            </Button>
            <Button type="submit" color={HARMLESS.has(kind) ? 'blue' : 'red'}>
              {t(mayWait && isPatient ? 'dialog.wait.submit' : `dialog.${kind}.submit`)}
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
