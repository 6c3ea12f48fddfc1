import { type FormEvent, useState } from 'react';
import type { Command } from '../api.ts';
import { useTexts } from '../i18n.ts';
import { AreaField, Button } from '../parts/controls.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { OrderOutcome } from './outcome.tsx';
import { useOrder } from './use-order.ts';

const MAX_MESSAGE = 1024;

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
  const first = String(again?.params['message'] ?? '');
  const [message, setMessage] = useState(first);
  const [isTouched, setTouched] = useState(false);
  const { phase, run, change } = useOrder();
  const text = message.trim();
  const isSame = again !== undefined && text === first;
  const send = (): void => {
    if (isSame) void run({ serverId, name: 'again', id: again.id });
    else if (text !== '') void run({ serverId, name: 'announce', body: { message: text } });
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setTouched(true);
    send();
  };
  return (
    <FormDialog
      title={t('dialog.announce.title')}
      isHeld={phase.is === 'sending'}
      isDirty={phase.is === 'asking' && text !== first}
      onClose={onClose}
    >
      {phase.is === 'asking' ? (
        <form onSubmit={submit} className="stack" noValidate>
          <AreaField
            label={t('dialog.message.field')}
            value={message}
            maxLength={MAX_MESSAGE}
            rows={3}
            data-autofocus
            error={isTouched && text === '' ? t('dialog.message.missing') : undefined}
            onChange={setMessage}
          />
          <p className="sentence">
            {rich('dialog.announce.says', { server: <strong key="server">{serverId}</strong> })}
          </p>
          {again === undefined ? null : (
            <p className="dim" role="status">
              {t(isSame ? 'dialog.again.same' : 'dialog.again.changed')}
            </p>
          )}
          <div className="row end">
            <Button onClick={onClose}>{t('common.cancel')}</Button>
            <Button isMain type="submit">
              {t(isSame ? 'detail.again' : 'dialog.announce.submit')}
            </Button>
          </div>
        </form>
      ) : (
        <OrderOutcome phase={phase} name={serverId} onClose={onClose} onChange={change} onAsk={send} />
      )}
    </FormDialog>
  );
};
