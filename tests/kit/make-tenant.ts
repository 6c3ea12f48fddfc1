import { openDatabase } from '../../db/open.ts';
import type { ProjectRow } from '../../db/queries/projects.ts';
import { createStore, type Store } from '../../db/store.ts';
import { newKey } from '../../server/admin/keys.ts';
import { addProject } from '../../server/admin/projects.ts';
import { newServer } from '../../server/admin/servers.ts';

/** Creates an API key beside the project's quota. */
export const createKey = async (store: Pick<Store, 'apiKeys'>, ...about: Parameters<typeof newKey>) => {
  const { row, key } = newKey(...about);
  return { row: await store.apiKeys.create(row), key };
};

/** Creates a server beside the project's quota, and returns its token; undefined if the id is taken. */
export const createServer = async (
  store: Pick<Store, 'servers'>,
  ...about: Parameters<typeof newServer>
): Promise<string | undefined> => {
  const { row, token } = newServer(...about);
  return (await store.servers.create(row)) === undefined ? undefined : token;
};

/** Requests per minute, more than any test sends: the limit of a project has tests of its own. */
const RATE_LIMIT = 10_000_000;
/** As a project has it by default. */
const MAX_SERVERS = 100;

export type Tenant = {
  project: ProjectRow;
  key: string;
  keyId: string;
  /** Of the servers, in their order. */
  tokens: readonly string[];
};
type TenantOptions = { servers?: readonly string[]; rateLimit?: number };

/** A project with a key for everything, and game servers. @throws Error if the slug is taken */
export const makeTenant = async (
  store: Store,
  slug: string,
  { servers = [], rateLimit = RATE_LIMIT }: TenantOptions = {},
): Promise<Tenant> => {
  const maxServers = Math.max(MAX_SERVERS, servers.length);
  const project = await addProject(store, { slug, name: slug, rateLimit, maxServers });
  if (project === undefined) throw new Error(`the project ${slug} exists`);
  const { key, row } = await createKey(store, project.id, { name: `${slug} key` });
  const tokens = await Promise.all(servers.map((id) => createServer(store, project.id, { id, name: id })));
  return { project, key, keyId: row.id, tokens: tokens.map((token) => token ?? '') };
};

/** The same in a database that is brought up to date first. */
export const makeTenantAt = async (url: string, slug: string, options?: TenantOptions): Promise<Tenant> => {
  const database = await openDatabase({ url });
  try {
    await database.migrate();
    return await makeTenant(createStore(database), slug, options);
  } finally {
    await database.close();
  }
};
