import type { Command } from 'commander';
import type { WebhookRow } from '../../db/queries/webhooks.ts';
import type { Store } from '../../db/store.ts';
import { readConfig } from '../platform/config.ts';
import { Seal, SealError } from '../platform/seal.ts';
import { isoTime, optionalTime } from '../platform/time.ts';
import { HEALTHY } from '../webhooks/retries.ts';
import { withProject } from './database.ts';
import { addVerb, jsonOption } from './options.ts';
import { found, print, printList } from './output.ts';

type Options = { project: string; json?: boolean };

/** Only the host: the rest of an address may be a secret. */
const hostOf = ({ id, url }: WebhookRow, seal: Seal): string => {
  try {
    return new URL(seal.open(url, id)).origin;
  } catch (error) {
    if (error instanceof SealError) return 'sealed';
    throw error;
  }
};

const list = ({ project, json }: Options): Promise<void> =>
  withProject(project, async (store, { id: projectId }) => {
    const seal = new Seal(readConfig(process.env).SECRET_KEY);
    const rows = await store.webhooks.list(projectId);
    const views = rows.map((row) => ({
      id: row.id,
      host: hostOf(row, seal),
      format: row.format,
      types: row.types,
      servers: row.servers,
      on: row.off === null,
      off: row.off,
      failures: row.failures,
      failingSince: optionalTime(row.failingSince),
      maker: row.maker,
      createdAt: isoTime(row.createdAt),
    }));
    printList(views, {
      json,
      columns: {
        id: (row) => row.id,
        host: (row) => row.host,
        format: (row) => row.format,
        types: (row) => row.types?.join(', ') ?? 'all',
        servers: (row) => row.servers?.join(', ') ?? 'all',
        off: (row) => row.off,
        failures: (row) => String(row.failures),
        maker: (row) => row.maker.name,
      },
      next: null,
    });
  });

/** @throws CliError */
const find = async (store: Store, projectId: string, slug: string, id: string): Promise<WebhookRow> =>
  found(await store.webhooks.get(projectId, id), `project "${slug}" has no webhook ${id}`);

/** Switched on again, it gets what has come meanwhile. */
const setOn = (id: string, { project }: Options, on: boolean): Promise<void> =>
  withProject(project, async (store, owner) => {
    await find(store, owner.id, owner.slug, id);
    const now = Date.now();
    const patch = on ? { ...HEALTHY, off: null, offAt: null } : { off: 'paused' as const, offAt: now };
    await store.webhooks.update(owner.id, id, patch, now);
    if (on) await store.webhooks.wake(id, now);
    print(`The webhook ${id} is ${on ? 'on again' : 'paused'}.`);
  });

export const addWebhookCommands = (command: Command): void => {
  addVerb(command, 'list', 'the webhooks of a project').addOption(jsonOption()).action(list);

  addVerb(command, 'pause', 'send nothing to a webhook until it is resumed', '<id>').action(
    (id: string, options: Options) => setOn(id, options, false),
  );

  addVerb(command, 'resume', 'send to a webhook again, also what has come meanwhile', '<id>').action(
    (id: string, options: Options) => setOn(id, options, true),
  );

  addVerb(command, 'delete', 'delete a webhook with its deliveries', '<id>').action(
    (id: string, { project }: Options) =>
      withProject(project, async (store, owner) => {
        await find(store, owner.id, owner.slug, id);
        await store.webhooks.remove(owner.id, id);
        print(`The webhook ${id} is deleted.`);
      }),
  );
};
