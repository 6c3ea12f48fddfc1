import type { ApiKeyRow } from '../../db/queries/api-keys.ts';
import type { SetupBrowser } from '../../db/queries/setup-links.ts';
import type { Store } from '../../db/store.ts';
import { createSecret, hashSecret, isWellFormedSecret } from '../auth/secrets.ts';
import { HubError } from '../platform/errors.ts';
import { keyAdmin } from './keys.ts';
import { type FirstProject, type FirstSecrets, provisionFirst } from './projects.ts';
import type { ServerAdmin } from './servers.ts';

/** How long a link works, and then the cookie of the browser that has opened it. */
export const SETUP_MS = 15 * 60 * 1000;

/** How long a hub that is set up counts as set up without a look. */
const DONE_FOR_MS = 60_000;

/**
 * A link to the setup of a hub; earlier links end. The token stands behind `#`, so no request carries it. Undefined: the
 * hub has a project, and its first key was used or was not made by the setup.
 */
export const newSetupLink = async (
  { projects, setupLinks }: Pick<Store, 'projects' | 'setupLinks'>,
  hub: string,
): Promise<string | undefined> => {
  const token = createSecret('setup_link');
  const [hash, expiresAt] = [hashSecret(token), Date.now() + SETUP_MS];
  if (!(await projects.isAny())) await setupLinks.replace(hash, expiresAt);
  else if (!(await setupLinks.replaceMade(hash, expiresAt))) return undefined;
  return `${hub}/setup#${token}`;
};

const gone = (): HubError => new HubError('setup_link_gone');

/** `names`: the project is not made. `key`: it is, and its key was never used. */
export type SetupStep = 'names' | 'key';

type Deps = {
  store: Pick<Store, 'projects' | 'setupLinks' | 'apiKeys' | 'servers' | 'exclusively'>;
  servers: Pick<ServerAdmin, 'rotate'>;
  forgetKeys: () => void;
  now?: () => number;
};

/** The setup of a hub by the browser that has opened the link, until its first key is used. */
export const createSetup = ({ store, servers, forgetKeys, now = Date.now }: Deps) => {
  let doneUntil = 0;
  /** Whether the hub was found set up a moment ago: then nothing is looked up. Its projects may be deleted again. */
  const isKnownDone = (): boolean => now() < doneUntil;
  const isDone = async (): Promise<boolean> => {
    if (isKnownDone()) return true;
    if (!(await store.projects.isAny()) || (await store.setupLinks.isMade())) return false;
    doneUntil = now() + DONE_FOR_MS;
    return true;
  };

  const find = async (session: string | undefined) => {
    if (session === undefined || isKnownDone() || !isWellFormedSecret('setup_session', session)) return undefined;
    const found = await store.setupLinks.find(hashSecret(session), now());
    return (await isDone()) ? undefined : found;
  };
  const browserOf = (session: string): SetupBrowser => ({ hash: hashSecret(session), expiresAt: now() + SETUP_MS });

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
      const session = createSecret('setup_session');
      if (!isWellFormedSecret('setup_link', link)) throw gone();
      if (!(await store.setupLinks.open(hashSecret(link), browserOf(session), now()))) throw gone();
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
