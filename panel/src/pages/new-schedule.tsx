import { Button, Checkbox, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useEffect, useState } from 'react';
import { api, dataOf, type Schemas } from '../api.ts';
import { useTexts } from '../i18n.ts';
import { Confirm } from '../parts/confirm.tsx';
import { Page } from '../parts/page.tsx';
import { ServerField, useServerField } from '../parts/server-field.tsx';
import { explainCode, Failed } from '../parts/state.tsx';
import { UnsentForm } from '../parts/unsent.tsx';
import { describeWhen, type Schedule } from '../schedules.ts';
import { EMPTY_TASK, readTask } from '../tasks/task.ts';
import { TaskFields, useBounds, useScheduleKinds } from '../tasks/task-fields.tsx';
import { newWhen, readWhen } from '../tasks/when.ts';
import { WhenFields } from '../tasks/when-fields.tsx';

const MAX_LABEL = 128;

type Request = Schemas['ScheduleRequest'];
/** A request and the hub's forecast for it. */
type Preview = { body: Request; says: Schemas['ScheduleDryRun'] };

const send = (body: Request): Promise<Schedule | Schemas['ScheduleDryRun']> =>
  dataOf(api.POST('/api/v2/schedules', { body }));

/** The next times, and why a run would be refused. */
const Says = ({ preview: { body, says } }: { preview: Preview }) => {
  const texts = useTexts();
  const { t, time } = texts;
  return (
    <>
      {says.next.length === 0 ? describeWhen(texts, body) : t('schedules.next')}
      {says.next.map((at) => (
        <span key={at} data-next>
          <br />
          <time dateTime={at}>{time(at)}</time>
        </span>
      ))}
      {says.problem === null ? null : (
        <>
          <br />
          {t('schedules.problem', { detail: explainCode(texts, says.problem) })}
        </>
      )}
    </>
  );
};

/** Makes a schedule, after the hub has said when it would run. */
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
  const [preview, setPreview] = useState<Preview>();
  const [made, setMade] = useState<string>();
  const look = useMutation({
    mutationFn: async (body: Request) => {
      const says = await send({ ...body, dryRun: true });
      if ('dryRun' in says) setPreview({ body, says });
    },
  });
  // Once the form no longer holds the page back.
  useEffect(() => {
    if (made !== undefined) void navigate({ to: '/schedules/$id', params: { id: made } });
  }, [made, navigate]);
  const make = async ({ body }: Preview): Promise<void> => {
    const schedule = await send(body);
    if ('id' in schedule) setMade(schedule.id);
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setTouched(true);
    const task = readTask(draft, bounds);
    const time = readWhen(when);
    if (task === undefined || time === undefined || label.trim() === '' || serverId === '') return;
    look.mutate({ serverId, label: label.trim(), task, when: time, missed: isMadeUp ? 'run_once' : 'skip' });
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
        {look.error === null ? null : <Failed error={look.error} />}
        <div>
          <Button type="submit" loading={look.isPending}>
            {t('batches.preview')}
          </Button>
        </div>
      </form>
      {preview === undefined ? null : (
        <Confirm
          title={t('schedules.make')}
          says={<Says preview={preview} />}
          action={() => make(preview)}
          onClose={() => setPreview(undefined)}
        />
      )}
    </Page>
  );
};
