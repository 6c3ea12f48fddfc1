import type { CommandRow } from '../../db/queries/commands/row.ts';
import type { Store } from '../../db/store.ts';
import type { Asked } from './asked.ts';

type Address = { readonly projectId: string; readonly serverId: string };

const AT_ONCE = 200;
/** A player who is gone may come back: a table was lost for a while, or a snapshot read from the wrong database. */
const GONE_FOR_MS = 24 * 60 * 60 * 1000;
const NOT_THERE = { code: 'player_not_found', message: 'This player was deleted.' };

/**
 * Ends what waits for players that their game server has deleted. A round on its way ends first, as its bridge says, and is
 * the last one. What may have taken effect stays as it is.
 */
export const createDeleted = ({
  store,
  announce,
  asked,
  now,
}: {
  store: Pick<Store, 'commands'>;
  announce: (row: CommandRow) => void;
  /** Restored commands became ones to ask about. */
  asked: Asked;
  now: () => number;
}) => {
  const endSome = async (address: Address, targets: readonly string[]): Promise<void> => {
    // Before the waiting ones, so that none waits again after them.
    await store.commands.noMoreRounds({ ...address, targets, at: now() });
    for (let ended = AT_ONCE; ended >= AT_ONCE; ) {
      const order = { ...address, targets, error: NOT_THERE, at: now(), limit: AT_ONCE };
      const rows = await store.commands.rejectWaiting(order);
      for (const row of rows) announce(row);
      ended = rows.length;
    }
    // The bridge may have done more of a restored one than its row says.
    for (let isLeft = true; isLeft; ) {
      const rows = await store.commands.askTargets({ ...address, targets, error: NOT_THERE, at: now() });
      asked(rows);
      isLeft = rows.length > 0;
    }
    // After the waiting ones: one that has left meanwhile is among these.
    await store.commands.noMoreRounds({ ...address, targets, at: now() });
  };

  const end = async (address: Address, targets: readonly string[]): Promise<void> => {
    for (let from = 0; from < targets.length; from += AT_ONCE)
      await endSome(address, targets.slice(from, from + AT_ONCE));
  };

  return {
    end,
    /** The same for players of any server, or of one, who have been gone for a day. */
    endOfGone: async (address?: Address): Promise<void> => {
      const gone = await store.commands.goneTargets(now() - GONE_FOR_MS, address);
      for (const { target, ...place } of gone) await end(place, [target]);
    },
  };
};
