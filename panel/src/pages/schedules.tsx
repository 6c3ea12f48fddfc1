import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { type Texts, useTexts } from '../i18n.ts';
import { Button } from '../parts/controls.tsx';
import { Page } from '../parts/page.tsx';
import { ServerName } from '../parts/server-state.tsx';
import { Empty, Failed, Loaded } from '../parts/state.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Foreign, isolated, plain } from '../parts/text.tsx';
import { useServers } from '../queries.ts';
import {
  isNormal,
  ScheduleItems,
  ScheduleState,
  type ScheduleWish,
  ScheduleWishes,
  usePause,
} from '../schedules/actions.tsx';
import { isOver, playersInWords, type Schedule, taskInWords, useSchedules } from '../schedules/schedule.ts';
import { useMay } from '../session.ts';
import { useTaskKinds } from '../tasks/task-fields.tsx';
import { hasWords, momentInShort, whenInWords } from '../tasks/when-words.ts';

const SHOWN_TIMES = 3;

/** The next times as text, for a schedule whose expression has no words. */
const timesOf = ({ time }: Texts, { next }: Schedule): string => next.slice(0, SHOWN_TIMES).map(time).join('\n');

/** When a schedule runs next, or why it does not. */
const NextRun = ({ schedule }: { schedule: Schedule }) => {
  const texts = useTexts();
  const [at] = schedule.next;
  if (!isNormal(schedule)) return <ScheduleState schedule={schedule} />;
  return at === undefined ? null : (
    <time dateTime={at} title={texts.time(at)} className="from-768">
      {momentInShort(texts, at)}
    </time>
  );
};

const useColumns = (): Column<Schedule>[] => {
  const { t, texts } = useTexts();
  const { data: servers = [] } = useServers();
  const server: Column<Schedule> = {
    head: t('common.server'),
    width: 96,
    className: 'from-1024',
    cell: ({ serverId }) => <ServerName id={serverId} />,
  };
  return [
    {
      head: t('task.label'),
      width: 168,
      className: 'name',
      cell: ({ id, label }) => (
        <Link to="/schedules/$id" params={{ id }} title={plain(label)}>
          <Foreign>{label}</Foreign>
        </Link>
      ),
    },
    {
      head: t('journal.what'),
      className: 'what from-768',
      cell: (schedule) => <span title={taskInWords(texts, schedule)}>{taskInWords(texts, schedule)}</span>,
    },
    {
      head: t('schedules.when'),
      cell: (schedule) => {
        const words = whenInWords(texts, schedule.when);
        return hasWords(schedule.when) ? (
          <span title={words}>{words}</span>
        ) : (
          <code title={timesOf(texts, schedule)}>{words}</code>
        );
      },
    },
    {
      head: t('nav.players'),
      width: 104,
      className: 'from-1024',
      cell: (schedule) => playersInWords(texts, schedule),
    },
    ...(servers.length === 1 ? [] : [server]),
    {
      head: t('schedules.nextRun'),
      width: 176,
      cell: (schedule) => <NextRun schedule={schedule} />,
    },
    {
      head: t('schedules.maker'),
      width: 160,
      className: 'from-1600',
      cell: ({ actor }) => <Foreign>{actor.name}</Foreign>,
    },
  ];
};

/** Commands that run at a time. `isNew`: the form for another one is open at first. */
export const SchedulesPage = ({ isNew = false }: { isNew?: boolean }) => {
  const { t } = useTexts();
  const may = useMay();
  const navigate = useNavigate();
  const kinds = useTaskKinds(true);
  const query = useSchedules();
  const columns = useColumns();
  const pause = usePause();
  const [wish, setWish] = useState<ScheduleWish | 'new' | undefined>(isNew ? 'new' : undefined);
  const canMake = may('schedules:write') && kinds.length > 0;
  const add = canMake ? (
    <Button isMain onClick={() => setWish('new')}>
      {t('schedules.new')}
    </Button>
  ) : null;
  const done = ({ id }: Schedule): void => {
    setWish(undefined);
    // A change stays in the list.
    if (wish === 'new' || wish?.is === 'duplicate')
      void navigate({ to: '/schedules/$id', params: { id }, ignoreBlocker: true });
  };
  return (
    <Page title={t('nav.schedules')} actions={add}>
      {pause.error === null ? null : <Failed error={pause.error} />}
      <Loaded query={query}>
        {(schedules) => (
          <Table
            label={t('nav.schedules')}
            columns={columns}
            rows={schedules}
            keyOf={({ id }) => id}
            nameOf={({ label }) => isolated(label)}
            isEnded={isOver}
            menu={
              may('schedules:write')
                ? (schedule) => <ScheduleItems schedule={schedule} pause={pause} onWish={setWish} />
                : undefined
            }
            empty={<Empty title={t('schedules.none')} />}
          />
        )}
      </Loaded>
      <ScheduleWishes wish={wish} onClose={() => setWish(undefined)} onDone={done} onGone={() => setWish(undefined)} />
    </Page>
  );
};

/** The page of schedules at an address that opens the form. */
export const NewSchedulePage = () => <SchedulesPage isNew />;
