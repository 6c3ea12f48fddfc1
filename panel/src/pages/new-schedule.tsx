import { Button, Checkbox, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useEffect, useState } from 'react';
import { api, dataOf, type Schemas } from '../api.ts';
import { useTexts } from '../i18n.ts';
import { Page } from '../parts/page.tsx';
import { ServerField, useServerField } from '../parts/server-field.tsx';
import { Failed } from '../parts/state.tsx';
import { UnsentForm } from '../parts/unsent.tsx';
import { EMPTY_TASK, readTask } from '../tasks/task.ts';
import { TaskFields, useBounds, useScheduleKinds } from '../tasks/task-fields.tsx';
import { newWhen, readWhen } from '../tasks/when.ts';
import { WhenFields } from '../tasks/when-fields.tsx';

const MAX_LABEL = 128;

/** Makes a schedule. */
export const NewSchedulePage = () => {
  const { t } = useTexts();
  const navigate = useNavigate();
  const bounds = useBounds();
  const kinds = useScheduleKinds();
  const first = useServerField();
  const [chosen, setChosen] = useState<string>();
  const [label, setLabel] = useState('');
  const [draft, setDraft] = useState({ ...EMPTY_TASK, kind: kinds[0] ?? EMPTY_TASK.kind });
  const [when, setWhen] = useState(newWhen);
  const [isMadeUp, setMadeUp] = useState(false);
  const [isTouched, setTouched] = useState(false);
  const serverId = chosen ?? first;
  const make = useMutation({
    mutationFn: (body: Schemas['ScheduleRequest']) => dataOf(api.POST('/api/v2/schedules', { body })),
  });
  const made = make.data?.id;
  // Once the form no longer holds the page back.
  useEffect(() => {
    if (made !== undefined) void navigate({ to: '/schedules/$id', params: { id: made } });
  }, [made, navigate]);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setTouched(true);
    const task = readTask(draft, bounds);
    const time = readWhen(when);
    if (task === undefined || time === undefined || label.trim() === '' || serverId === '') return;
    make.mutate({ serverId, label: label.trim(), task, when: time, missed: isMadeUp ? 'run_once' : 'skip' });
  };
  const isDirty = made === undefined && [label, draft.players, draft.amount, draft.message].some((text) => text !== '');
  return (
    <Page title={t('schedules.new')}>
      <form onSubmit={submit} className="card stack narrow" noValidate>
        <UnsentForm isDirty={isDirty} />
        <TextInput
          label={t('task.label')}
          value={label}
          maxLength={MAX_LABEL}
          error={isTouched && label.trim() === '' ? t('custom.field.missing') : undefined}
          onChange={(event) => setLabel(event.currentTarget.value)}
        />
        <ServerField value={serverId} onChange={setChosen} />
        <TaskFields
          kinds={kinds}
          serverId={serverId}
          draft={draft}
          isTouched={isTouched}
          onChange={(change) => setDraft((old) => ({ ...old, ...change }))}
        />
        <WhenFields
          draft={when}
          isTouched={isTouched}
          onChange={(change) => setWhen((old) => ({ ...old, ...change }))}
        />
        {when.rhythm === 'restart' ? null : (
          <Checkbox
            label={t('schedules.missed')}
            checked={isMadeUp}
            onChange={(event) => setMadeUp(event.currentTarget.checked)}
          />
        )}
        {make.error === null ? null : <Failed error={make.error} />}
        <div>
          <Button type="submit" loading={make.isPending}>
            {t('schedules.make')}
          </Button>
        </div>
      </form>
    </Page>
  );
};
