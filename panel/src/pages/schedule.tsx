import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Schemas } from '../api.ts';
import { useTexts } from '../i18n.ts';
import { Button } from '../parts/controls.tsx';
import { Icon } from '../parts/icon.tsx';
import { Menu } from '../parts/menu.tsx';
import { Page } from '../parts/page.tsx';
import { ServerName } from '../parts/server-state.tsx';
import { explainCode, Failed, Loaded } from '../parts/state.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Foreign, isolated, plain } from '../parts/text.tsx';
import { Pairs } from '../parts/values.tsx';
import {
  Made,
  ScheduleItems,
  ScheduleState,
  type ScheduleWish,
  ScheduleWishes,
  usePause,
} from '../schedules/actions.tsx';
import { playersInWords, type Schedule, targetsOf, taskInWords, useRuns, useSchedule } from '../schedules/schedule.ts';
import { useMay } from '../session.ts';
import { whenInWords } from '../tasks/when-words.ts';

const route = getRouteApi('/schedules/$id');
type Run = Schemas['ScheduleRun'];

const INKS = { started: 'wait', done: 'dim', refused: 'bad', missed: 'bad' } as const;
const FIRST_PLAYERS = 30;

const Runs = ({ runs }: { runs: readonly Run[] }) => {
  const { t, time, texts } = useTexts();
  if (runs.length === 0) return <p className="dim">{t('schedules.noRuns')}</p>;
  const columns: Column<Run>[] = [
    {
      head: t('schedules.at'),
      width: 184,
      className: 'name',
      cell: ({ plannedAt }) => <time dateTime={plannedAt}>{time(plannedAt)}</time>,
    },
    {
      head: t('table.state'),
      width: 96,
      cell: ({ status }) =>
        status === 'done' ? t('run.done') : <span className={`state ${INKS[status]}`}>{t(`run.${status}`)}</span>,
    },
    {
      head: t('journal.what'),
      cell: ({ made, error }) => (
        <>
          {made === null ? null : <Made id={made} />}
          {error === null ? null : <span title={explainCode(texts, error)}>{explainCode(texts, error)}</span>}
        </>
      ),
    },
  ];
  return (
    <div data-runs>
      <Table
        label={t('schedules.runs')}
        columns={columns}
        rows={runs}
        keyOf={({ plannedAt }) => plannedAt}
        nameOf={({ plannedAt }) => time(plannedAt)}
      />
    </div>
  );
};

/** The players by their names, each with a link to their page. */
const Players = ({ schedule }: { schedule: Schedule }) => {
  const { t } = useTexts();
  const may = useMay();
  const [isWhole, setWhole] = useState(false);
  const { serverId, targetNames = {} } = schedule;
  const targets = targetsOf(schedule);
  if (targets.length === 0) return null;
  return (
    <section className="card">
      <h2>{t('nav.players')}</h2>
      <ul className="plain">
        {targets.slice(0, isWhole ? targets.length : FIRST_PLAYERS).map((identifier) => (
          <li key={identifier} title={plain(identifier)}>
            {may('players:read') ? (
              <Link to="/players/$serverId/$identifier" params={{ serverId, identifier }}>
                <Foreign>{targetNames[identifier] ?? identifier}</Foreign>
              </Link>
            ) : (
              <Foreign>{identifier}</Foreign>
            )}
          </li>
        ))}
      </ul>
      {isWhole || targets.length <= FIRST_PLAYERS ? null : (
        <Button onClick={() => setWhole(true)}>{t('common.more')}</Button>
      )}
    </section>
  );
};

const Facts = ({ schedule }: { schedule: Schedule }) => {
  const { t, time, texts } = useTexts();
  const { serverId, next, pausedBy, problem, actor, missed, when } = schedule;
  return (
    <section className="card stack">
      <ScheduleState schedule={schedule} />
      {pausedBy === null ? null : (
        <p>
          {t('schedules.pausedBy')} <Foreign>{pausedBy}</Foreign>
        </p>
      )}
      {problem === null || pausedBy !== null ? null : (
        <p className="foreign">{t('schedules.problem', { detail: explainCode(texts, problem) })}</p>
      )}
      <Pairs
        of={[
          [t('journal.what'), taskInWords(texts, schedule)],
          [t('schedules.when'), whenInWords(texts, when)],
          [t('nav.players'), playersInWords(texts, schedule)],
          [t('common.server'), <ServerName key="server" id={serverId} />],
          [t('schedules.maker'), <Foreign key="maker">{actor.name}</Foreign>],
          [t('run.missed'), missed === 'run_once' ? t('schedules.madeUp') : null],
          [
            t('schedules.next'),
            next.length === 0 ? null : (
              <ul key="next" className="plain times" aria-label={t('schedules.next')}>
                {next.map((at) => (
                  <li key={at}>
                    <time dateTime={at}>{time(at)}</time>
                  </li>
                ))}
              </ul>
            ),
          ],
        ]}
      />
    </section>
  );
};

export const SchedulePage = () => {
  const { t } = useTexts();
  const may = useMay();
  const navigate = route.useNavigate();
  const { id } = route.useParams();
  const query = useSchedule(id);
  const runs = useRuns(id);
  const pause = usePause();
  const [wish, setWish] = useState<ScheduleWish>();
  const schedule = query.data;
  // Buttons that came with the schedule would push a phone's page down.
  const actions = may('schedules:write') ? (
    <>
      <Button
        isMain
        disabled={schedule === undefined}
        onClick={() => schedule !== undefined && setWish({ schedule, is: 'run' })}
      >
        {t('schedules.run')}
      </Button>
      {schedule === undefined ? null : (
        <Menu
          className="ghost"
          name={t('table.actionsOf', { name: isolated(schedule.label) })}
          label={<Icon name="more" />}
        >
          <ScheduleItems schedule={schedule} pause={pause} onWish={setWish} />
        </Menu>
      )}
    </>
  ) : null;
  return (
    <Page
      title={schedule?.label ?? t('nav.schedules')}
      actions={
        <>
          <Link to="/schedules">{t('schedules.back')}</Link>
          {actions}
        </>
      }
    >
      {pause.error === null ? null : <Failed error={pause.error} />}
      <div className="sides">
        <Loaded query={query}>
          {(known) => (
            <div className="stack">
              <Facts schedule={known} />
              <Players schedule={known} />
            </div>
          )}
        </Loaded>
        {/* On a phone, the facts would push it down. */}
        {query.isPending ? null : (
          <section>
            <h2>{t('schedules.runs')}</h2>
            <Loaded query={runs}>{({ data }) => <Runs runs={data} />}</Loaded>
          </section>
        )}
      </div>
      <ScheduleWishes
        wish={wish}
        onClose={() => setWish(undefined)}
        onDone={(made) => {
          setWish(undefined);
          if (made.id !== id) void navigate({ to: '/schedules/$id', params: { id: made.id }, ignoreBlocker: true });
        }}
        onGone={() => void navigate({ to: '/schedules' })}
      />
    </Page>
  );
};
