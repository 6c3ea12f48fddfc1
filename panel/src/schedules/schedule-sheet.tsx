import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { hub, type Schemas } from '../api.ts';
import { useTexts } from '../i18n.ts';
import { ServerField, useServerField } from '../parts/common-fields.tsx';
import { CheckField, TextField } from '../parts/controls.tsx';
import { Sheet } from '../parts/form-dialog.tsx';
import { explainCode } from '../parts/state.tsx';
import { plain } from '../parts/text.tsx';
import { SentBefore } from '../parts/unanswered.tsx';
import { useServers } from '../queries.ts';
import { newTask, readTask, taskDraftOf } from '../tasks/task.ts';
import { TaskFields, useTaskKinds, useTaskRules } from '../tasks/task-fields.tsx';
import { newWhen, readWhen, whenDraftOf } from '../tasks/when.ts';
import { WhenFields } from '../tasks/when-fields.tsx';
import { whenInWords } from '../tasks/when-words.ts';
import { once } from '../unanswered.ts';
import { type Schedule, taskInWords, useRunWords } from './schedule.ts';

const MAX_LABEL = 128;

type Request = Schemas['ScheduleRequest'];
type Answer = Schedule | Schemas['ScheduleDryRun'];
type Forecast = Schemas['ScheduleDryRun'];

const send = (body: Request, key?: string): Promise<Answer> =>
  hub.request('post', '/api/v2/schedules', { body, ...(key !== undefined && { headers: { 'Idempotency-Key': key } }) });

/** The next times, and why a run would be refused. */
const Says = ({ body, says }: { body: Request; says: Forecast }) => {
  const texts = useTexts();
  const { t, time } = texts;
  const { players } = useRunWords(body);
  const place = useRef<HTMLParagraphElement>(null);
  // The button that has shown it now means what it says. It grows when the players are found.
  useEffect(() => {
    if (players !== '') place.current?.scrollIntoView({ block: 'nearest' });
  }, [players]);
  return (
    <p ref={place} className="sentence" role="status">
      <span className="foreign">{taskInWords(texts, body)}</span> · {players}
      <br />
      {says.next.length === 0 ? whenInWords(texts, body.when) : t('schedules.next')}
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
    </p>
  );
};

/** The first values of the form. A task without fields in the form is kept as it is. */
const useStart = (from: Schedule | undefined) => {
  const kinds = useTaskKinds(true);
  const [start] = useState(() => {
    const task = from === undefined ? newTask(kinds[0] ?? 'give') : taskDraftOf(from.task);
    const when = from === undefined ? newWhen() : whenDraftOf(from.when);
    return { task, when, label: from?.label ?? '', isMadeUp: from?.missed === 'run_once' };
  });
  return { start, kinds };
};

