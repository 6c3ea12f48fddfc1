import type { IntegrationRow } from '../../db/queries/integrations.ts';
import type { MappedCommand } from '../../db/schema/shops.ts';
import type { Store } from '../../db/store.ts';
import { HubError } from '../platform/errors.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** The money that an integration has given today (UTC). */
export const givenToday = (
  { shopLines }: Pick<Store, 'shopLines'>,
  { id }: Pick<IntegrationRow, 'id'>,
  now: number,
): Promise<number> => shopLines.paidSince(id, Math.floor(now / DAY_MS) * DAY_MS);

/** The limit of an integration on one day: it has given money, and would give more. @throws HubError invalid_request */
export const assertDaily = ({ maxDaily }: Pick<IntegrationRow, 'maxDaily'>, given: number, more: number): void => {
  if (maxDaily === null || more === 0 || given + more <= maxDaily) return;
  const detail = `The integration allows ${maxDaily} in one day (UTC). With this command it would be ${given + more}.`;
  throw new HubError('invalid_request', detail);
};

/** The limit of an integration on one command. @throws HubError invalid_request */
export const assertAmount = (command: MappedCommand, maxAmount: number | null): void => {
  if (maxAmount === null || command.name !== 'money' || Number(command.params['amount']) <= maxAmount) return;
  throw new HubError('invalid_request', `The integration allows at most ${maxAmount} in one command.`);
};
