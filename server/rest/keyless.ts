import type { IncomingMessage } from 'node:http';
import { clientAddress } from '../auth/client-address.ts';
import { createMinuteCounts } from '../auth/minute-counts.ts';
import { HubError } from '../platform/errors.ts';
import type { RestDeps } from './context.ts';

/**
 * Counts by address what is asked without a good secret and refused: API requests without a key, wrong signatures, pages
 * that do not exist. It never refuses a request that would be served.
 */
export const createKeylessCounts = ({ config, tuning }: Pick<RestDeps, 'config' | 'tuning'>) => {
  const most = tuning.keylessPerMinute;
  const counts = createMinuteCounts();
  return {
    /** Counts a request. The answer is its refusal once there were too many; it ends the connection. */
    add: (request: IncomingMessage): HubError | undefined => {
      const { count, resetMs } = counts.add(clientAddress(request, config.TRUST_PROXY));
      if (count <= most) return undefined;
      const detail = `More than ${most} requests without a good key or signature came from this address in a minute.`;
      return new HubError('rate_limited', detail, { retryAfterS: Math.ceil(resetMs / 1_000) });
    },
  };
};
export type KeylessCounts = ReturnType<typeof createKeylessCounts>;
