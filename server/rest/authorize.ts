import type { Principal, Scope } from '../auth/credentials.ts';
import type { Admission, RateLimit } from '../auth/rate-limit.ts';
import { HubError } from '../platform/errors.ts';

/** Reads of a project through the panel in any 60 seconds, on each node: ten a second. */
const PANEL_LIMIT = 600;

export type Limits = { rateLimit: RateLimit; panelRateLimit: RateLimit };

/** Counts a request against the project's limit, or a read of the panel against its own limit. */
export const admit = ({ rateLimit, panelRateLimit }: Limits, { project, bucket }: Principal) =>
  bucket === 'project' ? rateLimit.admit(project.id, project.rateLimit) : panelRateLimit.admit(project.id, PANEL_LIMIT);

/** @throws HubError rate_limited: the request was not admitted */
export const assertAdmitted = (
  { admitted, limit, resetMs }: Admission,
  { bucket }: Pick<Principal, 'bucket'>,
): void => {
  if (admitted) return;
  const who = bucket === 'project' ? 'The project' : 'The panel';
  throw new HubError('rate_limited', `${who} may send ${limit} requests in any 60 seconds.`, {
    retryAfterS: Math.max(1, Math.ceil(resetMs / 1000)),
  });
};

/** The key has all of these scopes. @throws HubError insufficient_scope */
export const assertScopes = ({ scopes: given }: Principal, scopes: readonly Scope[]): void => {
  const missing = scopes.filter((scope) => !given.has(scope));
  if (missing.length === 0) return;
  throw new HubError('insufficient_scope', `This needs a key with the scope ${missing.join(' and ')}.`);
};

/** The key may use this server. Checked before the server is looked up, so that its existence is not revealed. */
export const assertServerAllowed = ({ servers }: Principal, serverId: string): void => {
  if (servers !== undefined && !servers.includes(serverId)) throw new HubError('server_not_allowed');
};
