import type { Command } from 'commander';
import { newSetupLink, provisionFirst } from '../admin/projects.ts';
import { readConfig } from '../platform/config.ts';
import { commandName } from './command-name.ts';
import { withStore } from './database.ts';
import { addressOfHub } from './doctor/network.ts';
import { jsonOption, name, slug } from './options.ts';
import { CliError, print, printFields, printJson } from './output.ts';

const notEmpty = (): CliError =>
  new CliError(
    `this hub is set up already; make a key with: ${commandName()} key create --project <slug> --name "my key"`,
  );

const setupLink = (): Promise<void> =>
  withStore(async (store) => {
    const config = readConfig(process.env);
    const link = await newSetupLink(store, config.PUBLIC_URL ?? (await addressOfHub(config)));
    if (link === undefined) throw notEmpty();
    print(link);
  });

type InitOptions = { name: string; server: string; json?: boolean };

const init = ({ name: community, server, json }: InitOptions): Promise<void> =>
  withStore(
    async (store) => {
      const made = await provisionFirst(store, { name: community, server: { id: server, name: server } });
      if (made === undefined) throw notEmpty();
      if (json === true) printJson(made);
      else printFields(made);
    },
    { mayCreate: true },
  );

export const defineSetupLink = (command: Command): Command => command.action(setupLink);

export const defineInit = (command: Command): Command =>
  command
    .option('--name <name>', 'of the community', name, 'My community')
    .option('--server <id>', 'of the game server', slug, 'main')
    .addOption(jsonOption())
    .action(init);
