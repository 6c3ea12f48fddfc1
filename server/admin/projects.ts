import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiKeyRow } from '../../db/queries/api-keys.ts';
import type { SetupBrowser } from '../../db/queries/panel.ts';
import type { ProjectPatch, ProjectRow } from '../../db/queries/projects.ts';
import type { Store } from '../../db/store.ts';
import { hashSecret, isWellFormedSecret, newSecret } from '../auth/credentials.ts';
import { TUNING } from '../platform/config.ts';
import { HubError } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import { keyAdmin, newKey } from './keys.ts';
import { newServer, type ServerAdmin } from './servers.ts';

/** Creates a project; undefined if the slug is taken. */
export const addProject = (
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

/**
 * Disables a project and deletes its rows. The wait lets every hub close its sockets and forget its keys, which are
 * trusted for 900 ms: a request with such a key would store a command of a project that is gone.
 */
export const removeProject = async (store: Pick<Store, 'projects'>, project: ProjectRow): Promise<void> => {
  await changeProject(store, project, { disabled: true });
  await sleep(TUNING.noticedWithinMs);
  await store.projects.remove(project.id);
};

/** The first project of a hub, for people, and its first game server. */
type FirstProject = { name: string; server: { id: string; name: string } };
type FirstSecrets = { project: ProjectRow['slug']; key: string; server: string; token: string };

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

/** The lifetime of a link, and then of the cookie of the browser that has opened it. */
export const SETUP_MS = 15 * 60 * 1000;

/** The time for which a hub that is set up is not asked again whether it is. */
const DONE_FOR_MS = 60_000;

/**
 * A link to the setup of a hub; earlier links end. The token stands behind `#`, so no request carries it. Undefined: the
 * hub has a project, and its first key was used or was not made by the setup.
 */
export const newSetupLink = async (
  { projects, setupLinks }: Pick<Store, 'projects' | 'setupLinks'>,
  hub: string,
): Promise<string | undefined> => {
  const token = newSecret('setup_link');
  const [hash, expiresAt] = [hashSecret(token), Date.now() + SETUP_MS];
  if (!(await projects.isAny())) await setupLinks.replace(hash, expiresAt);
  else if (!(await setupLinks.replaceMade(hash, expiresAt))) return undefined;
  return `${hub}/setup#${token}`;
};

const gone = (): HubError => new HubError('setup_link_gone');

/** `names`: the project is not made. `key`: it is, and its key was never used. */
export type SetupStep = 'names' | 'key';

/** The setup of a hub by the browser that has opened the link, until its first key is used. */
export const createSetup = ({
  store,
  servers,
  forgetKeys,
}: {
  store: Pick<Store, 'projects' | 'setupLinks' | 'apiKeys' | 'servers' | 'exclusively'>;
  servers: Pick<ServerAdmin, 'rotate'>;
  forgetKeys: () => void;
}) => {
  let doneUntil = 0;
  /** Whether the hub was found set up a moment ago: then nothing is looked up. Its projects may be deleted again. */
  const isKnownDone = (): boolean => Date.now() < doneUntil;
  const isDone = async (): Promise<boolean> => {
    if (isKnownDone()) return true;
    if (!(await store.projects.isAny()) || (await store.setupLinks.isMade())) return false;
    doneUntil = Date.now() + DONE_FOR_MS;
    return true;
  };

  const find = async (session: string | undefined) => {
    if (session === undefined || isKnownDone() || !isWellFormedSecret('setup_session', session)) return undefined;
    const found = await store.setupLinks.find(hashSecret(session), Date.now());
    return (await isDone()) ? undefined : found;
  };
  const browserOf = (session: string): SetupBrowser => ({
    hash: hashSecret(session),
    expiresAt: Date.now() + SETUP_MS,
  });

  const keyOf = async (id: string): Promise<ApiKeyRow | undefined> => {
    for (const { id: projectId } of await store.projects.list()) {
      const key = await store.apiKeys.find(projectId, id);
      if (key !== undefined) return key;
    }
    return undefined;
  };

  return {
    isKnownDone,
    isDone,
    isEmpty: async (): Promise<boolean> => !isKnownDone() && !(await store.projects.isAny()),
    /** The step of the browser with this token; undefined: it may not go on. */
    stepOf: async (session: string | undefined): Promise<SetupStep | undefined> => {
      const found = await find(session);
      if (found === undefined) return undefined;
      return found.keyId === null ? 'names' : 'key';
    },
    /** Exchanges the token of a link for the token of a browser, once. @throws HubError setup_link_gone */
    open: async (link: string): Promise<string> => {
      const session = newSecret('setup_session');
      if (!isWellFormedSecret('setup_link', link)) throw gone();
      if (!(await store.setupLinks.open(hashSecret(link), browserOf(session), Date.now()))) throw gone();
      doneUntil = 0;
      return session;
    },
    /** Writes project, key and server together. The browser may go on until the key is used. @throws HubError setup_link_gone */
    finish: async (session = '', first: FirstProject): Promise<FirstSecrets> => {
      if ((await find(session)) === undefined) throw gone();
      const made = await provisionFirst(store, first, browserOf(session));
      if (made === undefined) throw gone();
      return made;
    },
    /** New secrets for the key and the server that the setup has made: the first ones were lost. @throws HubError setup_link_gone */
    renew: async (session: string | undefined): Promise<Omit<FirstSecrets, 'project'>> => {
      const id = (await find(session))?.keyId ?? undefined;
      const row = id === undefined ? undefined : await keyOf(id);
      const all = row === undefined ? [] : await store.servers.list(row.projectId);
      const [server] = all.toSorted((one, other) => one.createdAt - other.createdAt);
      if (row === undefined || server === undefined) throw gone();
      const { key } = await keyAdmin({ store, forgetKeys }).rotate(row, 0, { force: true });
      return { key, server: server.id, token: await servers.rotate(server, 0) };
    },
  };
};
