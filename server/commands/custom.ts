import { type CustomName, nameOfCustom, paramsFault } from '../../bridge-protocol/index.ts';
import type { CustomCommand, Session } from '../cluster/router.ts';
import { HubError, invalidField } from '../platform/errors.ts';

/** A bridge says what its server adds right after its welcome. */
const ANNOUNCED_WITHIN_MS = 5_000;

/** What the game server adds to the catalogue. @throws HubError bridge_offline: it has only just connected */
export const customOf = ({
  custom,
  connectedAt,
}: Pick<Session, 'custom' | 'connectedAt'>): ReadonlyMap<string, CustomCommand> => {
  if (custom !== undefined) return custom;
  if (Date.now() - connectedAt >= ANNOUNCED_WITHIN_MS) return new Map();
  throw new HubError('bridge_offline', 'The bridge has just connected and says in a moment what it can do.', {
    retryAfterS: 1,
  });
};

/** The game server has this command, and its schema allows the parameters. @throws HubError */
export const assertCustom = (
  session: Pick<Session, 'custom' | 'connectedAt'>,
  { name, params }: { name: CustomName; params: Record<string, unknown> },
): void => {
  const known = customOf(session);
  const command = known.get(nameOfCustom(name));
  if (command === undefined) {
    const names = known.size === 0 ? 'none' : [...known.keys()].join(', ');
    throw new HubError(
      'action_not_found',
      `The server has no custom command "${nameOfCustom(name)}" now; it has: ${names}.`,
    );
  }
  const fault = paramsFault(command.params, params);
  if (fault !== undefined) throw invalidField(fault.pointer, fault.detail);
};
