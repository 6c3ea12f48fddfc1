import { useEffect, useRef, useState } from 'react';
import type { Command } from '../api.ts';
import { brief } from '../commands.tsx';
import { useTexts } from '../i18n.ts';
import { TextField } from '../parts/controls.tsx';
import { tell } from '../toasts.ts';
import { OrderForm } from './order-form.tsx';
import { useOrder } from './use-order.ts';

const MAX_REASON = 512;

/** Undoes a done command: the hub makes its opposite, once, whoever else asks for it. */
export const UndoOrder = ({ undone, isSure, onClose }: { undone: Command; isSure: boolean; onClose: () => void }) => {
  const texts = useTexts();
  const { t } = texts;
  const [reason, setReason] = useState('');
  const order = useOrder();
  const player = undone.targetName ?? undone.target ?? undone.serverId;
  const send = (): void => {
    const given = reason.trim() === '' ? {} : { reason: reason.trim() };
    void order.run({ serverId: undone.serverId, name: 'undo', id: undone.id, ...given });
  };
  // The dialog opens once for each undo.
  const isSent = useRef(false);
  useEffect(() => {
    if (!isSure || isSent.current) return;
    isSent.current = true;
    send();
  });
  return (
    <OrderForm
      title={t('detail.undo.title')}
      name={player}
      order={order}
      isDirty={reason !== ''}
      submit={t('action.undoShort')}
      onSubmit={send}
      onAsk={send}
      onDone={(command) => tell(command, player)}
      onClose={onClose}
    >
      <p className="sentence">{t('detail.undo.says', { what: brief(texts, undone) })}</p>
      <TextField
        label={t('dialog.reason.optional')}
        value={reason}
        maxLength={MAX_REASON}
        autoComplete="off"
        data-autofocus
        onChange={setReason}
      />
    </OrderForm>
  );
};
