import type { Command } from '../api.ts';
import { isUndoable } from '../commands/kinds.ts';
import { useTexts } from '../i18n.ts';
import { openUndo } from '../open-order.ts';
import { useMaySend } from '../session.ts';
import { Button } from './controls.tsx';

/** Undoes a command, after a question. Nothing for a command that has no opposite or that is undone. */
export const Undo = ({ command }: { command: Command }) => {
  const { t } = useTexts();
  const maySend = useMaySend();
  const { opposite } = command;
  if (opposite === undefined || !isUndoable(command) || !maySend(opposite.name)) return null;
  return <Button onClick={() => openUndo(command)}>{t('action.undoShort')}</Button>;
};
