import { Badge } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { Schemas } from '../api.ts';
import { useTexts } from '../i18n.ts';
import { Page } from '../parts/page.tsx';
import { ScheduleCard } from '../parts/schedule-card.tsx';
import { explainCode, Loaded } from '../parts/state.tsx';
import { useRuns, useSchedule } from '../schedules.ts';

const route = getRouteApi('/schedules/$id');
type Run = Schemas['ScheduleRun'];

const COLORS = { started: 'blue', done: 'green', refused: 'orange', missed: 'gray' } as const;

const Made = ({ id }: { id: string }) => {
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

const Runs = ({ runs }: { runs: readonly Run[] }) => {
  const texts = useTexts();
  const { t, time } = texts;
  if (runs.length === 0) return <p className="dim">{t('schedules.noRuns')}</p>;
  return (
    <ul className="plain" data-runs>
      {runs.map(({ plannedAt, status, made, error }) => (
        <li key={plannedAt} className="row">
          <Badge color={COLORS[status]} variant="light">
            {t(`run.${status}`)}
          </Badge>
          <time dateTime={plannedAt}>{time(plannedAt)}</time>
          {made === null ? null : <Made id={made} />}
          {error === null ? null : <span className="dim small">{explainCode(texts, error)}</span>}
        </li>
      ))}
    </ul>
  );
};

/** One schedule and its last runs. */
export const SchedulePage = () => {
  const { t } = useTexts();
  const navigate = route.useNavigate();
  const { id } = route.useParams();
  const query = useSchedule(id);
  const runs = useRuns(id);
  return (
    <Page title={query.data?.label ?? t('nav.schedules')} actions={<Link to="/schedules">{t('schedules.back')}</Link>}>
      <Loaded query={query}>
        {(schedule) => <ScheduleCard schedule={schedule} onGone={() => void navigate({ to: '/schedules' })} />}
      </Loaded>
      <section className="card stack">
        <h2>{t('schedules.runs')}</h2>
        <Loaded query={runs}>{({ data }) => <Runs runs={data} />}</Loaded>
      </section>
    </Page>
  );
};
