import { type Command, InvalidArgumentError, Option } from 'commander';
import type { WebhookRow } from '../../db/queries/webhooks.ts';
import { KEPT_EVENT_TYPES } from '../../db/schema/events.ts';
import { ATTEMPT_STATES, type AttemptState, WEBHOOK_FORMATS } from '../../db/schema/webhooks.ts';
import type { Store } from '../../db/store.ts';
import { readConfig } from '../platform/config.ts';
import { HubError } from '../platform/errors.ts';
import { isoTime } from '../platform/time.ts';
import { openWay, webhookAdmin } from '../webhooks/admin.ts';
import { isProbing } from '../webhooks/retries.ts';
import { detailOf, isDelivered, shownAnswer } from '../webhooks/rounds.ts';
import { withProject } from './database.ts';
import { addVerb, jsonOption, name, slugList, withPages } from './options.ts';
import { CliError, found, print, printJson, printList } from './output.ts';

type Options = { project: string; json?: boolean };
type Admin = ReturnType<typeof webhookAdmin>;
type View = Awaited<ReturnType<Admin['view']>>;

/** Webhooks without a hub of their own: a running one sends within a second what is due. */
const adminOf = (store: Store): Admin => {
  const keep = async (projectId: string): Promise<undefined> => {
    await store.events.setKeeping(projectId, true, Date.now());
  };
  return webhookAdmin({ store, way: openWay({ store, config: readConfig(process.env) }), keep });
};

const withWebhooks = (
  slug: string,
  work: (admin: Admin, projectId: string, store: Store) => Promise<void>,
): Promise<void> => withProject(slug, (store, { id }) => work(adminOf(store), id, store));

/** @throws CliError */
const withOne = (slug: string, id: string, work: (admin: Admin, row: WebhookRow) => Promise<void>) =>
  withWebhooks(slug, async (admin, projectId) =>
    work(admin, found(await admin.find(projectId, id), `project "${slug}" has no webhook ${id}`)),
  );

/** How it stands, in one word. */
const stateOf = ({ off, failures, fault }: Pick<View, 'off' | 'failures' | 'fault'>): string =>
  off ?? (isProbing({ failures }) ? 'rests' : fault === null ? 'on' : 'fails');

const viewOf = async (admin: Admin, row: WebhookRow, eventsSince: number | null) => {
  const { url: _, ...view } = await admin.view(row, eventsSince);
  // The rest of an address may be a secret.
  return { ...view, host: admin.originOf(row) ?? 'sealed', state: stateOf(view) };
};

const list = ({ project, json }: Options): Promise<void> =>
  withWebhooks(project, async (admin, projectId, store) => {
    const since = (await store.projects.byId(projectId))?.eventsSince ?? null;
    const rows = await admin.list(projectId);
    printList(await Promise.all(rows.map((row) => viewOf(admin, row, since))), {
      json,
      columns: {
        id: (row) => row.id,
        name: (row) => row.name,
        host: (row) => row.host,
        format: (row) => row.format,
        state: (row) => row.state,
        why: (row) => row.fault,
        since: (row) => row.failingSince,
        next: (row) => row.restUntil,
        waiting: (row) => (row.behind + row.waiting === 0 ? null : row.behind + row.waiting),
        maker: (row) => row.maker.name,
        servers: (row) => row.servers?.join(', ') ?? 'all',
        types: (row) => row.types?.join(', ') ?? 'all',
      },
      next: null,
    });
  });

const typeList = (text: string): string[] => {
  const types = text.split(',').map((each) => each.trim());
  const isKnown = (type: string): boolean => KEPT_EVENT_TYPES.some((known) => known === type);
  if (!types.every(isKnown)) throw new InvalidArgumentError(`Use some of ${KEPT_EVENT_TYPES.join(',')}.`);
  return [...new Set(types)];
};

type NewWebhook = Options & {
  url: string;
  name?: string;
  format: (typeof WEBHOOK_FORMATS)[number];
  types?: string[];
  servers?: string[];
  by: string;
};
const create = ({
  project,
  json,
  url,
  name: called,
  format,
  types = [],
  servers = [],
  by,
}: NewWebhook): Promise<void> =>
  withWebhooks(project, async (admin, projectId, store) => {
    const known = new Set((await store.servers.list(projectId)).map(({ id }) => id));
    const ghost = servers.find((id) => !known.has(id));
    if (ghost !== undefined) throw new CliError(`project "${project}" has no server ${ghost}`);
    const settings = {
      name: called ?? null,
      types: types.length === 0 ? null : types,
      servers: servers.length === 0 ? null : servers,
      names: true,
    };
    const maker = { keyId: 'cli', name: by };
    const { row, secret } = await admin.create({ id: projectId }, maker, { url, format, ...settings });
    if (json === true) return printJson({ id: row.id, secret });
    print(`Webhook ${row.id} gets what happens from now on.`);
    if (secret === null) return;
    print('Its secret, shown once:');
    print(`  ${secret}`);
  });

const rotate = (id: string, { project, json }: Options): Promise<void> =>
  withOne(project, id, async (admin, webhook) => {
    const { secret } = await admin.rotate(webhook);
    if (json === true) return printJson({ id, secret });
    print(`New secret of ${id}, shown once; the one before signs for 24 hours more:`);
    print(`  ${secret}`);
  });

