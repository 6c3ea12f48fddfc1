import { type Command, Option } from 'commander';
import type { CommandRow } from '../../db/queries/commands/read.ts';
import { COMMAND_STATUSES } from '../../db/schema/commands.ts';
import { withProject } from './database.ts';
import { flag, jsonOption, plainText, projectOption, wholeNumber } from './options.ts';
import { CliError, print, printFields, printJson, printList, shownTime } from './output.ts';

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
  createdAt: shownTime(row.createdAt),
  settledAt: row.settledAt === null ? null : shownTime(row.settledAt),
  resolution: row.resolution,
});

type ListOptions = {
  project: string;
  server?: string;
  target?: string;
  name?: string;
  status?: CommandRow['status'];
  limit: number;
  cursor?: string;
  json?: boolean;
};

const list = ({ project, server, target, name, status, limit, cursor, json }: ListOptions): Promise<void> =>
  withProject(project, async (store, { id: projectId }) => {
    const page = await store.commands.list({
      projectId,
      limit,
      ...(cursor === undefined ? {} : { cursor }),
      ...(server === undefined ? {} : { servers: [server] }),
      ...(target === undefined ? {} : { target }),
      ...(name === undefined ? {} : { name }),
      ...(status === undefined ? {} : { status }),
    });
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
    if (row === undefined) throw new CliError(`project "${project}" has no indeterminate command ${id}`);
    print(`${row.id} is now ${row.status}.`);
  });

export const addCommandCommands = (command: Command): void => {
  command
    .command('list')
    .description('the newest commands of a project')
    .addOption(projectOption())
    .option('--server <serverId>', 'only of this server')
    .option('--target <identifier>', 'only for this player')
    .option('--name <command>', 'only this command, such as items or custom:give_item')
    .addOption(new Option('--status <status>', 'only in this state').choices(COMMAND_STATUSES))
    .option('--limit <n>', 'number of commands, at most 200', wholeNumber(1, 200), 50)
    .option('--cursor <cursor>', 'continue after the last page')
    .addOption(jsonOption())
    .action(list);

  command
    .command('show')
    .description('show one command')
    .argument('<id>')
    .addOption(projectOption())
    .addOption(jsonOption())
    .action((id: string, { project, json }: { project: string; json?: boolean }) =>
      withProject(project, async (store, { id: projectId }) => {
        const row = await store.commands.get(projectId, id);
        if (row === undefined) throw new CliError(`project "${project}" has no command ${id}`);
        if (json === true) return printJson(view(row));
        printFields(view(row));
      }),
    );

  command
    .command('resolve')
    .description('record what became of an indeterminate command')
    .argument('<id>')
    .addOption(projectOption())
    .requiredOption('--applied <true|false>', 'whether it took effect in the game', flag)
    .requiredOption('--note <text>', 'how you know', plainText(NOTE_LENGTH))
    .option('--by <name>', 'name recorded with the decision', process.env['USER'] ?? 'operator')
    .action(resolve);
};
