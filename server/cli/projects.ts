import type { Command } from 'commander';
import type { ProjectRow } from '../../db/queries/projects.ts';
import { addProject, changeProject, newSetupLink, provisionFirst, removeProject } from '../admin/projects.ts';
import { MAX_BATCH_TARGETS } from '../commands/batches.ts';
import { readConfig } from '../platform/config.ts';
import { isoTime, optionalTime } from '../platform/time.ts';
import { withProject, withStore } from './database.ts';
import { boundOf, flag, jsonOption, maxAmount, name, newVerb, slug, wholeNumber } from './options.ts';
import { CliError, commandName, found, print, printJson, printList, printRow } from './output.ts';

const notEmpty = (): string =>
  `this hub is set up already; make a key with: ${commandName()} key create --project <slug> --name "my key"`;

const setupLink = (): Promise<void> =>
  withStore(async (store) => {
    const config = readConfig(process.env);
    // Loaded late, with all that the doctor looks at.
    const { addressOfHub } = await import('./doctor.ts');
    const link = await newSetupLink(store, config.PUBLIC_URL ?? (await addressOfHub(config)));
    print(found(link, notEmpty()));
  });

const init = ({ name: community, server, json }: { name: string; server: string; json?: boolean }): Promise<void> =>
  withStore(
    async (store) => {
      const made = await provisionFirst(store, { name: community, server: { id: server, name: server } });
      printRow(found(made, notEmpty()), json);
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

const view = ({ slug: id, createdAt, ...row }: ProjectRow) => ({
  slug: id,
  name: row.name,
  rateLimit: row.rateLimit,
  maxAmount: row.maxAmount,
  maxServers: row.maxServers,
  maxKeys: row.maxKeys,
  maxWaiting: row.maxWaiting,
  maxBatchTargets: row.maxBatchTargets,
  maxBatchTotal: row.maxBatchTotal,
  ownMaxAmount: row.ownMaxAmount,
  ownMaxBatchTotal: row.ownMaxBatchTotal,
  confirmAbove: row.confirmAbove,
  reasonFor: row.reasonFor ?? [],
  language: row.language,
  keepEvents: row.keepEvents,
  eventsSince: optionalTime(row.eventsSince),
  allowVolatile: row.allowVolatile,
  disabled: row.disabled,
  createdAt: isoTime(createdAt),
});

type Settings = Partial<Omit<ProjectRow, 'id' | 'slug' | 'createdAt' | 'updatedAt' | 'maxAmount' | 'maxBatchTotal'>> & {
  [N in 'maxAmount' | 'maxBatchTotal']?: number | 'none';
};
type Set = Settings & { json?: boolean };

export const addProjectCommands = (project: Command): void => {
  newVerb(project, 'create', 'create a project')
    .argument('<slug>', 'a-z 0-9 _ -', slug)
    .option('--name <name>', 'shown to people; default: the slug', name)
    .option('--rate-limit <n>', 'requests in any 60 seconds', wholeNumber(1, 1_000_000), 100)
    .addOption(jsonOption())
    .action((id: string, options: { name?: string; rateLimit: number; json?: boolean }) =>
      withStore(
        async (store) => {
          const { rateLimit, json } = options;
          const made = await addProject(store, { slug: id, name: options.name ?? id, rateLimit });
          const row = found(made, `the project "${id}" exists already`);
          if (json === true) printJson({ slug: row.slug, name: row.name, rateLimit: row.rateLimit });
          else print(`Project "${row.slug}" made. Next: ${commandName()} server create main --project ${row.slug}`);
        },
        { mayCreate: true },
      ),
    );

  newVerb(project, 'list', 'list all projects')
    .addOption(jsonOption())
    .action(({ json }: { json?: boolean }) =>
      withStore(async (store) => {
        const rows = (await store.projects.list()).map(view);
        printList(rows, {
          json,
          columns: {
            slug: (row) => row.slug,
            name: (row) => row.name,
            limit: (row) => row.rateLimit,
            disabled: (row) => row.disabled,
          },
        });
      }),
    );

  newVerb(project, 'show', 'show one project with its settings', '<slug>')
    .addOption(jsonOption())
    .action((id: string, { json }: { json?: boolean }) =>
      withProject(id, async (_store, row) => printRow(view(row), json)),
    );

  newVerb(project, 'set', 'change settings; a running hub follows within a second', '<slug>')
    .option('--name <name>', 'shown to people', name)
    .option('--rate-limit <n>', 'requests in any 60 seconds', wholeNumber(1, 1_000_000))
    .option('--max-amount <n>', 'limit of one money command, or none', maxAmount)
    .option('--max-servers <n>', 'limit of game servers; existing ones stay', wholeNumber(1, 100_000))
    .option('--max-keys <n>', 'limit of live API keys; existing ones stay', wholeNumber(1, 100_000))
    .option('--max-waiting <n>', 'limit of waiting commands; existing ones stay', wholeNumber(0, 1_000_000))
    .option('--max-batch-targets <n>', 'limit of players in a batch', wholeNumber(1, MAX_BATCH_TARGETS))
    .option('--max-batch-total <n>', 'limit of the money that one batch moves, or none', maxAmount)
    .option('--allow-volatile <true|false>', 'allow money on volatile bridges (a crash may lose it)', flag)
    .option('--keep-events <true|false>', 'keep what happens for streams and webhooks', flag)
    .option('--disabled <true|false>', 'refuse all keys and bridges', flag)
    .addOption(jsonOption())
    .action(async (id: string, { json, maxAmount, maxBatchTotal, keepEvents, ...others }: Set) => {
      const limit = maxAmount === undefined ? {} : { maxAmount: boundOf(maxAmount) };
      const total = maxBatchTotal === undefined ? {} : { maxBatchTotal: boundOf(maxBatchTotal) };
      const patch = { ...others, ...limit, ...total };
      if (Object.keys(patch).length === 0 && keepEvents === undefined)
        throw new CliError(`nothing to set; see: ${commandName()} project set --help`, 2);
      await withProject(id, async (store, before) => {
        // A running hub then marks the rows that are there.
        if (keepEvents !== undefined) await store.events.setKeeping(before.id, keepEvents, Date.now());
        const row = await changeProject(store, before, patch);
        if (row !== undefined) printRow(view(row), json);
      });
    });

  newVerb(project, 'delete', 'delete a project with its keys, servers, players and commands', '<slug>')
    .requiredOption('--yes', 'confirm the deletion')
    .action((id: string) =>
      withProject(id, async (store, row) => {
        await removeProject(store, row);
        print(`Project "${id}" deleted.`);
      }),
    );
};
