import { type FormEvent, useState } from 'react';
import { useTexts } from '../i18n.ts';
import { AreaField, Button } from '../parts/controls.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { OrderOutcome } from './outcome.tsx';
import { useOrder } from './use-order.ts';

const MAX_MESSAGE = 1024;

/** Shows a text to all players of a game server, and says how many it has reached. */
export const AnnounceDialog = ({ serverId, onClose }: { serverId: string; onClose: () => void }) => {
  const { t, rich } = useTexts();
  const [message, setMessage] = useState('');
  const [isTouched, setTouched] = useState(false);
  const { phase, run, change } = useOrder();
  const text = message.trim();
  const send = (): void => {
    if (text !== '') void run({ serverId, name: 'announce', body: { message: text } });
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
      isDirty={phase.is === 'asking' && text !== ''}
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
          <div className="row end">
            <Button onClick={onClose}>{t('common.cancel')}</Button>
            <Button isMain type="submit">
              {t('dialog.announce.submit')}
            </Button>
          </div>
        </form>
      ) : (
        <OrderOutcome phase={phase} name={serverId} onClose={onClose} onChange={change} onAsk={send} />
      )}
    </FormDialog>
  );
};
