import { lazy, Suspense } from 'react';
import { ScheduleQuestions, type ScheduleWish } from './actions.tsx';
import type { Schedule } from './schedule.ts';

const ScheduleSheet = lazy(async () => ({ default: (await import('./schedule-sheet.tsx')).ScheduleSheet }));

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
  if (wish !== 'new' && wish?.is !== 'change' && wish?.is !== 'duplicate')
    return <ScheduleQuestions wish={wish} onClose={onClose} onGone={onGone} />;
  const [from, isCopy] = wish === 'new' ? [undefined, false] : [wish.schedule, wish.is === 'duplicate'];
  return (
    <Suspense fallback={null}>
      <ScheduleSheet from={from} isCopy={isCopy} onDone={onDone} onClose={onClose} />
    </Suspense>
  );
};
