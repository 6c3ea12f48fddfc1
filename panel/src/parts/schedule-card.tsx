import { Badge, Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api, dataOf } from '../api.ts';
import { useTexts } from '../i18n.ts';
import { describeTask, describeWhen, type Schedule } from '../schedules.ts';
import { useMay } from '../session.ts';
import { Confirm } from './confirm.tsx';
import { explainCode, Failed } from './state.tsx';
import { Foreign } from './text.tsx';

const Actions = ({ schedule: { id, label, paused }, onGone }: { schedule: Schedule; onGone: () => void }) => {
  const { t, rich } = useTexts();
  const client = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const params = { path: { id } };
  const read = (): Promise<unknown> =>
    Promise.all([['schedules'], ['schedule', id]].map((queryKey) => client.invalidateQueries({ queryKey })));
  const pause = useMutation({
    mutationFn: () => dataOf(api.PATCH('/api/v2/schedules/{id}', { params, body: { paused: !paused } })),
    onSettled: read,
  });
  const remove = async (): Promise<void> => {
    await dataOf(api.DELETE('/api/v2/schedules/{id}', { params }));
    void client.invalidateQueries({ queryKey: ['schedules'] });
    onGone();
  };
  return (
    <>
      {pause.error === null ? null : <Failed error={pause.error} />}
      <div className="row">
        <Button variant="default" size="xs" loading={pause.isPending} onClick={() => pause.mutate()}>
          {t(paused ? 'schedules.resume' : 'schedules.pause')}
        </Button>
        <Button variant="default" size="xs" onClick={() => setAsking(true)}>
          {t('servers.delete')}
        </Button>
      </div>
      {isAsking ? (
        <Confirm
          title={t('servers.delete')}
          says={rich('schedules.deleteSays', { label: <Foreign key="label">{label}</Foreign> })}
          action={remove}
          onClose={() => setAsking(false)}
        />
      ) : null}
    </>
  );
};

/** A schedule with its next times and its buttons. */
export const ScheduleCard = ({ schedule, onGone }: { schedule: Schedule; onGone: () => void }) => {
  const texts = useTexts();
  const { t, time } = texts;
  const may = useMay();
  const { id, label, serverId, next, paused, pausedBy, problem, actor } = schedule;
  return (
    <div className="card stack">
      <div className="row between">
        <Link to="/schedules/$id" params={{ id }}>
          <strong>
            <Foreign>{label}</Foreign>
          </strong>
        </Link>
        <span className="row">
          {paused ? (
            <Badge color="yellow" variant="light">
              {t('schedules.paused')}
            </Badge>
          ) : null}
          <span className="dim small">
            <Foreign>{actor.name}</Foreign>
          </span>
        </span>
      </div>
      <p className="foreign">
        {describeTask(texts, schedule)} · {serverId}
      </p>
      <p className="dim small">{describeWhen(texts, schedule)}</p>
      {pausedBy === null ? null : (
        <p>
          {t('schedules.pausedBy')} <Foreign>{pausedBy}</Foreign>
        </p>
      )}
      {problem === null || pausedBy !== null ? null : (
        <p className="foreign">{t('schedules.problem', { detail: explainCode(texts, problem) })}</p>
      )}
      {next.length === 0 ? null : (
        <div>
          <p className="dim small">{t('schedules.next')}</p>
          <ul className="legend times small" aria-label={t('schedules.next')}>
            {next.map((at) => (
              <li key={at}>
                <time dateTime={at}>{time(at)}</time>
              </li>
            ))}
          </ul>
        </div>
      )}
      {may('schedules:write') ? <Actions schedule={schedule} onGone={onGone} /> : null}
    </div>
  );
};
