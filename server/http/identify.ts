import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ServerRow } from '../../db/queries/servers.ts';
import type { Store } from '../../db/store.ts';
import type { Principal, Scope } from '../auth/credentials.ts';
import { type Admission, clientAddress, type NodeRateLimit, type RateLimit } from '../auth/limits.ts';
import type { Config } from '../platform/config.ts';
import { type ErrorCode, HubError, rateLimited } from '../platform/errors.ts';
import { SLUG_PATTERN, serverNotFound } from '../platform/fields.ts';
import { inTime } from '../platform/time.ts';
import { Windows } from '../platform/windows.ts';
import { problemAnswer, requestIdOf, visitHeaders, writeAnswer } from './answer.ts';
import { headerOf, type RestDeps } from './request.ts';
import { discardRest } from './server.ts';

const TOKEN = /^[A-Za-z0-9_]{1,128}$/;

/** A cookie of the panel's pages. Where the hub is reached over TLS, only the `__Host-` cookie counts. */
export const panelCookie = (
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

const isSafe = (method: string | undefined): boolean => method === 'GET' || method === 'HEAD';

const isOfSession = ({ url }: IncomingMessage): boolean => url?.split('?', 1)[0] === '/api/v2/panel/session';

/** Changes by cookie count against the limit of people, except signing out, which must always work. */
const countsAsRead = (request: IncomingMessage): boolean => isSafe(request.method) || isOfSession(request);

const rightsOf = ({ scopes, servers }: Principal): string => JSON.stringify([[...scopes], servers ?? null]);

/** Browsers send a cookie from any site; only the Origin shows that the page is of this hub. */
export const isOfOwnOrigin = (
  { headers: { origin, host } }: IncomingMessage,
  { PUBLIC_URL }: Pick<Config, 'PUBLIC_URL'>,
): boolean =>
  origin !== undefined &&
  (origin === URL.parse(PUBLIC_URL ?? '')?.origin || origin.replace(/^https?:\/\//, '') === host);

/** Identifies the caller by the key in the header or by the panel's cookie. */
export const createIdentify = ({
  credentials,
  panelSessions,
  config,
}: Pick<RestDeps, 'credentials' | 'panelSessions' | 'config'>) => {
  const cookie = panelCookie(config);
  /** The session token of a panel request; a request with a key is not one. */
  const panelToken = (request: IncomingMessage): string | undefined =>
    request.headers['x-api-key'] === undefined ? cookie.tokenOf(request) : undefined;

  /** Counts an unknown cookie, or a cookie from another site, as a wrong key. */
  const authenticateSession = async (request: IncomingMessage, token: string, address: string): Promise<Principal> => {
    const wasGood = panelSessions.wasGood(token);
    if (!wasGood) credentials.assertNotBlocked(address);
    const principal = await panelSessions.use(token);
    if (principal === undefined) {
      if (!wasGood) credentials.countWrong(address);
      throw new HubError('signed_out');
    }
    if (!isSafe(request.method) && !isOfOwnOrigin(request, config)) {
      credentials.countWrong(address);
      throw new HubError('origin_not_allowed', 'This changes something, and does not come from a page of the panel.');
    }
    credentials.noteUse(principal.key.id);
    return countsAsRead(request) ? principal : { ...principal, bucket: 'people' };
  };

  /** Signing in has a limit of its own: a bot keeps no person out, and uses up no change of one who is in. */
  const authenticateKey = async (request: IncomingMessage, address: string): Promise<Principal> => {
    const principal = await credentials.authenticateKey(headerOf(request, 'x-api-key'), address);
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
      const is = await (token === undefined
        ? credentials.current(headerOf(request, 'x-api-key') ?? '')
        : panelSessions.current(token));
      return is !== undefined && rightsOf(is) === rightsOf(was);
    },
  };
};
export type Identify = ReturnType<typeof createIdentify>;

/**
 * Counts by address what is asked without a good secret and refused: API requests without a key, wrong signatures, pages
 * that do not exist. It never refuses a request that would be served.
 */
export class KeylessCounts {
  readonly #counts = new Windows();
  readonly #most: number;
  readonly #proxies: number;

  constructor({ config, tuning }: Pick<RestDeps, 'config' | 'tuning'>) {
    this.#most = tuning.keylessPerMinute;
    this.#proxies = config.TRUST_PROXY;
  }

  /** Counts a request. The answer is its refusal once there were too many; it ends the connection. */
  add(request: IncomingMessage): HubError | undefined {
    const { count, resetMs } = this.#counts.add(clientAddress(request, this.#proxies));
    if (count <= this.#most) return undefined;
    const detail = `More than ${this.#most} requests without a good key or signature came from this address in a minute.`;
    return rateLimited(detail, Math.ceil(resetMs / 1_000));
  }
}

/** Reads of a project through the panel in any 60 seconds, on each node: ten a second. */
const PANEL_LIMIT = 600;
/** Changes of people in the panel in any 60 seconds, for each project, on each node; and as many sign-ins. */
const PEOPLE_LIMIT = 20;

const nameOfPeople = (projectId: string): string => `people ${projectId}`;

/** `nodeRateLimit` also counts changes by people, sign-ins, and the requests of keys with a limit of their own. */
export type Limits = { rateLimit: RateLimit; nodeRateLimit: NodeRateLimit };

/** Counts a request of a key against its own limit and the project's. A refused one counts against none. */
const admitKey = ({ rateLimit, nodeRateLimit }: Limits, { project, key }: Principal) => {
  const limit = key.rateLimit ?? Infinity;
  const asProject = (): Admission | Promise<Admission> => rateLimit.admit(project.id, project.rateLimit);
  // A larger limit than the project's is never reached.
  if (limit >= project.rateLimit) return asProject();
  const name = `key ${key.id}`;
  const known = nodeRateLimit.peek(name, limit);
  if (!known.admitted) return { ...known, ofKey: true } as const;
  const count = (ofProject: Admission): Admission => {
    if (!ofProject.admitted) return ofProject;
    const own = nodeRateLimit.admit(name, limit);
    return own.admitted && ofProject.remaining < own.remaining ? ofProject : { ...own, ofKey: true };
  };
  const asked = asProject();
  return 'admitted' in asked ? count(asked) : asked.then(count);
};

/** Counts a request against the limit that it belongs to. */
export const admit = (limits: Limits, principal: Principal): Admission | Promise<Admission> => {
  const { project, bucket } = principal;
  if (bucket === 'project') return admitKey(limits, principal);
  if (bucket === 'panel') return limits.nodeRateLimit.admit(project.id, PANEL_LIMIT);
  const name = bucket === 'people' ? nameOfPeople(project.id) : `sign-ins ${project.id}`;
  return limits.nodeRateLimit.admit(name, PEOPLE_LIMIT);
};

/** The limit of people in the panel on this node, without counting a request. */
export const peekPeople = ({ nodeRateLimit }: Pick<Limits, 'nodeRateLimit'>, projectId: string): Admission =>
  nodeRateLimit.peek(nameOfPeople(projectId), PEOPLE_LIMIT);

const SENDERS: Record<Principal['bucket'], string> = {
  project: 'The keys of the project',
  panel: 'The panel',
  people: 'The people in the panel',
  'sign-ins': 'Those who sign in to the panel',
};

/** @throws HubError rate_limited: the request was not admitted */
export const assertAdmitted = (
  { admitted, limit, resetMs, ofKey }: Admission,
  { bucket }: Pick<Principal, 'bucket'>,
): void => {
  if (admitted) return;
  const who = ofKey === true ? 'This key' : SENDERS[bucket];
  throw rateLimited(`${who} may send ${limit} requests in any 60 seconds.`, Math.max(1, Math.ceil(resetMs / 1000)));
};

/** Tells the caller to add scopes to a key: no release adds scopes to existing keys. */
export const howToAdd = (keyId: string, project: string, scopes: readonly Scope[]): string =>
  'A key with keys:write that has the scope can add it: PATCH /api/v2/keys/{id}. The operator of the hub can: ' +
  `causeway key set ${keyId} --project ${project} --add-scopes ${scopes.join(',')}`;

/** The key has all of these scopes. @throws HubError insufficient_scope */
export const assertScopes = ({ scopes: given, key, project }: Principal, scopes: readonly Scope[]): void => {
  const missing = scopes.filter((scope) => !given.has(scope));
  if (missing.length === 0) return;
  throw new HubError(
    'insufficient_scope',
    `This needs the scope ${missing.join(' and ')}, which your key lacks. ${howToAdd(key.id, project.slug, missing)}`,
  );
};

/** The key that acts, for rows and for people. */
export const actorOf = ({ key }: Principal) => ({ keyId: key.id, name: key.name });

/** The caller of a command. */
export const callerOf = (principal: Principal, requestId: string) => ({
  project: principal.project,
  actor: actorOf(principal),
  canSeePlayers: principal.scopes.has('players:read'),
  requestId,
});

/** The key may use this server. Checked before the server is looked up, so that its existence is not revealed. */
export const assertServerAllowed = ({ servers }: Principal, serverId: string): void => {
  if (servers !== undefined && !servers.includes(serverId)) throw new HubError('server_not_allowed');
};

/** The server, if the key may use it. @throws HubError server_not_allowed, server_not_found */
export const serverOf = async (
  { servers }: Pick<Store, 'servers'>,
  principal: Principal,
  serverId: string,
): Promise<ServerRow> => {
  assertServerAllowed(principal, serverId);
  const row = SLUG_PATTERN.test(serverId) ? await servers.get(principal.project.id, serverId) : undefined;
  if (row === undefined) throw serverNotFound(serverId);
  return row;
};

/** A row of the project, if the key may use its server. @throws HubError with this code */
export const visibleRow = <R extends { serverId: string }>(
  { servers }: Principal,
  row: R | undefined,
  code: ErrorCode,
): R => {
  if (row === undefined || servers?.includes(row.serverId) === false) throw new HubError(code);
  return row;
};

/** Addresses that need no key: the document, and the signed webhooks of shops. */
const OPEN = /^\/api\/v2\/openapi\.json(?:\?|$)/;
const OPEN_TO_POST = /^\/api\/v2\/integrations\/int_[a-z0-9]+\/(?:tebex|orders)\/?(?:\?|$)/;
const API = /^\/api\/v2(?:[/?]|$)/;

/**
 * Answers API requests without key and cookie, and requests with a wrong key from an address that has sent too many.
 * Runs before the framework; a metric counts them and they are not logged. Returns whether it has answered.
 */
export const earlyRefusal = ({
  credentials,
  config,
  metrics,
  keyless,
}: Pick<RestDeps, 'credentials' | 'config' | 'metrics'> & { keyless: KeylessCounts }) => {
  const cookie = panelCookie(config);

  const refusalOf = (request: IncomingMessage): HubError | undefined => {
    const key = request.headers['x-api-key'];
    if (key === undefined || key === '') {
      if (cookie.tokenOf(request) !== undefined) return undefined;
      return keyless.add(request) ?? new HubError('missing_api_key');
    }
    if (!credentials.hasWrong()) return undefined;
    return credentials.blockedKey(String(key), clientAddress(request, config.TRUST_PROXY));
  };

  return (request: IncomingMessage, response: ServerResponse): boolean => {
    const path = request.url ?? '';
    if (!API.test(path) || OPEN.test(path)) return false;
    if (request.method === 'POST' && OPEN_TO_POST.test(path)) return false;
    const error = refusalOf(request);
    if (error === undefined) return false;
    metrics.refusals.inc({ code: error.code });
    const requestId = requestIdOf(request.headers['x-request-id']?.toString());
    const answer = problemAnswer(error, { path: path.split('?', 1)[0] ?? '', requestId });
    if (error.code === 'rate_limited') response.shouldKeepAlive = false;
    writeAnswer(response, answer, visitHeaders(requestId, request.headers['traceparent']?.toString()));
    discardRest(request);
    return true;
  };
};
