import type { Logger } from 'pino';
import type { BridgeMessage, MessageOf } from '../../bridge-protocol/index.ts';
import type { Store } from '../../db/store.ts';
import { addressOf, type Session } from '../cluster/router.ts';
import type { Metrics } from '../platform/metrics.ts';

type ResultMessage = MessageOf<BridgeMessage, 'result'>;

const MAX_LENGTH = 2_048;
/** Bridges report a few after a restored backup. A faulty bridge must not fill the disk or the log. */
const KEPT_PER_DAY = 4_096;
const DAY_MS = 24 * 60 * 60 * 1000;

/** The payload of a stray result, bounded, for operators. */
const boundedPayload = ({ data, error }: ResultMessage): Record<string, unknown> => {
  const payload = { data: data ?? null, error: error ?? null };
  const { length } = JSON.stringify(payload);
  return length <= MAX_LENGTH ? payload : { omitted: length };
};

/** Stray results, whose command is unknown: the first ones of a server and day are stored and logged; all are counted. */
export const createStrays = ({
  store,
  metrics,
  log,
  now,
}: {
  store: Pick<Store, 'strayResults'>;
  metrics: Metrics;
  log: Logger;
  now: () => number;
}) => {
  const kept = new Map<string, number>();
  let since = performance.now();

  const countOf = (address: string): number => {
    if (performance.now() - since >= DAY_MS) {
      kept.clear();
      since = performance.now();
    }
    const count = (kept.get(address) ?? 0) + 1;
    kept.set(address, count);
    return count;
  };

  return async (
    { projectId, serverId }: Pick<Session, 'projectId' | 'serverId'>,
    message: ResultMessage,
  ): Promise<void> => {
    metrics.strayResults.inc();
    const count = countOf(addressOf(projectId, serverId));
    if (count === KEPT_PER_DAY + 1)
      log.warn({ projectId, serverId }, 'stray results over the daily limit are not stored');
    if (count > KEPT_PER_DAY) return;
    const { id: commandId, status } = message;
    log.warn({ projectId, serverId, commandId, status }, 'stray result: its command is unknown');
    await store.strayResults.keep({
      projectId,
      serverId,
      commandId,
      status,
      payload: boundedPayload(message),
      receivedAt: now(),
    });
  };
};
