import { useState } from 'react';
import type { OrderLine } from '../api.ts';
import { useTexts } from '../i18n.ts';
import { AreaField } from '../parts/controls.tsx';
import { DialogForm, FormDialog } from '../parts/form-dialog.tsx';
import { Failed } from '../parts/state.tsx';
import { Foreign } from '../parts/text.tsx';
import { productIn, useDecide, useProblem } from './decisions.ts';

const NOTE_LENGTH = 1_000;

/** Asks why lines are taken off the list. */
export const Dismiss = ({
  integrationId,
  lines,
  onClose,
}: {
  integrationId: string;
  lines: readonly OrderLine[];
  onClose: () => void;
}) => {
  const { t } = useTexts();
  const [note, setNote] = useState('');
  const problemOf = useProblem();
  const dismiss = useDecide(integrationId);
  const failed = (dismiss.data ?? []).filter(({ line }) => line === undefined);
  const send = (): void =>
    dismiss.mutate(
      { lines, dismiss: true, note: note.trim() },
      { onSuccess: (told) => told.every(({ line }) => line !== undefined) && onClose() },
    );
  return (
    <FormDialog title={t('shops.dismiss')} isDirty={note.trim() !== '' && !dismiss.isSuccess} onClose={onClose}>
      <DialogForm
        submit={t('shops.dismiss')}
        isOff={note.trim() === '' || dismiss.isSuccess}
        isBusy={dismiss.isPending}
        onSubmit={send}
        onClose={onClose}
      >
        <ul className="plain small">
          {lines.map((line) => (
            <li key={line.id}>
              <Foreign>{line.package === '' ? line.transaction : productIn(line)}</Foreign>
            </li>
          ))}
        </ul>
        <p>{t('shops.dismissSays')}</p>
        <AreaField label={t('shops.note')} maxLength={NOTE_LENGTH} value={note} data-autofocus onChange={setNote} />
        {dismiss.error === null ? null : <Failed error={dismiss.error} lost="once" />}
        {failed.map((each) => (
          <p key={each.id} role="alert" className="foreign">
            {problemOf(each)}
          </p>
        ))}
      </DialogForm>
    </FormDialog>
  );
};
