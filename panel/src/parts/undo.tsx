import { Button, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Command, dataOf, type Scope } from '../api.ts';
import { brief } from '../commands.tsx';
import { useTexts } from '../i18n.ts';
import { useMay } from '../session.ts';
import { FormDialog } from './form-dialog.tsx';
import { Failed } from './state.tsx';

const WAIT_SECONDS = 10;
const MAX_REASON = 512;

/** The scope of each command that can be undone. */
export const SCOPES: Record<NonNullable<Command['opposite']>['name'], Scope> = {
  money: 'commands:money',
  items: 'commands:items',
  vehicles: 'commands:vehicles',
  job: 'commands:job',
};

const UndoDialog = ({ command, onClose }: { command: Command; onClose: () => void }) => {
  const texts = useTexts();
  const { t } = texts;
  const client = useQueryClient();
  const [reason, setReason] = useState('');
  const undo = useMutation({
    mutationFn: () =>
      dataOf(
        api.POST('/api/v2/commands/{id}/undo', {
          params: { path: { id: command.id }, header: { prefer: `wait=${WAIT_SECONDS}` } },
          body: reason.trim() === '' ? {} : { reason: reason.trim() },
        }),
      ),
    onSuccess: onClose,
    onSettled: () =>
      Promise.all(
        [['command', command.id], ['commands'], ['sums']].map((queryKey) => client.invalidateQueries({ queryKey })),
      ),
  });
  return (
    <FormDialog title={t('detail.undo.title')} isDirty={reason !== '' && !undo.isSuccess} onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (!undo.isPending) undo.mutate();
        }}
      >
        <p className="sentence">{t('detail.undo.says', { what: brief(texts, command) })}</p>
        {undo.error === null ? null : <Failed error={undo.error} />}
        <TextInput
          label={t('dialog.reason.optional')}
          value={reason}
          maxLength={MAX_REASON}
          data-autofocus
          onChange={(event) => setReason(event.currentTarget.value)}
        />
        <div className="row end">
          <Button variant="default" onClick={onClose}>
            {t('common.cancel')}
          </Button>
          <Button type="submit" loading={undo.isPending}>
            {t('action.undoShort')}
          </Button>
        </div>
      </form>
    </FormDialog>
  );
};

/** Undoes a command, after a question. Nothing for a command that has no opposite or that is undone. */
export const Undo = ({ command }: { command: Command }) => {
  const { t } = useTexts();
  const may = useMay();
  const [isAsking, setAsking] = useState(false);
  const { opposite, undoneBy } = command;
  const isDone = undoneBy !== undefined && undoneBy.executed !== 'no';
  if (opposite === undefined || isDone || !may(SCOPES[opposite.name])) return null;
  return (
    <>
      <Button variant="default" onClick={() => setAsking(true)}>
        {t('action.undoShort')}
      </Button>
      {isAsking ? <UndoDialog command={command} onClose={() => setAsking(false)} /> : null}
    </>
  );
};
