import type { Command, Scope } from '../api.ts';
import { useTexts } from '../i18n.ts';
import { openUndo } from '../open-order.ts';
import { isUndoable } from '../orders/draft.ts';
import { useMay } from '../session.ts';
import { Button } from './controls.tsx';

/** The scope of each command that can be undone. */
export const SCOPES: Record<NonNullable<Command['opposite']>['name'], Scope> = {
  money: 'commands:money',
  items: 'commands:items',
  vehicles: 'commands:vehicles',
  job: 'commands:job',
};

/** Undoes a command, after a question. Nothing for a command that has no opposite or that is undone. */
export const Undo = ({ command }: { command: Command }) => {
  const { t } = useTexts();
  const may = useMay();
  const { opposite } = command;
  if (opposite === undefined || !isUndoable(command) || !may(SCOPES[opposite.name])) return null;
  return <Button onClick={() => openUndo(command)}>{t('action.undoShort')}</Button>;
};
