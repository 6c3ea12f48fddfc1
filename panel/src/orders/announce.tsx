import { useState } from 'react';
import type { Command } from '../api.ts';
import { useTexts } from '../i18n.ts';
import { MessageField } from '../parts/common-fields.tsx';
import { OrderForm } from './order-form.tsx';
import { useOrder } from './use-order.ts';

/** Shows a text to all players of a game server, and says how many it has reached. */
export const AnnounceDialog = ({
  serverId,
  again,
  onClose,
}: {
  serverId: string;
  /** The one without effect that the dialog repeats. */
  again?: Command;
  onClose: () => void;
}) => {
  const { t, rich } = useTexts();
  const first = String(again?.params['message'] ?? '').trim();
  const [message, setMessage] = useState(first);
  const [isTouched, setTouched] = useState(false);
  const order = useOrder();
  const text = message.trim();
  const isSame = again !== undefined && text === first;
  const send = (): void => {
    setTouched(true);
    if (isSame) void order.run({ serverId, name: 'again', id: again.id });
    else if (text !== '') void order.run({ serverId, name: 'announce', body: { message: text } });
  };
  return (
    <OrderForm
      title={t('dialog.announce.title')}
      name={serverId}
      order={order}
      isDirty={text !== first}
      submit={t(isSame ? 'detail.again' : 'dialog.announce.submit')}
      onSubmit={send}
      onAsk={send}
      onClose={onClose}
    >
      <MessageField value={message} isTouched={isTouched} data-autofocus onChange={setMessage} />
      <p className="sentence">{rich('dialog.announce.says', { server: <strong key="server">{serverId}</strong> })}</p>
      {again === undefined ? null : (
        <p className="dim" role="status">
          {t(isSame ? 'dialog.again.same' : 'dialog.again.changed')}
        </p>
      )}
    </OrderForm>
  );
};
