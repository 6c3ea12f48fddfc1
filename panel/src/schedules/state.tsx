import { Badge } from '@mantine/core';
import { useTexts } from '../i18n.ts';
import { isOver, type Schedule } from './schedule.ts';

/** Whether a schedule will run. */
export const isNormal = (schedule: Schedule): boolean =>
  !isOver(schedule) && !schedule.paused && schedule.problem === null;

/** What is not normal about a schedule; nothing for one that will run. */
export const ScheduleState = ({ schedule }: { schedule: Schedule }) => {
  const { t } = useTexts();
  const { paused, problem } = schedule;
  if (isOver(schedule))
    return (
      <Badge color="gray" variant="light">
        {t('schedules.over')}
      </Badge>
    );
  if (paused)
    return (
      <Badge color="yellow" variant="light">
        {t('schedules.paused')}
      </Badge>
    );
  return problem === null ? null : (
    <Badge color="red" variant="light">
      {t('schedules.refused')}
    </Badge>
  );
};
