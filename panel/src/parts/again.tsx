import type { Command } from '../api.ts';
import { draftAgain } from '../commands/form.ts';
import { useTexts } from '../i18n.ts';
import { openAgain, openOrder } from '../open-order.ts';
import { useMay, useMaySend } from '../session.ts';
import { Button } from './controls.tsx';

/**
 * Sends a command again that ended without an effect: in the dialog of its kind with the same values, or after a question
 * if no dialog has them all. Nothing for any other command.
 */
export const Again = ({ command }: { command: Command }) => {
  const { t } = useTexts();
  const may = useMay();
  const maySend = useMaySend();
  const { name, target, serverId, executed, settledAt, batchId, undoes } = command;
  const isOver = executed === 'no' && settledAt !== null && batchId === undefined && undoes === undefined;
  if (!isOver || !maySend(name)) return null;
  const ask = (): void => {
    const draft = target === null || may('players:read') ? draftAgain(command) : undefined;
    if (draft === undefined) openAgain(command);
    else openOrder({ serverId, draft, again: command, ...(target !== null && { identifier: target }) });
  };
  return <Button onClick={ask}>{t('detail.again')}</Button>;
};
