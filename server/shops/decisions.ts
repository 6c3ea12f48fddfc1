import type { ShopLineRow } from '../../db/queries/shop-lines.ts';
import type { Store } from '../../db/store.ts';
import { executedOf } from '../commands/run.ts';
import { HubError } from '../platform/errors.ts';
import type { Change } from './line-change.ts';
import { KEPT_FOR_MS } from './plan.ts';

const undecidable = (detail: string): HubError => new HubError('already_decided', detail);

type Deps = { store: Pick<Store, 'commands' | 'shopOrders'>; change: Change; now: () => number };

/** Decisions of the staff about lines of orders. */
export const createDecisions = ({ store, change, now }: Deps) => {
  return {
    /** Gives a line of the staff's list to a player. @throws HubError already_decided */
    give: async (line: ShopLineRow, target: string): Promise<ShopLineRow> => {
      const { refundedAt = null } = (await store.shopOrders.get(line)) ?? {};
      if (line.name === null || line.state === 'owed') throw undecidable('It has no command to give; dismiss it.');
      if (refundedAt !== null) throw undecidable('The payment was refunded; dismiss it.');
      const command = await (line.commandId === null ? undefined : store.commands.get(line.projectId, line.commandId));
      if (command !== undefined && executedOf(command.status) !== 'no') {
        throw undecidable(`Its command ${command.id} is ${command.status}; resolve it first.`);
      }
      const again = line.commandId === null ? {} : { commandId: null, placedAt: null, attempt: line.attempt + 1 };
      const buyer = line.buyer && { ...line.buyer, isReplaced: true };
      const fresh = { state: 'pending', target, buyer, unbound: null, reason: null, detail: null } as const;
      const changed = await change(line, { ...fresh, ...again, dueAt: now(), expiresAt: now() + KEPT_FOR_MS });
      if (changed === undefined) throw undecidable('It was decided a moment ago.');
      return changed;
    },
    /** Takes a line off the staff's list. @throws HubError already_decided */
    dismiss: async (line: ShopLineRow): Promise<ShopLineRow> => {
      const changed = await change(line, { state: 'dismissed', dueAt: null });
      if (changed === undefined) throw undecidable('It was decided a moment ago.');
      return changed;
    },
  };
};
