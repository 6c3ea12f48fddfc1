import { type Command, Option } from 'commander';
import type { CommandRow } from '../../db/queries/commands/read.ts';
import { COMMAND_STATUSES } from '../../db/schema/commands.ts';
import { isoTime, optionalTime } from '../platform/time.ts';
import { withProject } from './database.ts';
import { addVerb, flag, jsonOption, plainText, withPages } from './options.ts';
import { found, print, printList, printRow } from './output.ts';

const NOTE_LENGTH = 1000;

const view = (row: CommandRow) => ({
  id: row.id,
  name: row.name,
  serverId: row.serverId,
  target: row.target,
  status: row.status,
  params: row.params,
  result: row.result,
  error: row.error,
  actor: row.actor,
  requestId: row.requestId,
  attempts: row.attempts,
  createdAt: isoTime(row.createdAt),
  settledAt: optionalTime(row.settledAt),
  resolution: row.resolution,
});

type Options = { project: string; json?: boolean };
type Filters = { server?: string; target?: string; name?: string; status?: CommandRow['status']; cursor?: string };

const list = ({ project, json, server, status, ...filters }: Options & Filters & { limit: number }): Promise<void> =>
  withProject(project, async (store, { id: projectId }) => {
    const servers = server === undefined ? {} : { servers: [server] };
    const statuses = status === undefined ? {} : { statuses: [status] };
    const page = await store.commands.list({ projectId, ...servers, ...statuses, ...filters });
    printList(page.rows.map(view), {
      json,
      columns: {
        time: (row) => row.createdAt,
        id: (row) => row.id,
        name: (row) => row.name,
        server: (row) => row.serverId,
        target: (row) => row.target,
        status: (row) => row.status,
        actor: (row) => row.actor.name,
      },
      next: page.next,
    });
  });

const resolve = (
  id: string,
  { project, applied, note, by }: { project: string; applied: boolean; note: string; by: string },
): Promise<void> =>
  withProject(project, async (store, { id: projectId }) => {
    const actor = { keyId: 'cli', name: by };
    const row = await store.commands.resolve({ projectId, id, applied, note, actor, at: Date.now() });
    const { status } = found(row, `project "${project}" has no indeterminate command ${id}`);
    print(`${id} is now ${status}.`);
  });

export const addCommandCommands = (command: Command): void => {
  const filtered = addVerb(command, 'list', 'the newest commands of a project')
    .option('--server <serverId>', 'only of this server')
    .option('--target <identifier>', 'only for this player')
    .option('--name <command>', 'only this command, such as items or custom:give_item')
    .addOption(new Option('--status <status>', 'only in this state').choices(COMMAND_STATUSES));
  withPages(filtered, 'commands').action(list);

  addVerb(command, 'show', 'show one command', '<id>')
    .addOption(jsonOption())
    .action((id: string, { project, json }: Options) =>
      withProject(project, async (store, { id: projectId }) => {
        const row = await store.commands.get(projectId, id);
        printRow(view(found(row, `project "${project}" has no command ${id}`)), json);
      }),
    );

  addVerb(command, 'resolve', 'record what became of an indeterminate command', '<id>')
    .requiredOption('--applied <true|false>', 'whether it took effect in the game', flag)
    .requiredOption('--note <text>', 'how you know', plainText(NOTE_LENGTH))
    .option('--by <name>', 'name recorded with the decision', process.env['USER'] ?? 'operator')
    .action(resolve);
};