/** Makes a schedule, or changes `from`, after the hub has said when it would run. `isCopy`: a new one like `from`. */
export const ScheduleSheet = ({
  from,
  isCopy,
  onDone,
  onClose,
}: {
  from: Schedule | undefined;
  isCopy: boolean;
  onDone: (schedule: Schedule) => void;
  onClose: () => void;
}) => {
  const texts = useTexts();
  const { t } = texts;
  const client = useQueryClient();
  const { data: servers = [] } = useServers();
  const first = useServerField();
  const { start, kinds } = useStart(from);
  const [chosen, setChosen] = useState<string>();
  const [draft, setDraft] = useState(start);
  const change = (some: Partial<typeof draft>): void => setDraft((old) => ({ ...old, ...some }));
  const [isTouched, setTouched] = useState(false);
  const [preview, setPreview] = useState<{ of: string; body: Request; says: Forecast }>();
  const isChange = from !== undefined && !isCopy;
  const serverId = chosen ?? from?.serverId ?? first;
  const rules = useTaskRules(serverId);
  const label = draft.label.trim();
  /** The stored command stays, also without a reason that a new one needs. */
  const isKept = isChange && draft.task === start.task;

  const readBody = (): Request | undefined => {
    const when =
      draft.when === start.when && from !== undefined ? (from.when as Request['when']) : readWhen(draft.when);
    const typed = draft.task === undefined || isKept ? undefined : readTask(draft.task, rules);
    const { expiresInSeconds, abort } = (from?.task ?? {}) as Request['task'];
    const others = {
      ...(expiresInSeconds !== undefined && { expiresInSeconds }),
      ...(abort !== undefined && { abort }),
    };
    const task =
      draft.task === undefined || isKept
        ? (from?.task as Request['task'] | undefined)
        : typed && { ...others, ...typed };
    if (when === undefined || task === undefined || label === '' || serverId === '') return undefined;
    return { serverId, label, task, when, missed: draft.isMadeUp && !('before' in when) ? 'run_once' : 'skip' };
  };
  const body = readBody();
  const text = JSON.stringify(body);
  const isSeen = body !== undefined && preview?.of === text;

  const look = useMutation({
    mutationFn: async (asked: Request) => {
      const { task } = asked;
      // The hub looks at it as if it were new.
      const reason = isKept && rules.reasonFor.includes(task.name) && { reason: asked.label };
      const says = await send({ ...asked, task: { ...task, params: { ...task.params, ...reason } }, dryRun: true });
      if ('dryRun' in says) setPreview({ of: JSON.stringify(asked), body: asked, says });
    },
  });
  const save = useMutation({
    mutationFn: async (asked: Request): Promise<Answer> => {
      const about = { what: `${t('schedules.new')} · ${asked.label}`, path: '/schedules' };
      if (!isChange) return once(asked, about, (key) => send(asked, key));
      const changed = {
        ...(label !== from.label && { label }),
        ...(draft.task !== start.task && { task: asked.task }),
        ...(draft.when !== start.when && { when: asked.when }),
        ...(asked.missed !== undefined && asked.missed !== from.missed && { missed: asked.missed }),
      };
      return hub.request('patch', '/api/v2/schedules/{id}', { path: { id: from.id }, body: changed });
    },
    onSuccess: (made) => {
      void client.invalidateQueries({ queryKey: ['schedules'] });
      void client.invalidateQueries({ queryKey: ['schedule'] });
      if ('id' in made) onDone(made);
    },
  });
  const submit = (): void => {
    setTouched(true);
    if (body === undefined) return;
    if (isSeen) save.mutate(body);
    else look.mutate(body);
  };
  const word = isChange ? 'common.save' : 'schedules.make';
  return (
    <Sheet
      title={t(isChange ? 'schedules.change' : 'schedules.new')}
      submit={t(isSeen ? word : 'batches.preview')}
      isDirty={draft !== start && !save.isSuccess}
      isPending={look.isPending || save.isPending}
      error={save.error ?? look.error}
      lost={save.error === null ? 'again' : 'once'}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label={t('task.label')}
        value={draft.label}
        maxLength={MAX_LABEL}
        data-autofocus
        error={isTouched && label === '' ? t('custom.field.missing') : undefined}
        onChange={(text) => change({ label: text })}
      />
      {isChange ? (
        <p>
          <span className="dim">{t('common.server')}</span>{' '}
          {plain(servers.find((each) => each.serverId === serverId)?.name ?? serverId)}
        </p>
      ) : (
        <ServerField value={serverId} onChange={setChosen} />
      )}
      {draft.task === undefined ? (
        <p className="dim">{t('schedules.kept', { what: from === undefined ? '' : taskInWords(texts, from) })}</p>
      ) : (
        <TaskFields
          kinds={kinds}
          serverId={serverId}
          task={draft.task}
          isKept={isKept}
          isTouched={isTouched}
          onChange={(some) => setDraft((old) => ({ ...old, ...(old.task && { task: { ...old.task, ...some } }) }))}
        />
      )}
      <WhenFields
        draft={draft.when}
        isTouched={isTouched}
        onChange={(some) => setDraft((old) => ({ ...old, when: { ...old.when, ...some } }))}
      />
      {draft.when.rhythm === 'restart' ? null : (
        <CheckField
          label={t('schedules.missed')}
          checked={draft.isMadeUp}
          onChange={(isChecked) => change({ isMadeUp: isChecked })}
        />
      )}
      {isSeen && preview !== undefined ? <Says body={preview.body} says={preview.says} /> : null}
      {isSeen && !isChange && body !== undefined ? <SentBefore requests={[body]} /> : null}
    </Sheet>
  );
};
