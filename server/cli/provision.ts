import type { ApiKeyRow } from '../../db/queries/api-keys.ts';
import type { ProjectRow } from '../../db/queries/projects.ts';
import type { Store } from '../../db/store.ts';
import { SCOPES, type Scope } from '../auth/credentials.ts';
import { createSecret, hashSecret, secretPrefix } from '../auth/secrets.ts';
import { newId } from '../platform/ids.ts';

/** Makes a project; undefined if the slug is taken. */
export const createProject = (
  store: Store,
  { slug, name, ...limits }: { slug: string; name: string; rateLimit: number; maxServers?: number },
): Promise<ProjectRow | undefined> => {
  const at = Date.now();
  return store.projects.create({ id: newId('prj'), slug, name, ...limits, createdAt: at, updatedAt: at });
};

/** Makes an API key and returns its secret, which is not stored. */
export const createKey = async (
  store: Store,
  projectId: string,
  options: { name: string; scopes?: readonly Scope[]; servers?: string[] | null; expiresAt?: number | null },
): Promise<{ row: ApiKeyRow; key: string }> => {
  const key = createSecret('api_key');
  const at = Date.now();
  const row = await store.apiKeys.create({
    id: newId('key'),
    projectId,
    name: options.name,
    scopes: [...(options.scopes ?? SCOPES)],
    servers: options.servers ?? null,
    prefix: secretPrefix(key),
    hash: hashSecret(key),
    createdBy: null,
    createdAt: at,
    updatedAt: at,
    expiresAt: options.expiresAt ?? null,
  });
  return { row, key };
};

/** Makes a server and returns its bridge token, which is not stored; undefined if the id is taken. */
export const createServer = async (
  store: Store,
  projectId: string,
  { id, name }: { id: string; name: string },
): Promise<string | undefined> => {
  const token = createSecret('bridge_token');
  const at = Date.now();
  const row = await store.servers.create({
    projectId,
    id,
    name,
    tokenPrefix: secretPrefix(token),
    tokenHash: hashSecret(token),
    createdAt: at,
    updatedAt: at,
  });
  return row === undefined ? undefined : token;
};

/** What an empty database begins with: project `default`, server `main`, a key with all scopes, a bridge token. */
export const provisionFirst = async (store: Store): Promise<{ key: string; token: string } | undefined> => {
  const project = await createProject(store, { slug: 'default', name: 'Default', rateLimit: 100 });
  if (project === undefined) return undefined;
  const token = await createServer(store, project.id, { id: 'main', name: 'Main server' });
  if (token === undefined) return undefined;
  const { key } = await createKey(store, project.id, { name: 'first key' });
  return { key, token };
};
