import type { Command } from 'commander';
import type { ProjectRow } from '../../db/queries/projects.ts';
import type { ServerRow } from '../../db/queries/servers.ts';
import type { Store } from '../../db/store.ts';
import { serverAdmin } from '../admin/servers.ts';
import { createLastRows } from '../commands/end.ts';
import { withProject } from './database.ts';
import { jsonOption, name, projectOption, slug, wholeNumber } from './options.ts';
import { CliError, print, printJson, printList, shownTime } from './output.ts';

const adminOf = (store: Store) => serverAdmin({ store, endCommands: createLastRows({ store }).endAll });

const find = async (store: Store, { id: projectId, slug }: ProjectRow, id: string): Promise<ServerRow> => {
  const row = await store.servers.get(projectId, id);
  if (row === undefined) throw new CliError(`project "${slug}" has no server "${id}"`);
  return row;
};

const printToken = (serverId: string, token: string, json: boolean | undefined): void => {
  if (json === true) return printJson({ serverId, token });
  print(`Bridge token of "${serverId}", shown once:`);
  print(`  ${token}`);
};

type Options = { project: string; name?: string; grace: number; json?: boolean; yes?: boolean };

const rotate = (id: string, { project, grace, json }: Options): Promise<void> =>
  withProject(project, async (store, owner) => {
    const row = await find(store, owner, id);
    printToken(id, await adminOf(store).rotate(row, grace), json);
  });

const setDisabled = (id: string, project: string, disabled: boolean): Promise<void> =>
  withProject(project, async (store, owner) => {
    await adminOf(store).change(await find(store, owner, id), { disabled });
    print(`Server "${id}" ${disabled ? 'disabled' : 'enabled'}.`);
  });

const list = ({ project, json }: Options): Promise<void> =>
  withProject(project, async (store, { id: projectId }) => {
    const sessions = new Map((await store.sessions.list(projectId)).map((session) => [session.serverId, session]));
    const rows = (await store.servers.list(projectId)).map((row) => ({
      serverId: row.id,
      name: row.name,
      disabled: row.disabled,
      connected: sessions.get(row.id)?.connected ?? false,
      tokenPrefix: row.tokenPrefix,
      createdAt: shownTime(row.createdAt),
    }));
    printList(rows, {
      json,
      columns: {
        server: (row) => row.serverId,
        name: (row) => row.name,
        connected: (row) => row.connected,
        disabled: (row) => row.disabled,
        token: (row) => `${row.tokenPrefix}…`,
      },
    });
  });

export const addServerCommands = (server: Command): void => {
  server
    .command('create')
    .description('create a server and print its bridge token once')
    .argument('<serverId>', 'a-z 0-9 _ -', slug)
    .addOption(projectOption())
    .option('--name <name>', 'shown to people; default: the id', name)
    .addOption(jsonOption())
    .action((id: string, options: Options) =>
      withProject(options.project, async (store, project) => {
        const made = await adminOf(store).create(project, { id, name: options.name ?? id });
        if (made === undefined) throw new CliError(`the project "${options.project}" already has a server "${id}"`);
        printToken(id, made.token, options.json);
      }),
    );

  server
    .command('list')
    .description('list the servers of a project')
    .addOption(projectOption())
    .addOption(jsonOption())
    .action(list);

  server
    .command('rotate')
    .description('replace the bridge token and print it once')
    .argument('<serverId>')
    .addOption(projectOption())
    .option('--grace <seconds>', 'how long the old token still works', wholeNumber(0, 604_800), 0)
    .addOption(jsonOption())
    .action(rotate);

  server
    .command('disable')
    .description('refuse the bridge and commands of a server until it is enabled')
    .argument('<serverId>')
    .addOption(projectOption())
    .action((id: string, { project }: Options) => setDisabled(id, project, true));

  server
    .command('enable')
    .description('accept the bridge of a server again; it reconnects within 30 seconds')
    .argument('<serverId>')
    .addOption(projectOption())
    .action((id: string, { project }: Options) => setDisabled(id, project, false));

  server
    .command('delete')
    .description('delete a server with its players')
    .argument('<serverId>')
    .addOption(projectOption())
    .option('--yes', 'confirm the deletion; the commands stay in the journal')
    .action((id: string, { project, yes }: Options) =>
      withProject(project, async (store, owner) => {
        const row = await find(store, owner, id);
        const { waiting, sent } = await store.commands.openCounts(row.projectId, id);
        const ends = `${waiting} commands that were not sent are taken back, ${sent} that were sent become indeterminate.`;
        if (yes !== true)
          throw new CliError(`"${id}" and its players will be deleted; ${ends} Repeat with --yes to delete them`);
        await adminOf(store).remove(row);
        print(`Server "${id}" deleted. ${ends}`);
      }),
    );
};
