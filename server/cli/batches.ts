import type { Command } from 'commander';
import type { BatchRow } from '../../db/queries/commands/batches.ts';
import type { ProjectRow } from '../../db/queries/projects.ts';
import type { Store } from '../../db/store.ts';
import { batchView } from '../commands/view.ts';
import { withProject } from './database.ts';
import { addVerb, jsonOption, withPages } from './options.ts';
import { CliError, found, print, printList, printRow } from './output.ts';

type Options = { project: string; json?: boolean };

const view = async (store: Store, row: BatchRow) => batchView(row, await store.batches.counts(row.id));

/** @throws CliError */
const find = async (store: Store, { id: projectId, slug }: ProjectRow, id: string): Promise<BatchRow> =>
  found(await store.batches.get(projectId, id), `project "${slug}" has no batch ${id}`);

const inWords = (counts: object): string =>
  Object.entries(counts)
    .map(([status, rows]) => `${rows} ${status}`)
    .join(', ');

const list = ({ project, limit, cursor, json }: Options & { limit: number; cursor?: string }): Promise<void> =>
  withProject(project, async (store, { id: projectId }) => {
    const page = await store.batches.list(projectId, { limit, cursor });
    printList(await Promise.all(page.rows.map((row) => view(store, row))), {
      json,
      columns: {
        time: (row) => row.createdAt,
        id: (row) => row.id,
        name: (row) => row.name,
        server: (row) => row.serverId,
        label: (row) => row.label,
        status: (row) => row.endedBy ?? row.status,
        players: (row) => row.total,
        commands: (row) => inWords(row.counts),
        actor: (row) => row.actor.name,
      },
      next: page.next,
    });
  });

/** Voids a batch, as REST does. A running hub sees it before it sends the next command, and ends the batch. */
const takeBack = (id: string, { project }: Options): Promise<void> =>
  withProject(project, async (store, owner) => {
    const row = await find(store, owner, id);
    if (row.status === 'settled') throw new CliError(`the batch ${id} has ended`);
    await store.batches.end(id, 'voided', Date.now());
    const { length: count } = await store.commands.voidBatch(id, Date.now());
    print(`${count} commands of the batch ${id} are taken back. Those that have left go on.`);
  });

export const addBatchCommands = (command: Command): void => {
  withPages(addVerb(command, 'list', 'the newest batches of a project'), 'batches').action(list);

  addVerb(command, 'show', 'show one batch, with its commands by status', '<id>')
    .addOption(jsonOption())
    .action((id: string, { project, json }: Options) =>
      withProject(project, async (store, owner) => {
        printRow(await view(store, await find(store, owner, id)), json);
      }),
    );

  addVerb(command, 'void', 'take back the commands of a batch that have not left', '<id>').action(takeBack);
};
