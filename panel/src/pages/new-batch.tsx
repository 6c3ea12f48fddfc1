import { Button, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useEffect, useState } from 'react';
import { api, dataOf, type Schemas } from '../api.ts';
import type { Batch } from '../batches.ts';
import { describe } from '../commands.tsx';
import { useTexts } from '../i18n.ts';
import { newOrderKey } from '../orders/order.ts';
import { Confirm } from '../parts/confirm.tsx';
import { Page } from '../parts/page.tsx';
import { ServerField, useServerField } from '../parts/server-field.tsx';
import { Failed } from '../parts/state.tsx';
import { Foreign, plain, withoutMarks } from '../parts/text.tsx';
import { UnsentForm } from '../parts/unsent.tsx';
import { useServerNames } from '../queries.ts';
import { EMPTY_TASK, readTask } from '../tasks/task.ts';
import { BATCH_KINDS, TaskFields, useBounds, useTaskKinds } from '../tasks/task-fields.tsx';

const MAX_LABEL = 128;
const MAX_NAMED = 10;

/** A request and the hub's forecast for it. `key` makes it one batch, however often it is sent. */
type Preview = { body: Schemas['BatchRequest']; key: string; says: Schemas['BatchDryRun'] };

const send = (body: Schemas['BatchRequest'], key: string): Promise<Batch | Schemas['BatchDryRun']> =>
  dataOf(api.POST('/api/v2/batches', { params: { header: { 'idempotency-key': key } }, body }));

/** `84 players · Add 500 to bank · 42,000 in all · Los Santos`, and who is unknown. */
const Says = ({ preview: { body, says } }: { preview: Preview }) => {
  const texts = useTexts();
  const { t, count, number } = texts;
  const servers = useServerNames();
  const { targets, unknown, money, duplicates } = says;
  const parts = [
    count('players.count', targets),
    withoutMarks(describe(texts, { ...body, result: null })),
    ...(money === undefined ? [] : [t('batches.money', { sum: number(money) })]),
    plain(servers.get(body.serverId) ?? body.serverId),
    ...(unknown.length === 0 ? [] : [t('batches.unknown', { count: number(unknown.length) })]),
    ...(duplicates === 0 ? [] : [count('batches.duplicates', duplicates)]),
  ];
  return (
    <>
      <strong data-preview>{parts.join(' · ')}</strong>
      {unknown.length === 0 ? null : (
        <>
          <br />
          {t('batches.unknownAre')} <Foreign>{unknown.slice(0, MAX_NAMED).join(', ')}</Foreign>
          {unknown.length > MAX_NAMED ? ' …' : ''}
        </>
      )}
    </>
  );
};

/** The word of the button that sends: `Pay 7,301 players`. */
const useSubmit = (): ((preview: Preview) => string) => {
  const { count } = useTexts();
  return ({ body: { name, params }, says: { targets, unknown } }) => {
    const players = targets - unknown.length;
    if (name !== 'money') return count('batches.send', players);
    return params['action'] === 'add' ? count('batches.pay', players) : count('batches.takeFrom', players);
  };
};

/** Starts a batch, after the hub has said what it would do. */
export const NewBatchPage = () => {
  const { t } = useTexts();
  const navigate = useNavigate();
  const submitOf = useSubmit();
  const bounds = useBounds();
  const kinds = useTaskKinds(BATCH_KINDS);
  const first = useServerField();
  const [chosen, setChosen] = useState<string>();
  const [label, setLabel] = useState('');
  const [draft, setDraft] = useState({ ...EMPTY_TASK, kind: kinds[0] ?? EMPTY_TASK.kind });
  const [isTouched, setTouched] = useState(false);
  const [preview, setPreview] = useState<Preview>();
  const [made, setMade] = useState<string>();
  const serverId = chosen ?? first;
  const task = readTask(draft, bounds);
  const look = useMutation({
    mutationFn: async (body: Schemas['BatchRequest']) => {
      const key = newOrderKey();
      const says = await send({ ...body, dryRun: true }, key);
      if ('dryRun' in says) setPreview({ body, key, says });
    },
  });
  // Once the form no longer holds the page back.
  useEffect(() => {
    if (made !== undefined) void navigate({ to: '/batches/$id', params: { id: made } });
  }, [made, navigate]);
  const start = async ({ body, key }: Preview): Promise<void> => {
    const batch = await send(body, key);
    if ('id' in batch) setMade(batch.id);
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setTouched(true);
    if (task?.targets === undefined || serverId === '') return;
    const { targets, ...rest } = task;
    look.mutate({ serverId, ...rest, targets, ...(label.trim() !== '' && { label: label.trim() }) });
  };
  const isDirty = made === undefined && (label !== '' || draft.players !== '' || draft.amount !== '');
  return (
    <Page title={t('batches.new')}>
      <form onSubmit={submit} className="card stack narrow" noValidate>
        <UnsentForm isDirty={isDirty} />
        <ServerField value={serverId} onChange={setChosen} />
        <TextInput
          label={t('task.label.optional')}
          value={label}
          maxLength={MAX_LABEL}
          onChange={(event) => setLabel(event.currentTarget.value)}
        />
        <TaskFields
          kinds={kinds}
          serverId={serverId}
          draft={draft}
          isTouched={isTouched}
          onChange={(change) => setDraft((old) => ({ ...old, ...change }))}
        />
        {look.error === null ? null : <Failed error={look.error} />}
        <div>
          <Button type="submit" loading={look.isPending}>
            {t('batches.preview')}
          </Button>
        </div>
      </form>
      {preview === undefined ? null : (
        <Confirm
          title={t('batches.start')}
          says={<Says preview={preview} />}
          submit={submitOf(preview)}
          isPlain
          action={() => start(preview)}
          onClose={() => setPreview(undefined)}
        />
      )}
    </Page>
  );
};
