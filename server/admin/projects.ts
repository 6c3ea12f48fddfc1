import { setTimeout as sleep } from 'node:timers/promises';
import type { ProjectPatch, ProjectRow } from '../../db/queries/projects.ts';
import type { SetupBrowser } from '../../db/queries/setup-links.ts';
import type { Store } from '../../db/store.ts';
import { newId } from '../platform/ids.ts';
import { newKey } from './keys.ts';
import { newServer } from './servers.ts';

/** How long a running hub may take to notice that a project was disabled. */
const NOTICED_WITHIN_MS = 1_500;

/** Creates a project; undefined if the slug is taken. */
export const createProject = (
  store: Pick<Store, 'projects'>,
  { slug, name, ...limits }: { slug: string; name: string; rateLimit: number; maxServers?: number },
): Promise<ProjectRow | undefined> => {
  const at = Date.now();
  return store.projects.create({ id: newId('prj'), slug, name, ...limits, createdAt: at, updatedAt: at });
};

/** Changes settings; undefined if the project was deleted. A running hub follows within a second. */
export const changeProject = (
  store: Pick<Store, 'projects'>,
  { id }: ProjectRow,
  patch: Omit<ProjectPatch, 'slug'>,
): Promise<ProjectRow | undefined> => store.projects.update(id, patch, Date.now());

/** Disables a project, waits until every hub has closed its sockets, and deletes its rows. */
export const removeProject = async (store: Pick<Store, 'projects'>, project: ProjectRow): Promise<void> => {
  await changeProject(store, project, { disabled: true });
  await sleep(NOTICED_WITHIN_MS);
  await store.projects.remove(project.id);
};

/** The first project of a hub, for people, and its first game server. */
export type FirstProject = { name: string; server: { id: string; name: string } };
export type FirstSecrets = { project: ProjectRow['slug']; key: string; server: string; token: string };

const SLUG_LENGTH = 63;

/** The id of a project, from its name: `São Paulo RP` becomes `sao-paulo-rp`. */
const slugOf = (name: string): string => {
  const plain = name.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
  const slug = plain.replaceAll(/[^a-z0-9]+/g, '-').replaceAll(/^-+|-+$/g, '');
  return slug.slice(0, SLUG_LENGTH).replace(/-+$/, '') || 'default';
};

/**
 * Fills an empty database in one transaction: a project, a key with all scopes, a game server with its bridge token.
 * `browser` may take the setup up again until the key was used. Undefined if there is a project already, even one of
 * another process that came first by a moment.
 */
export const provisionFirst = async (
  store: Pick<Store, 'setupLinks'>,
  { name, server: named }: FirstProject,
  browser?: SetupBrowser,
): Promise<FirstSecrets | undefined> => {
  const at = Date.now();
  const project = { id: newId('prj'), slug: slugOf(name), name, createdAt: at, updatedAt: at };
  const { row: key, key: secret } = newKey(project.id, { name: 'first key' });
  const { row: server, token } = newServer(project.id, named);
  const isFirst = await store.setupLinks.finish({ project, key, server }, browser);
  if (!isFirst) return undefined;
  return { project: project.slug, key: secret, server: server.id, token };
};
