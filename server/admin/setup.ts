import type { Store } from '../../db/store.ts';
import { createSecret, hashSecret, isWellFormedSecret } from '../auth/secrets.ts';
import { HubError } from '../platform/errors.ts';
import { type FirstProject, type FirstSecrets, provisionFirst } from './projects.ts';

/** How long a link works, and then the cookie of the browser that has opened it. */
export const SETUP_MS = 15 * 60 * 1000;

/** How long a hub that is set up counts as set up without a look. */
const DONE_FOR_MS = 60_000;

type SetupStore = Pick<Store, 'projects' | 'setupLinks'>;

/** A link to the setup of an empty hub; earlier links end. The token stands behind `#`, so no request carries it. */
export const newSetupLink = async (store: SetupStore, hub: string): Promise<string> => {
  const token = createSecret('setup_link');
  await store.setupLinks.replace(hashSecret(token), Date.now() + SETUP_MS);
  return `${hub}/setup#${token}`;
};

const gone = (): HubError => new HubError('setup_link_gone');

/** The setup of an empty hub by the browser that has opened the link. */
export const createSetup = ({ store, now = Date.now }: { store: SetupStore; now?: () => number }) => {
  let doneUntil = 0;
  /** Whether the hub was found set up a moment ago: then nothing is looked up. Its projects may be deleted again. */
  const isKnownDone = (): boolean => now() < doneUntil;
  /** Whether this is the token of the browser that may go on. */
  const isOpen = async (session: string | undefined): Promise<boolean> => {
    if (session === undefined || isKnownDone() || !isWellFormedSecret('setup_session', session)) return false;
    if (await store.projects.isAny()) doneUntil = now() + DONE_FOR_MS;
    return !isKnownDone() && store.setupLinks.isOpen(hashSecret(session), now());
  };

  return {
    isKnownDone,
    isOpen,
    /** Exchanges the token of a link for the token of a browser, once. @throws HubError setup_link_gone */
    open: async (link: string): Promise<string> => {
      const session = createSecret('setup_session');
      const browser = { hash: hashSecret(session), expiresAt: now() + SETUP_MS };
      if (!isWellFormedSecret('setup_link', link)) throw gone();
      if (!(await store.setupLinks.open(hashSecret(link), browser, now()))) throw gone();
      doneUntil = 0;
      return session;
    },
    /** Writes project, key and server together, and ends the link. @throws HubError setup_link_gone */
    finish: async (session: string | undefined, first: FirstProject): Promise<FirstSecrets> => {
      if (!(await isOpen(session))) throw gone();
      const made = await provisionFirst(store, first);
      if (made === undefined) throw gone();
      return made;
    },
  };
};
