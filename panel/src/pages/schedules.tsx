import { Link } from '@tanstack/react-router';
import { useTexts } from '../i18n.ts';
import { Page } from '../parts/page.tsx';
import { ScheduleCard } from '../parts/schedule-card.tsx';
import { Empty, Loaded } from '../parts/state.tsx';
import { useSchedules } from '../schedules.ts';
import { useMay } from '../session.ts';
import { useScheduleKinds } from '../tasks/task-fields.tsx';

/** Commands that run at a time, with their next times. */
export const SchedulesPage = () => {
  const { t } = useTexts();
  const may = useMay();
  const kinds = useScheduleKinds();
  const query = useSchedules();
  return (
    <Page
      title={t('nav.schedules')}
      actions={
        may('schedules:write') && kinds.length > 0 ? <Link to="/schedules/new">{t('schedules.new')}</Link> : null
      }
    >
      <Loaded query={query}>
        {(schedules) =>
          schedules.length === 0 ? (
            <Empty title={t('schedules.none')} />
          ) : (
            <ul className="plain" aria-label={t('nav.schedules')}>
              {schedules.map((schedule) => (
                <li key={schedule.id}>
                  <ScheduleCard schedule={schedule} onGone={() => undefined} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Page>
  );
};
