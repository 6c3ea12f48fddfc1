import type { ProjectRow } from '../../db/queries/projects.ts';
import type { Store } from '../../db/store.ts';
import { newId } from '../platform/ids.ts';
import { createKey } from './keys.ts';
import { createServer } from './servers.ts';

/** Creates a project; undefined if the slug is taken. */
export const createProject = (
  store: Pick<Store, 'projects'>,
  { slug, name, ...limits }: { slug: string; name: string; rateLimit: number; maxServers?: number },
): Promise<ProjectRow | undefined> => {
  const at = Date.now();
  return store.projects.create({ id: newId('prj'), slug, name, ...limits, createdAt: at, updatedAt: at });
};

/** Fills an empty database: project `default`, server `main`, a key with all scopes, a bridge token. */
export const provisionFirst = async (store: Store): Promise<{ key: string; token: string } | undefined> => {
  const project = await createProject(store, { slug: 'default', name: 'Default', rateLimit: 100 });
  if (project === undefined) return undefined;
  const token = await createServer(store, project.id, { id: 'main', name: 'Main server' });
  if (token === undefined) return undefined;
  const { key } = await createKey(store, project.id, { name: 'first key' });
  return { key, token };
};