/** @throws CliError: the receiver did not take it */
const test = (id: string, { project }: Options): Promise<void> =>
  withOne(project, id, async (admin, webhook) => {
    const posted = await admin.test(webhook);
    const { status, tookMs } = posted;
    const to = webhook.name ?? id;
    if (!isDelivered(posted)) {
      throw new CliError(`not delivered to ${to}: ${detailOf(posted)} ${shownAnswer(posted)}`.trim());
    }
    print(`Delivered to ${to}: ${status}, in ${tookMs} ms.`);
  });

type Pages = { limit: number; cursor?: string; state?: AttemptState };
const deliveries = (id: string, { project, json, ...page }: Options & Pages): Promise<void> =>
  withOne(project, id, async (admin, webhook) => {
    const { deliveries, next } = await admin.deliveries(webhook, page, { commands: true, names: true });
    printList(deliveries, {
      json,
      columns: {
        time: (row) => row.at,
        event: (row) => row.eventId,
        type: (row) => row.type,
        about: (row) => (row.events > 1 ? `a summary of ${row.events} events` : (row.about?.says ?? null)),
        state: (row) => row.state,
        attempts: (row) => row.attempts,
        status: (row) => row.status,
        detail: (row) => row.detail,
        next: (row) => row.nextAt,
      },
      next,
    });
  });

const since = (text: string): number => {
  const at = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at)) throw new InvalidArgumentError('Use a time such as 2026-11-20T00:00:00Z.');
  return at;
};

const replay = (id: string, { project, since: at }: Options & { since: number }): Promise<void> =>
  withOne(project, id, async (admin, webhook) => {
    const behind = await admin.behind(await admin.replay(webhook, at));
    print(
      `The webhook ${id} gets all events since ${isoTime(at)} again: ${behind >= 1_000 ? '1000 or more' : behind}.`,
    );
  });

const retry = (id: string, eventId: string, { project }: Options): Promise<void> =>
  withOne(project, id, async (admin, webhook) => {
    const missing = `nothing of ${eventId} was sent to the webhook ${id}`;
    await admin.retry(webhook, eventId, { commands: false, names: false }).catch((error: unknown) => {
      throw error instanceof HubError && error.code === 'delivery_not_found' ? new CliError(missing) : error;
    });
    print(`The webhook ${id} gets ${eventId} again.`);
  });

/** Switched on again, it gets what has come meanwhile. */
const setOn = (id: string, { project }: Options, on: boolean): Promise<void> =>
  withOne(project, id, async (admin, webhook) => {
    await admin.change(webhook, webhook.maker, { on });
    print(`The webhook ${id} is ${on ? 'on again' : 'paused'}.`);
  });

export const addWebhookCommands = (command: Command): void => {
  addVerb(command, 'create', 'send events to an address, and print the secret once')
    .requiredOption('--url <url>', 'https, on the public internet, unless WEBHOOKS_MAY_REACH allows it')
    .addOption(new Option('--format <format>', 'what is sent').choices(WEBHOOK_FORMATS).default('json'))
    .option('--name <name>', 'for people', name)
    .option('--types <list>', 'only events of these types; default: all', typeList)
    .option('--servers <list>', 'only events of these servers; default: all', slugList)
    .option('--by <name>', 'name of the maker', process.env['USER'] ?? 'operator')
    .addOption(jsonOption())
    .action(create);

  addVerb(command, 'list', 'the webhooks of a project').addOption(jsonOption()).action(list);

  addVerb(command, 'rotate', 'replace the secret of a webhook and print it once', '<id>')
    .addOption(jsonOption())
    .action(rotate);

  addVerb(command, 'rename', 'give a webhook another name', '<id>')
    .requiredOption('--name <name>', 'for people', name)
    .action((id: string, { project, name: to }: Options & { name: string }) =>
      withOne(project, id, async (admin, webhook) => {
        await admin.change(webhook, webhook.maker, { name: to });
        print(`The webhook ${id} is named ${to}.`);
      }),
    );

  const about = 'send an event of the type webhook.test now, from this machine: a hub elsewhere may reach other hosts';
  addVerb(command, 'test', about, '<id>').action(test);

  const filtered = addVerb(command, 'deliveries', 'what was sent to a webhook, the newest first', '<id>').addOption(
    new Option('--state <state>', 'only in this state').choices(ATTEMPT_STATES),
  );
  withPages(filtered, 'deliveries').action(deliveries);

  addVerb(command, 'retry', 'send an event again', '<id>').argument('<eventId>').action(retry);

  addVerb(command, 'replay', 'send all kept events since a time again, with their ids', '<id>')
    .requiredOption('--since <time>', 'such as 2026-11-20T00:00:00Z', since)
    .action(replay);

  addVerb(command, 'pause', 'send nothing to a webhook until it is resumed', '<id>').action(
    (id: string, options: Options) => setOn(id, options, false),
  );

  addVerb(command, 'resume', 'send to a webhook again, also what has come meanwhile', '<id>').action(
    (id: string, options: Options) => setOn(id, options, true),
  );

  addVerb(command, 'delete', 'delete a webhook with its deliveries', '<id>').action(
    (id: string, { project }: Options) =>
      withOne(project, id, async (admin, webhook) => {
        await admin.remove(webhook);
        print(`The webhook ${id} is deleted.`);
      }),
  );
};
