import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { hub } from '../api.ts';
import { hubNow } from '../clock.ts';
import { useTexts } from '../i18n.ts';
import { SelectField } from '../parts/controls.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { DialogForm } from '../parts/form-dialog.tsx';
import { Failed } from '../parts/state.tsx';
import { Foreign } from '../parts/text.tsx';
import { nameOf, type Webhook } from './webhook.ts';

const HOUR_MS = 3_600_000;
const HOURS = { hour: 1, day: 24, days: 3 * 24, week: 7 * 24 } as const;
type Since = keyof typeof HOURS;
const SINCE = Object.keys(HOURS) as Since[];

/** Sends all events since a time again, as far as the hub has kept them. */
export const Replay = ({ row, onDone, onClose }: { row: Webhook; onDone: () => void; onClose: () => void }) => {
  const { t, rich } = useTexts();
  const [since, setSince] = useState<Since>('day');
  const replay = useMutation({
    mutationFn: () => {
      const body = { since: new Date(hubNow() - HOURS[since] * HOUR_MS).toISOString() };
      return hub.request('post', '/api/v2/webhooks/{id}/replay', { path: { id: row.id }, body });
    },
    onSuccess: onDone,
  });
  return (
    <Dialog title={t('webhooks.replay')} isHeld={replay.isPending} onClose={onClose}>
      <DialogForm
        submit={t('webhooks.again')}
        isBusy={replay.isPending}
        onSubmit={() => replay.mutate()}
        onClose={onClose}
      >
        <p className="sentence">{rich('webhooks.replaySays', { url: <Foreign key="url">{nameOf(row)}</Foreign> })}</p>
        <SelectField
          label={t('webhooks.since')}
          value={since}
          onChange={setSince}
          options={SINCE.map((each) => [each, t(`webhooks.last.${each}`)] as const)}
          data-autofocus
        />
        {replay.error === null ? null : <Failed error={replay.error} lost="again" />}
      </DialogForm>
    </Dialog>
  );
};
