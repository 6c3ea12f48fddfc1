import type { Principal, Scope } from '../auth/credentials.ts';
import type { Admission, RateLimit } from '../auth/rate-limit.ts';
import { HubError } from '../platform/errors.ts';

/** Reads of a project through the panel in any 60 seconds, on each node: ten a second. */
const PANEL_LIMIT = 600;

export type Limits = { rateLimit: RateLimit; panelRateLimit: RateLimit };

/** Counts a request in the project's minute, or a read of the panel in its own: a busy screen takes nothing from a bot. */
export const admit = ({ rateLimit, panelRateLimit }: Limits, { project, bucket }: Principal) =>
  bucket === 'project' ? rateLimit.admit(project.id, project.rateLimit) : panelRateLimit.admit(project.id, PANEL_LIMIT);

/** There was room in the minute. @throws HubError rate_limited */
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

/** The key may act on this server. What it may not see is refused before it is known whether it exists. */
export const assertServerAllowed = ({ servers }: Principal, serverId: string): void => {
  if (servers !== undefined && !servers.includes(serverId)) throw new HubError('server_not_allowed');
};
