import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { type Command, hub } from '../api.ts';
import { brief } from '../commands.tsx';
import { useTexts } from '../i18n.ts';
import { openAnnouncement, openOrder } from '../open-order.ts';
import { draftAgain } from '../orders/again.ts';
import { useMay, useMaySend } from '../session.ts';
import { Confirm } from './confirm.tsx';
import { Button } from './controls.tsx';

const WAIT_SECONDS = 10;

/**
 * Sends a command again that ended without an effect: in the dialog of its kind with the same values, or after a question
 * if no dialog has them all. Nothing for any other command.
 */
export const Again = ({ command }: { command: Command }) => {
  const texts = useTexts();
  const { t } = texts;
  const may = useMay();
  const maySend = useMaySend();
  const client = useQueryClient();
  const navigate = useNavigate();
  const [isAsking, setAsking] = useState(false);
  const { id, name, params, target, serverId, executed, settledAt, batchId, undoes } = command;
  const isOver = executed === 'no' && settledAt !== null && batchId === undefined && undoes === undefined;
  if (!isOver || !maySend(name)) return null;
  const send = async (): Promise<void> => {
    const made = await hub.request('post', '/api/v2/commands/{id}/again', {
      path: { id },
      headers: { prefer: `wait=${WAIT_SECONDS}` },
    });
    void client.invalidateQueries({ queryKey: ['commands'] });
    void navigate({ to: '/journal/$id', params: { id: made.id } });
  };
  const ask = (): void => {
    const draft = may('players:read') ? draftAgain(command) : undefined;
    if (draft !== undefined && target !== null) openOrder({ serverId, identifier: target, draft, again: command });
    else if (name === 'announce' && params['targets'] === undefined) openAnnouncement(command);
    else setAsking(true);
  };
  return (
    <>
      <Button onClick={ask}>{t('detail.again')}</Button>
      {isAsking ? (
        <Confirm
          title={t('detail.again')}
          says={t('detail.again.says', { what: brief(texts, command) })}
          lost="once"
          action={send}
          onClose={() => setAsking(false)}
        />
      ) : null}
    </>
  );
};
