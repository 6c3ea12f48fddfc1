import { batchOf } from '../../../tests/kit/batch-rows.ts';
import { fillJournal, fillSchedules } from '../fill.ts';
import type { Attack } from '../report.ts';
import type { Stage } from '../stage.ts';

const ROWS = 10_000;
const LARGE = 'x'.repeat(8_000);

/** Many callers ask for the same at once. */
const read = async ({ caller }: Stage, path: string, callers: number): Promise<string> => {
  const answers = await Promise.all(Array.from({ length: callers }, () => caller.ask('GET', path)));
  const statuses = answers.map(({ status }) => status);
  const slowest = Math.max(...answers.map(({ ms }) => ms));
  return `${statuses.filter((status) => status === 200).length} of ${callers} answered, the last after ${slowest.toFixed(0)} ms`;
};

const exportOf = (name: string, callers: number, reason?: string): Attack => ({
  name,
  isRepeated: true,
  options: { fill: (store, projectId) => fillJournal(store, projectId, ROWS, reason === undefined ? {} : { reason }) },
  play: (stage) => read(stage, '/api/v2/commands.csv', callers),
});

/** Journals of 10,000 commands as CSV; `large`: each with 8 KB. */
export const exportsOfJournals: readonly Attack[] = [
  exportOf('csv-one', 1),
  exportOf('csv-ten', 10),
  exportOf('csv-large-one', 1, LARGE),
  exportOf('csv-large-ten', 10, LARGE),
];

const schedules = (name: string, callers: number): Attack => ({
  name,
  isRepeated: true,
  options: { fill: (store, projectId) => fillSchedules(store, projectId, 200) },
  play: (stage) => read(stage, '/api/v2/schedules?limit=200', callers),
});

/** Lists of 200 schedules of a rare day, and pages of a batch with large commands. */
export const lists: readonly Attack[] = [
  schedules('schedules-one', 1),
  schedules('schedules-twenty', 20),
  {
    name: 'batch-pages-ten',
    isRepeated: true,
    options: {
      fill: async (store, projectId) => {
        await fillJournal(store, projectId, 500, { reason: 'x'.repeat(16_000), batchId: 'bat_large' });
        await store.batches.insert(batchOf('bat_large', { projectId, status: 'settled' }));
      },
    },
    play: (stage) => read(stage, '/api/v2/batches/bat_large/commands?limit=200', 10),
  },
];
