import type { IncomingMessage } from 'node:http';
import type { Principal } from '../auth/credentials.ts';
import { clientAddress } from '../auth/limits.ts';
import type { Config } from '../platform/config.ts';
import { HubError } from '../platform/errors.ts';
import { inTime } from '../platform/time.ts';
import type { RestDeps } from './request.ts';

const TOKEN = /^[A-Za-z0-9_]{1,128}$/;

/** A cookie of the panel's pages. Where the hub is reached over TLS, only the `__Host-` cookie counts. */
export const createPanelCookie = (
  { TRUST_PROXY, PUBLIC_URL }: Pick<Config, 'TRUST_PROXY' | 'PUBLIC_URL'>,
  plainName: 'causeway_panel' | 'causeway_setup' = 'causeway_panel',
) => {
  /** Browsers accept a cookie with this prefix only over TLS, from this host, for all paths. */
  const secureName = `__Host-${plainName}`;
  const pattern = new RegExp(`(?:^|; *)((?:__Host-)?${plainName})=([^;]*)`, 'g');
  const isSecure = ({ headers }: Pick<IncomingMessage, 'headers'>): boolean =>
    (TRUST_PROXY > 0 && headers['x-forwarded-proto'] === 'https') || PUBLIC_URL?.startsWith('https:') === true;

  return {
    /** The token of the cookie; undefined if there is none, or if several leave open which one the hub has set. */
    tokenOf: (request: Pick<IncomingMessage, 'headers'>): string | undefined => {
      const { cookie } = request.headers;
      if (cookie === undefined) return undefined;
      const name = isSecure(request) ? secureName : plainName;
      const values = [...cookie.matchAll(pattern)]
        .filter(([, found]) => found === name)
        .map(([, , value]) => value ?? '');
      const [token = ''] = values;
      return values.length === 1 && TOKEN.test(token) ? token : undefined;
    },
    /** The header that sets it; an empty value and age 0 delete it. */
    header: (request: Pick<IncomingMessage, 'headers'>, value: string, maxAgeMs: number): string => {
      const attributes = `Path=/; HttpOnly; SameSite=Strict; Max-Age=${maxAgeMs / 1000}`;
      return isSecure(request)
        ? `${secureName}=${value}; ${attributes}; Secure`
        : `${plainName}=${value}; ${attributes}`;
    },
  };
};

/** Deadline for looking up a key or a cookie. */
const LOOKUP_DEADLINE_MS = 2_000;

const keyOf = ({ headers }: IncomingMessage): string | undefined => {
  const value = headers['x-api-key'];
  return Array.isArray(value) ? value.join(', ') : value;
};

const isSafe = (method: string | undefined): boolean => method === 'GET' || method === 'HEAD';

const isOfSession = ({ url }: IncomingMessage): boolean => url?.split('?', 1)[0] === '/api/v2/panel/session';

/** Changes by cookie count against the limit of people, except signing out, which must always work. */
const countsAsRead = (request: IncomingMessage): boolean => isSafe(request.method) || isOfSession(request);

const rightsOf = ({ scopes, servers }: Principal): string => JSON.stringify([[...scopes], servers ?? null]);

/** Identifies the caller by the key in the header or by the panel's cookie. */
export const createIdentify = ({
  credentials,
  panelSessions,
  config,
}: Pick<RestDeps, 'credentials' | 'panelSessions' | 'config'>) => {
  const cookie = createPanelCookie(config);
  /** The session token of a panel request; a request with a key is not one. */
  const panelToken = (request: IncomingMessage): string | undefined =>
    request.headers['x-api-key'] === undefined ? cookie.tokenOf(request) : undefined;
  const ownOrigin = config.PUBLIC_URL === undefined ? undefined : new URL(config.PUBLIC_URL).origin;

  /** Browsers send the cookie from any site; only the Origin shows that the page is of this hub. */
  const isOfOwnOrigin = ({ headers: { origin, host } }: IncomingMessage): boolean =>
    origin !== undefined && (origin === ownOrigin || origin.replace(/^https?:\/\//, '') === host);

  /** Counts an unknown cookie, or a cookie from another site, as a wrong key. */
  const authenticateSession = async (request: IncomingMessage, token: string, address: string): Promise<Principal> => {
    const wasGood = panelSessions.wasGood(token);
    if (!wasGood) credentials.assertNotBlocked(address);
    const principal = await panelSessions.use(token);
    if (principal === undefined) {
      if (!wasGood) credentials.countWrong(address);
      throw new HubError('signed_out');
    }
    if (!isSafe(request.method) && !isOfOwnOrigin(request)) {
      credentials.countWrong(address);
      throw new HubError('origin_not_allowed', 'This changes something, and does not come from a page of the panel.');
    }
    credentials.noteUse(principal.key.id);
    return countsAsRead(request) ? principal : { ...principal, bucket: 'people' };
  };

  /** Signing in has a limit of its own: a bot keeps no person out, and uses up no change of one who is in. */
  const authenticateKey = async (request: IncomingMessage, address: string): Promise<Principal> => {
    const principal = await credentials.authenticateKey(keyOf(request), address);
    return request.method === 'POST' && isOfSession(request) ? { ...principal, bucket: 'sign-ins' } : principal;
  };

  return {
    /**
     * If the database does not answer in time, nothing of the request has been done.
     * @throws HubError missing_api_key, invalid_api_key, signed_out, origin_not_allowed, rate_limited, store_unavailable
     */
    identify: async (request: IncomingMessage): Promise<Principal> => {
      const token = panelToken(request);
      const address = clientAddress(request, config.TRUST_PROXY);
      const found =
        token === undefined ? authenticateKey(request, address) : authenticateSession(request, token, address);
      const outcome = found.then(
        (principal) => ({ principal }),
        (error: unknown) => ({ error }),
      );
      const known = await inTime<{ principal: Principal } | { error: unknown }>(outcome, LOOKUP_DEADLINE_MS);
      if (known === undefined) throw new HubError('store_unavailable', undefined, { retryAfterS: 5 });
      if ('error' in known) throw known.error;
      return known.principal;
    },
    /** Whether the caller would still be accepted, with the same rights. */
    isStillGood: async (request: IncomingMessage, was: Principal): Promise<boolean> => {
      const token = panelToken(request);
      const is = await (token === undefined ? credentials.current(keyOf(request) ?? '') : panelSessions.current(token));
      return is !== undefined && rightsOf(is) === rightsOf(was);
    },
  };
};
export type Identify = ReturnType<typeof createIdentify>;
