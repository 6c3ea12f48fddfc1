import type { Store } from '../../db/store.ts';
import type { Background } from '../platform/background.ts';
import { Newest } from '../platform/windows.ts';
import { hashSecret, isWellFormedSecret, newSecret, type Principal, principalOf } from './credentials.ts';

const HOUR_MS = 60 * 60 * 1000;
const IDLE_MS = 12 * HOUR_MS;
/** A session ends after this time, however often it is used. */
export const PANEL_SESSION_MS = 30 * 24 * HOUR_MS;
const TOUCH_EVERY_MS = 60_000;
const PRUNE_ROWS = 500;
/** Sessions of one key. The next sign-in ends the one that has been idle longest. */
const MAX_SESSIONS = 32;
const REMEMBERED = 10_000;

/**
 * Sessions of people who are signed in to the panel. Each request reads the session, its key and its project, so that
 * signing out, revoking and rotating take effect at once. Only a list of tokens that were valid is kept in memory.
 */
export class PanelSessions {
  readonly #store: Pick<Store, 'panelSessions'>;
  readonly #background: Background;
  readonly #good = new Newest<true>(REMEMBERED);

  constructor(store: Pick<Store, 'panelSessions'>, background: Background) {
    this.#store = store;
    this.#background = background;
  }

  /** Opens a session for a key. The token is shown once and stored as a hash. */
  async open({ key, project }: Principal, secret: string): Promise<string> {
    const token = newSecret('panel_session');
    const at = Date.now();
    await this.#store.panelSessions.create({
      hash: hashSecret(token),
      projectId: project.id,
      keyId: key.id,
      keyHash: hashSecret(secret),
      createdAt: at,
      lastUsedAt: at,
    });
    await this.#store.panelSessions.keepNewest(key.id, MAX_SESSIONS);
    return token;
  }

  /** Whether this token was valid before: then it is not a guess, even if its session has ended. */
  wasGood(token: string): boolean {
    return this.#good.has(hashSecret(token));
  }

  /** The principal of a session, which counts as used now; undefined: the session has ended or never existed. */
  async use(token: string): Promise<Principal | undefined> {
    const found = await this.#find(token);
    if (found === undefined) return undefined;
    const { session, key, project } = found;
    this.#good.set(session.hash, true);
    if (Date.now() - session.lastUsedAt >= TOUCH_EVERY_MS) {
      this.#background.run('panel session', () => this.#store.panelSessions.touch(session.hash, Date.now()));
    }
    return principalOf(key, project, 'panel');
  }

  /** The principal of a session, without counting as a use: an open event stream asks this again and again. */
  async current(token: string): Promise<Principal | undefined> {
    const found = await this.#find(token);
    return found && principalOf(found.key, found.project, 'panel');
  }

  close(token: string): Promise<void> {
    return this.#store.panelSessions.remove(hashSecret(token));
  }

  /** Deletes ended sessions. */
  async tidy(): Promise<void> {
    await this.#store.panelSessions.prune(Date.now() - IDLE_MS, PRUNE_ROWS);
  }

  async #find(token: string) {
    if (!isWellFormedSecret('panel_session', token)) return undefined;
    const at = Date.now();
    const found = await this.#store.panelSessions.byHash(hashSecret(token), at);
    if (found === undefined) return undefined;
    const { session, key, project } = found;
    const isOver = session.lastUsedAt + IDLE_MS <= at || session.createdAt + PANEL_SESSION_MS <= at;
    const isKeyOver = key.revokedAt !== null || (key.expiresAt !== null && key.expiresAt <= at) || project.disabled;
    return isOver || isKeyOver ? undefined : found;
  }
}
