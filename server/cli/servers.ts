import type { Command } from 'commander';
import type { ProjectRow } from '../../db/queries/projects.ts';
import type { ServerRow } from '../../db/queries/servers.ts';
import type { Store } from '../../db/store.ts';
import { serverAdmin } from '../admin/servers.ts';
import { createLastRows } from '../commands/end.ts';
import { isoTime } from '../platform/time.ts';
import { withProject } from './database.ts';
import { addVerb, jsonOption, name, slug, wholeNumber } from './options.ts';
import { CliError, found, print, printJson, printList } from './output.ts';

const adminOf = (store: Store) => serverAdmin({ store, endCommands: createLastRows({ store }).endAll });

const find = async (store: Store, { id: projectId, slug }: ProjectRow, id: string): Promise<ServerRow> =>
  found(await store.servers.get(projectId, id), `project "${slug}" has no server "${id}"`);

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
      createdAt: isoTime(row.createdAt),
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
  addVerb(server, 'create', 'create a server and print its bridge token once')
    .argument('<serverId>', 'a-z 0-9 _ -', slug)
    .option('--name <name>', 'shown to people; default: the id', name)
    .addOption(jsonOption())
    .action((id: string, options: Options) =>
      withProject(options.project, async (store, project) => {
        const made = await adminOf(store).create(project, { id, name: options.name ?? id });
        const { token } = found(made, `the project "${options.project}" already has a server "${id}"`);
        printToken(id, token, options.json);
      }),
    );

  addVerb(server, 'list', 'list the servers of a project').addOption(jsonOption()).action(list);

  addVerb(server, 'rotate', 'replace the bridge token and print it once', '<serverId>')
    .option('--grace <seconds>', 'how long the old token still works', wholeNumber(0, 604_800), 0)
    .addOption(jsonOption())
    .action(rotate);

  addVerb(server, 'disable', 'refuse the bridge and commands of a server until it is enabled', '<serverId>').action(
    (id: string, { project }: Options) => setDisabled(id, project, true),
  );

  addVerb(
    server,
    'enable',
    'accept the bridge of a server again; it reconnects within 30 seconds',
    '<serverId>',
  ).action((id: string, { project }: Options) => setDisabled(id, project, false));

  addVerb(server, 'delete', 'delete a server with its players', '<serverId>')
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
