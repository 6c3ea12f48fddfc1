import { type FormEvent, useEffect, useRef, useState } from 'react';
import type { Command } from '../api.ts';
import { brief } from '../commands.tsx';
import { useTexts } from '../i18n.ts';
import { Button, TextField } from '../parts/controls.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { tell } from '../toasts.ts';
import { OrderOutcome } from './outcome.tsx';
import { useOrder } from './use-order.ts';

const MAX_REASON = 512;

/** Undoes a done command: the hub makes its opposite, once, whoever else asks for it. */
export const UndoOrder = ({ undone, isSure, onClose }: { undone: Command; isSure: boolean; onClose: () => void }) => {
  const texts = useTexts();
  const { t } = texts;
  const [reason, setReason] = useState('');
  const { phase, run, change } = useOrder();
  const player = undone.targetName ?? undone.target ?? undone.serverId;
  const send = (): void => {
    const given = reason.trim() === '' ? {} : { reason: reason.trim() };
    void run({ serverId: undone.serverId, name: 'undo', id: undone.id, ...given });
  };
  // The dialog opens once for each undo.
  const isSent = useRef(false);
  useEffect(() => {
    if (!isSure || isSent.current) return;
    isSent.current = true;
    send();
  });
  useEffect(() => {
    if (phase.is !== 'done') return;
    tell(phase.command, player);
    onClose();
  }, [phase, player, onClose]);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (phase.is === 'asking') send();
  };
  return (
    <FormDialog
      title={t('detail.undo.title')}
      isHeld={phase.is === 'sending'}
      isDirty={phase.is === 'asking' && reason !== ''}
      onClose={onClose}
    >
      {phase.is === 'done' ? null : phase.is === 'asking' ? (
        <form onSubmit={submit} className="stack" noValidate>
          <p className="sentence">{t('detail.undo.says', { what: brief(texts, undone) })}</p>
          <TextField
            label={t('dialog.reason.optional')}
            value={reason}
            maxLength={MAX_REASON}
            autoComplete="off"
            data-autofocus
            onChange={setReason}
          />
          <div className="row end">
            <Button onClick={onClose}>{t('common.cancel')}</Button>
            <Button isMain type="submit">
              {t('action.undoShort')}
            </Button>
          </div>
        </form>
      ) : (
        <OrderOutcome phase={phase} name={player} onClose={onClose} onChange={change} onAsk={send} />
      )}
    </FormDialog>
  );
};
