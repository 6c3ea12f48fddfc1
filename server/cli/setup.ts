import type { Command } from 'commander';
import { provisionFirst } from '../admin/projects.ts';
import { newSetupLink } from '../admin/setup.ts';
import { readConfig } from '../platform/config.ts';
import { withStore } from './database.ts';
import { jsonOption, name, slug } from './options.ts';
import { CliError, print, printFields, printJson } from './output.ts';

const NOT_EMPTY = 'this hub is set up already; make a key with: causeway key create --project <slug> --name "my key"';

const setupLink = (): Promise<void> =>
  withStore(async (store) => {
    if ((await store.projects.list()).length > 0) throw new CliError(NOT_EMPTY);
    const { PUBLIC_URL, HOST, PORT } = readConfig(process.env);
    const host = ['0.0.0.0', '::'].includes(HOST) ? '127.0.0.1' : HOST.includes(':') ? `[${HOST}]` : HOST;
    print(await newSetupLink(store, PUBLIC_URL ?? `http://${host}:${PORT}`));
  });

type InitOptions = { name: string; server: string; json?: boolean };

const init = ({ name: community, server, json }: InitOptions): Promise<void> =>
  withStore(
    async (store) => {
      const made = await provisionFirst(store, { name: community, server: { id: server, name: server } });
      if (made === undefined) throw new CliError(NOT_EMPTY);
      if (json === true) printJson(made);
      else printFields(made);
    },
    { mayCreate: true },
  );

export const addSetupCommands = (program: Command): void => {
  program
    .command('setup-link')
    .description('print an address to set up an empty hub; it works once, for 15 minutes')
    .action(setupLink);
  program
    .command('init')
    .description('set up an empty hub without a browser; prints the key and the bridge token, once')
    .option('--name <name>', 'of the community', name, 'My community')
    .option('--server <id>', 'of the game server', slug, 'main')
    .addOption(jsonOption())
    .action(init);
};
