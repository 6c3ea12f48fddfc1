import { useTexts } from '../i18n.ts';
import { isOver, type Schedule } from './schedule.ts';

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
