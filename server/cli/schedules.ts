import type { Command } from 'commander';
import type { ProjectRow } from '../../db/queries/projects.ts';
import type { ScheduleRow } from '../../db/queries/schedules.ts';
import type { Store } from '../../db/store.ts';
import { isoTime, optionalTime } from '../platform/time.ts';
import { planFrom } from '../schedules/times.ts';
import { withProject } from './database.ts';
import { addVerb, withPages } from './options.ts';
import { found, print, printList } from './output.ts';

type Options = { project: string; limit: number; cursor?: string; json?: boolean };

const view = (row: ScheduleRow) => ({
  id: row.id,
  label: row.label,
  serverId: row.serverId,
  task: row.task,
  when: row.when,
  missed: row.missed,
  paused: row.paused,
  pausedBy: row.pausedBy,
  next: row.paused ? null : optionalTime(row.nextAt),
  actor: row.actor,
  createdAt: isoTime(row.createdAt),
});

/** @throws CliError */
const find = async (store: Store, { id: projectId, slug }: ProjectRow, id: string): Promise<ScheduleRow> =>
  found(await store.schedules.get(projectId, id), `project "${slug}" has no schedule ${id}`);

const inWords = (when: ScheduleRow['when']): string => {
  if ('at' in when) return when.at;
  if ('before' in when) return `${when.minutes} minutes before a restart`;
  return `${when.cron} (${when.timeZone})`;
};

const list = ({ project, limit, cursor, json }: Options): Promise<void> =>
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
  const listed = addVerb(command, 'list', 'the newest schedules of a project, with their next time');
  withPages(listed, 'schedules').action(list);

  addVerb(command, 'pause', 'run a schedule no more until it is resumed', '<id>').action(
    (id: string, options: Options) => setPaused(id, options, true),
  );

  addVerb(command, 'resume', 'run a schedule again, from its next time on', '<id>').action(
    (id: string, options: Options) => setPaused(id, options, false),
  );

  addVerb(command, 'delete', 'delete a schedule with its history; commands that it made stay', '<id>').action(
    (id: string, { project }: Options) =>
      withProject(project, async (store, owner) => {
        const { projectId, label } = await find(store, owner, id);
        await store.schedules.remove(projectId, id);
        print(`The schedule "${label}" is deleted.`);
      }),
  );
};
