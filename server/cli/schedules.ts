import type { Command } from 'commander';
import type { ProjectRow } from '../../db/queries/projects.ts';
import type { ScheduleRow } from '../../db/queries/schedules.ts';
import type { Store } from '../../db/store.ts';
import { planFrom } from '../schedules/times.ts';
import { withProject } from './database.ts';
import { jsonOption, projectOption, wholeNumber } from './options.ts';
import { CliError, print, printList, shownTime } from './output.ts';

type Options = { project: string };

const view = ({
  id,
  label,
  serverId,
  task,
  when,
  missed,
  paused,
  pausedBy,
  nextAt,
  actor,
  createdAt,
}: ScheduleRow) => ({
  id,
  label,
  serverId,
  task,
  when,
  missed,
  paused,
  pausedBy,
  next: paused || nextAt === null ? null : shownTime(nextAt),
  actor,
  createdAt: shownTime(createdAt),
});

/** @throws CliError */
const find = async (store: Store, { id: projectId, slug }: ProjectRow, id: string): Promise<ScheduleRow> => {
  const row = await store.schedules.get(projectId, id);
  if (row === undefined) throw new CliError(`project "${slug}" has no schedule ${id}`);
  return row;
};

const inWords = (when: ScheduleRow['when']): string => {
  if ('at' in when) return when.at;
  if ('before' in when) return `${when.minutes} minutes before a restart`;
  return `${when.cron} (${when.timeZone})`;
};

const list = ({
  project,
  limit,
  cursor,
  json,
}: Options & { limit: number; cursor?: string; json?: boolean }): Promise<void> =>
  withProject(project, async (store, { id: projectId }) => {
    const page = await store.schedules.list(projectId, { limit, cursor });
    printList(page.rows.map(view), {
      json,
      columns: {
        id: (row) => row.id,
        label: (row) => row.label,
        server: (row) => row.serverId,
        name: (row) => row.task.name,
        when: (row) => inWords(row.when),
        next: (row) => (row.paused ? 'paused' : row.next),
        'paused by the hub': (row) => row.pausedBy,
        actor: (row) => row.actor.name,
      },
      next: page.next,
    });
  });

/** Runs that were missed while it was paused are not made up. */
const setPaused = (id: string, { project }: Options, paused: boolean): Promise<void> =>
  withProject(project, async (store, owner) => {
    const { projectId, when, paused: wasPaused } = await find(store, owner, id);
    const now = Date.now();
    const next = !paused && wasPaused ? planFrom(when, now) : {};
    await store.schedules.change(projectId, id, { paused, pausedBy: null, updatedAt: now, ...next });
    print(`The schedule ${id} ${paused ? 'is paused' : 'runs again'}.`);
  });

export const addScheduleCommands = (command: Command): void => {
  command
    .command('list')
    .description('the newest schedules of a project, with their next time')
    .addOption(projectOption())
    .option('--limit <n>', 'number of schedules, at most 200', wholeNumber(1, 200), 50)
    .option('--cursor <cursor>', 'continue after the last page')
    .addOption(jsonOption())
    .action(list);

  command
    .command('pause')
    .description('run a schedule no more until it is resumed')
    .argument('<id>')
    .addOption(projectOption())
    .action((id: string, options: Options) => setPaused(id, options, true));

  command
    .command('resume')
    .description('run a schedule again, from its next time on')
    .argument('<id>')
    .addOption(projectOption())
    .action((id: string, options: Options) => setPaused(id, options, false));

  command
    .command('delete')
    .description('delete a schedule with its history; commands that it made stay')
    .argument('<id>')
    .addOption(projectOption())
    .action((id: string, { project }: Options) =>
      withProject(project, async (store, owner) => {
        const { projectId, label } = await find(store, owner, id);
        await store.schedules.remove(projectId, id);
        print(`The schedule "${label}" is deleted.`);
      }),
    );
};
