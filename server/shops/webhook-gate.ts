import { createMinuteCounts } from '../auth/limits.ts';
import { HubError } from '../platform/errors.ts';

/** Signed webhooks of one integration in a minute, on each node. */
export const WEBHOOKS_PER_MINUTE = 600;
/** Webhooks of one integration in work at the same time. */
const AT_ONCE = 100;

/**
 * Limits the webhooks of each integration. One that the hub could not store is not counted: the shop has to repeat it.
 */
export const createWebhookGate = () => {
  const counts = createMinuteCounts();
  const inWork = new Map<string, number>();

  const enter = (id: string): void => {
    const { count, resetMs } = counts.read(id);
    const atOnce = inWork.get(id) ?? 0;
    if (count + atOnce >= WEBHOOKS_PER_MINUTE) {
      const retryAfterS = Math.max(1, Math.ceil(resetMs / 1_000));
      throw new HubError('rate_limited', `An integration takes ${WEBHOOKS_PER_MINUTE} webhooks in a minute.`, {
        retryAfterS,
      });
    }
    if (atOnce >= AT_ONCE) {
      throw new HubError('rate_limited', `An integration takes ${AT_ONCE} webhooks at once.`, { retryAfterS: 1 });
    }
    inWork.set(id, atOnce + 1);
  };

  const leave = (id: string): void => {
    const left = (inWork.get(id) ?? 1) - 1;
    if (left === 0) inWork.delete(id);
    else inWork.set(id, left);
  };

  /** Does the work of a webhook, and counts it if it was stored or refused. @throws HubError rate_limited */
  return async <T>(integrationId: string, work: () => Promise<T>): Promise<T> => {
    enter(integrationId);
    try {
      const done = await work();
      counts.add(integrationId);
      return done;
    } catch (error) {
      if (error instanceof HubError) counts.add(integrationId);
      throw error;
    } finally {
      leave(integrationId);
    }
  };
};
