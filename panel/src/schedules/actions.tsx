import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { hub, notSent } from '../api.ts';
import { useTexts } from '../i18n.ts';
import { Confirm } from '../parts/confirm.tsx';
import { MenuItem } from '../parts/menu.tsx';
import { ServerName } from '../parts/server-state.tsx';
import { Foreign } from '../parts/text.tsx';
import { SentBefore } from '../parts/unanswered.tsx';
import { once } from '../unanswered.ts';
import { isOver, type Schedule, taskInWords, useRunWords, useSchedule } from './schedule.ts';
import { ScheduleSheet } from './schedule-sheet.tsx';

export const isNormal = (schedule: Schedule): boolean =>
  !isOver(schedule) && !schedule.paused && schedule.problem === null;

/** The unusual state of a schedule; nothing for one that will run. */
export const ScheduleState = ({ schedule }: { schedule: Schedule }) => {
  const { t } = useTexts();
  const { paused, problem } = schedule;
  if (isOver(schedule)) return <span className="state dim">{t('schedules.over')}</span>;
  if (paused) return <span className="state wait">{t('schedules.paused')}</span>;
  return problem === null ? null : <span className="state bad">{t('schedules.refused')}</span>;
};

/** The dialog or the sheet of what a person wants to do with a schedule; `new`: to make one. */
export const ScheduleWishes = ({
  wish,
  onClose,
  onDone,
  onGone,
}: {
  wish: ScheduleWish | 'new' | undefined;
  onClose: () => void;
  /** It was made or changed. */
  onDone: (schedule: Schedule) => void;
  onGone: () => void;
}) => {
  if (wish === undefined) return null;
  if (wish === 'new') return <ScheduleSheet from={undefined} isCopy={false} onDone={onDone} onClose={onClose} />;
  const { schedule, is } = wish;
  if (is === 'run') return <RunQuestion schedule={schedule} onClose={onClose} />;
  if (is === 'delete') return <DeleteQuestion schedule={schedule} onClose={onClose} onGone={onGone} />;
  return <ScheduleSheet from={schedule} isCopy={is === 'duplicate'} onDone={onDone} onClose={onClose} />;
};

/** A change of a schedule that a dialog or a sheet asks about. */
export type ScheduleWish = { schedule: Schedule; is: 'run' | 'delete' | 'change' | 'duplicate' };

/** A link to the command or the batch that a run has made. */
export const Made = ({ id }: { id: string }) => {
  const { t } = useTexts();
  return id.startsWith('bat_') ? (
    <Link to="/batches/$id" params={{ id }}>
      {t('schedules.batch')}
    </Link>
  ) : (
    <Link to="/journal/$id" params={{ id }}>
      {t('dialog.journal')}
    </Link>
  );
};

const useRead = () => {
  const client = useQueryClient();
  return (): Promise<unknown> =>
    Promise.all(
      ['schedules', 'schedule', 'scheduleRuns'].map((name) => client.invalidateQueries({ queryKey: [name] })),
    );
};

const RunQuestion = ({ schedule: asked, onClose }: { schedule: Schedule; onClose: () => void }) => {
  const read = useRead();
  const client = useQueryClient();
  const texts = useTexts();
  const { t, rich } = texts;
  const { data: schedule = asked } = useSchedule(asked.id);
  const { players, isKnown, isForNobody } = useRunWords(schedule);
  const { id, label, serverId } = schedule;
  const run = (key: string) =>
    hub.request('post', '/api/v2/schedules/{id}/run', { path: { id }, headers: { 'idempotency-key': key } });
  const what = <span className="foreign">{taskInWords(texts, schedule)}</span>;
  const server = <ServerName id={serverId} />;
  const request = { run: id };
  const send = async () => {
    // Another person may have changed it: the hub runs what is stored.
    const now = await hub.request('get', '/api/v2/schedules/{id}', { path: { id } });
    client.setQueryData(['schedule', id], now);
    if (JSON.stringify(now.task) !== JSON.stringify(schedule.task)) throw notSent('schedule_changed');
    return once(request, about, run);
  };
  const about = { what: `${t('schedules.run')} · ${label}`, path: `/schedules/${id}` };
  return (
    <Confirm
      title={t('schedules.run')}
      says={rich('schedules.runSays', { label: <Foreign>{label}</Foreign>, what, players, server })}
      isOff={!isKnown || isForNobody}
      lost="once"
      action={() => send().finally(read)}
      done={({ made }) => (
        <>
          {t('schedules.ran')} <Made id={made} />
        </>
      )}
      onClose={onClose}
    >
      {isForNobody ? <p role="status">{t('task.nobody')}</p> : null}
      <SentBefore requests={[request]} />
    </Confirm>
  );
};

const DeleteQuestion = ({
  schedule: { id, label },
  onClose,
  onGone,
}: {
  schedule: Schedule;
  onClose: () => void;
  onGone: () => void;
}) => {
  const { t, rich } = useTexts();
  const client = useQueryClient();
  const remove = async (): Promise<void> => {
    await hub.request('delete', '/api/v2/schedules/{id}', { path: { id } });
    void client.invalidateQueries({ queryKey: ['schedules'] });
    onGone();
  };
  return (
    <Confirm
      title={t('servers.delete')}
      says={rich('schedules.deleteSays', { label: <Foreign key="label">{label}</Foreign> })}
      isFinal
      action={remove}
      onClose={onClose}
    />
  );
};

/** Pauses a schedule or lets it go on. */
export const usePause = () => {
  const read = useRead();
  return useMutation({
    mutationFn: ({ id, paused }: Schedule) =>
      hub.request('patch', '/api/v2/schedules/{id}', { path: { id }, body: { paused: !paused } }),
    onSettled: read,
  });
};

/** Whether a pause would change what happens: one that runs once is changed or deleted, and only goes on if it is paused. */
const isPausable = (schedule: Schedule): boolean =>
  schedule.paused ? !isOver(schedule) : schedule.when['at'] === undefined;

/** The actions of a schedule in a menu. */
export const ScheduleItems = ({
  schedule,
  pause,
  onWish,
}: {
  schedule: Schedule;
  pause: ReturnType<typeof usePause>;
  onWish: (wish: ScheduleWish) => void;
}) => {
  const { t } = useTexts();
  const wish = (is: ScheduleWish['is']) => (): void => onWish({ schedule, is });
  return (
    <>
      <MenuItem onClick={wish('run')}>{t('schedules.run')}</MenuItem>
      <MenuItem onClick={wish('change')}>{t('common.change')}</MenuItem>
      <MenuItem onClick={wish('duplicate')}>{t('schedules.duplicate')}</MenuItem>
      {isPausable(schedule) ? (
        <MenuItem onClick={() => pause.mutate(schedule)}>
          {t(schedule.paused ? 'schedules.resume' : 'schedules.pause')}
        </MenuItem>
      ) : null}
      <MenuItem onClick={wish('delete')}>{t('servers.delete')}</MenuItem>
    </>
  );
};
