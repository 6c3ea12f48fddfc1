import { type Command, Option } from 'commander';
import type { ApiKeyRow } from '../../db/queries/api-keys.ts';
import type { ProjectRow } from '../../db/queries/projects.ts';
import type { Store } from '../../db/store.ts';
import { keyAdmin, keyView } from '../admin/keys.ts';
import { SCOPES, type Scope } from '../auth/credentials.ts';
import { withProject } from './database.ts';
import {
  addVerb,
  boundOf,
  duration,
  jsonOption,
  keyRateLimit,
  maxAmount,
  maxPlayers,
  name,
  scopeList,
  slugList,
  wholeNumber,
} from './options.ts';
import { CliError, commandName, found, print, printJson, printList, printRow } from './output.ts';

const PLAYERS = 'limit of players in a batch, below that of the project, or none';
const MONEY = 'limit of the money that one batch moves, below that of the project, or none';
const REQUESTS = 'limit of requests in any 60 seconds, below that of the project, or none';
const NO_ADMIN = 'No other key can manage keys for all servers.';

type Options = { project: string; json?: boolean };
type Bounds = { [N in 'maxBatchTargets' | 'maxBatchTotal' | 'rateLimit']?: number | 'none' };

/** The bounds that were given. */
const boundsOf = ({ maxBatchTargets, maxBatchTotal, rateLimit }: Bounds) => ({
  ...(maxBatchTargets !== undefined && { maxBatchTargets: boundOf(maxBatchTargets) }),
  ...(maxBatchTotal !== undefined && { maxBatchTotal: boundOf(maxBatchTotal) }),
  ...(rateLimit !== undefined && { rateLimit: boundOf(rateLimit) }),
});

const create = (
  options: Options & Bounds & { name: string; scopes: Scope[]; servers?: string[]; expires?: number },
): Promise<void> =>
  withProject(options.project, async (store, project) => {
    const { row, key } = await keyAdmin({ store }).create(project, {
      name: options.name,
      scopes: options.scopes,
      servers: options.servers ?? null,
      expiresAt: options.expires === undefined ? null : Date.now() + options.expires,
      ...boundsOf(options),
    });
    const { id, name, scopes, servers, maxBatchTargets, maxBatchTotal, rateLimit, expiresAt } = keyView(row);
    if (options.json === true) {
      return printJson({ id, key, name, scopes, servers, maxBatchTargets, maxBatchTotal, rateLimit, expiresAt });
    }
    print(`API key "${name}" (${id}), shown once:`);
    print(`  ${key}`);
  });

const find = async (store: Store, { id: projectId, slug }: ProjectRow, id: string): Promise<ApiKeyRow> =>
  found(await keyAdmin({ store }).find(projectId, id), `project "${slug}" has no live key ${id}`);

const set = async (
  id: string,
  options: Options & Bounds & { name?: string; scopes?: Scope[]; addScopes?: Scope[] },
): Promise<void> => {
  const { project, name: newName, scopes, addScopes, json } = options;
  const bounds = boundsOf(options);
  const isNothing = [newName, scopes, addScopes, ...Object.values(bounds)].every((value) => value === undefined);
  if (isNothing) throw new CliError(`nothing to set; see: ${commandName()} key set --help`, 2);
  await withProject(project, async (store, owner) => {
    const row = await find(store, owner, id);
    const wanted = [...new Set([...(scopes ?? row.scopes), ...(addScopes ?? [])])];
    const patch = { scopes: wanted, ...(newName !== undefined && { name: newName }), ...bounds };
    printRow(keyView(await keyAdmin({ store }).change(row, patch)), json);
  });
};

export const addKeyCommands = (key: Command): void => {
  const scopes = new Option('--scopes <list>', 'comma separated, or all')
    .argParser(scopeList)
    .default(scopeList('all'), 'all');

  addVerb(key, 'create', 'create a key and print it once')
    .requiredOption('--name <name>', 'owner of the key; recorded in the journal', name)
    .addOption(scopes)
    .option('--servers <list>', 'only these servers; default: all', slugList)
    .option('--expires <time>', 'such as 90d; default: never', duration)
    .option('--max-batch-targets <n>', PLAYERS, maxPlayers)
    .option('--max-batch-total <n>', MONEY, maxAmount)
    .option('--rate-limit <n>', REQUESTS, keyRateLimit)
    .addOption(jsonOption())
    .action(create);

  addVerb(key, 'list', 'list the keys of a project, without their secrets')
    .addOption(jsonOption())
    .action(({ project, json }: Options) =>
      withProject(project, async (store, { id: projectId }) => {
        const rows = await store.apiKeys.list(projectId);
        printList(rows.map(keyView), {
          json,
          columns: {
            id: (row) => row.id,
            prefix: (row) => row.prefix,
            name: (row) => row.name,
            servers: (row) => row.servers?.join(', ') ?? 'all',
            'batch players': (row) => row.maxBatchTargets,
            'batch money': (row) => row.maxBatchTotal,
            'a minute': (row) => row.rateLimit,
            'last use': (row) => row.lastUsedAt,
            expires: (row) => row.expiresAt,
            revoked: (row) => row.revokedAt,
            scopes: (row) => (row.scopes.length === SCOPES.length ? 'all' : row.scopes.join(', ')),
          },
        });
      }),
    );

  addVerb(
    key,
    'set',
    'change the scopes, the name or the limits of a key; a running hub follows within a second',
    '<id>',
  )
    .option('--name <name>', 'owner of the key; recorded in the journal', name)
    .option('--scopes <list>', 'replace its scopes: comma separated, or all', scopeList)
    .option('--add-scopes <list>', 'keep its scopes and add these: comma separated, or all', scopeList)
    .option('--max-batch-targets <n>', PLAYERS, maxPlayers)
    .option('--max-batch-total <n>', MONEY, maxAmount)
    .option('--rate-limit <n>', REQUESTS, keyRateLimit)
    .addOption(jsonOption())
    .action(set);

  addVerb(key, 'rotate', 'replace the secret of a key and print it once', '<id>')
    .option('--grace <seconds>', 'how long the old secret still works', wholeNumber(0, 604_800), 0)
    .addOption(jsonOption())
    .action((id: string, { project, grace, json }: Options & { grace: number }) =>
      withProject(project, async (store, owner) => {
        const row = await find(store, owner, id);
        const { key: secret } = await keyAdmin({ store }).rotate(row, grace, { force: true });
        if (json === true) return printJson({ id, key: secret });
        print(`New secret of ${id}, shown once:`);
        print(`  ${secret}`);
      }),
    );

  addVerb(key, 'revoke', 'revoke a key; a running hub refuses it within a second', '<id>').action(
    (id: string, { project }: Options) =>
      withProject(project, async (store, owner) => {
        const keys = keyAdmin({ store });
        const row = await find(store, owner, id);
        const wasLastAdmin = await keys.isLastAdmin(row);
        await keys.revoke(row, { force: true });
        print(`Key ${id} revoked; a running hub refuses it within a second.`);
        const made = (await store.webhooks.list(owner.id)).filter(({ maker }) => maker.keyId === id);
        if (made.length > 0) print(`Webhooks that it made go on: ${made.map((webhook) => webhook.id).join(', ')}`);
        if (wasLastAdmin) print(`${NO_ADMIN} Make one: ${commandName()} key create --project ${project} --name <name>`);
      }),
  );
};
