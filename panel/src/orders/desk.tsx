import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import type { Command } from '../api.ts';
import { type Kind, kindOf } from '../commands/kinds.ts';
import { brief } from '../commands.tsx';
import { useTexts } from '../i18n.ts';
import { closeOrder, type WantedOrder } from '../open-order.ts';
import { ReasonLine } from '../parts/common-fields.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { ServerName } from '../parts/server-state.tsx';
import { Loaded } from '../parts/state.tsx';
import { Foreign } from '../parts/text.tsx';
import { usePlayer } from '../queries.ts';
import { tell } from '../toasts.ts';
import { OrderDialog } from './order-dialog.tsx';
import { OrderForm } from './order-form.tsx';
import { useOrder } from './use-order.ts';

/** Undoes a done command, or repeats one without effect: the hub makes it once, whoever else asks for it. */
const LinkedOrder = ({
  of,
  is,
  isSure,
  onClose,
}: {
  of: Command;
  is: 'undo' | 'again';
  isSure: boolean;
  onClose: () => void;
}) => {
  const { t, texts } = useTexts();
  const navigate = useNavigate();
  const [reason, setReason] = useState('');
  const isUndo = is === 'undo';
  const player = of.targetName ?? of.target ?? of.serverId;
  const order = useOrder(player);
  const given = reason.trim() === '' ? {} : { reason: reason.trim() };
  const wanted = { serverId: of.serverId, name: is, id: of.id, ...given };
  const send = (): void => void order.run(wanted);
  // The dialog opens once for each undo.
  const isSent = useRef(false);
  useEffect(() => {
    if (!isSure || isSent.current) return;
    isSent.current = true;
    send();
  });
  return (
    <OrderForm
      title={t(isUndo ? 'detail.undo.title' : 'detail.again')}
      name={player}
      order={order}
      wanted={wanted}
      isDirty={reason !== ''}
      submit={t(isUndo ? 'action.undoShort' : 'detail.again')}
      onSubmit={send}
      onAsk={send}
      onDone={(command) => {
        tell(command, player);
        if (!isUndo) void navigate({ to: '/journal/$id', params: { id: command.id } });
      }}
      onClose={onClose}
    >
      <p className="dim small">
        <Foreign>{player}</Foreign> · <ServerName id={of.serverId} />
      </p>
      <p className="sentence">{t(isUndo ? 'detail.undo.says' : 'detail.again.says', { what: brief(texts, of) })}</p>
      {isUndo || of.deliver === undefined ? null : <p className="sentence">{t('detail.again.waits')}</p>}
      {isUndo ? <ReasonLine value={reason} data-autofocus onChange={setReason} /> : null}
    </OrderForm>
  );
};

type Wanted = Extract<WantedOrder, { draft: unknown }>;

const PlayerOrder = ({ identifier, kind, ...order }: Wanted & { identifier: string; kind: Kind }) => {
  const { t } = useTexts();
  const query = usePlayer(order.serverId, identifier);
  if (query.data !== undefined) {
    return <OrderDialog {...order} kind={kind} player={query.data} onClose={closeOrder} />;
  }
  return (
    <Dialog title={t('nav.players')} onClose={closeOrder}>
      <Loaded query={query}>{() => null}</Loaded>
    </Dialog>
  );
};

const OrderDesk = ({ order }: { order: WantedOrder }) => {
  if ('of' in order) return <LinkedOrder {...order} onClose={closeOrder} />;
  const { identifier } = order;
  const kind = kindOf(order.draft);
  if (kind === undefined || identifier === undefined)
    return <OrderDialog {...order} kind={kind} onClose={closeOrder} />;
  return <PlayerOrder {...order} kind={kind} identifier={identifier} />;
};
export default OrderDesk;
