import { isDeepStrictEqual } from 'node:util';
import type { CommandRow } from '../../db/queries/commands/row.ts';
import type { ProjectRow } from '../../db/queries/projects.ts';
import type { Store } from '../../db/store.ts';
import { targetOf, type Wish } from '../commands/catalogue.ts';
import type { Commands } from '../commands/commands.ts';
import { HubError } from '../platform/errors.ts';
import { derivedCommandId } from '../platform/ids.ts';

/** A command that a shop wants. */
export type Order = {
  wish: Wish & { sentAction?: 'deduct' };
  project: ProjectRow;
  serverId: string;
  actor: { keyId: string; name: string };
  requestId: string;
  idempotencyKey: string;
  /** Absent: it goes to the server now, and its line tries it again. */
  deliver?: 'when_online';
  /** Epoch milliseconds until which it may wait for its player. */
  expiresAt: number;
};

/** Makes the command of an order, or returns the one that an earlier attempt made. @throws HubError, DatabaseError */
export type Place = (order: Order) => Promise<CommandRow>;

/** Parameters without which a command is still the same one. */
const WORDS: ReadonlySet<string> = new Set(['target', 'reason', 'allowNegative']);

/** Whether a command with the same key has the effect that the order wants, or was made for it. */
const isMeant = (row: CommandRow, { wish, serverId, actor }: Order): boolean => {
  if (row.actor.keyId === actor.keyId) return true;
  if (row.name !== wish.name || row.serverId !== serverId || row.target !== targetOf(wish)) return false;
  const sent: Record<string, unknown> = row.params;
  const done = sent['action'] === 'deduct' ? { ...sent, action: 'remove' } : sent;
  return Object.entries(wish.params).every(([name, value]) => WORDS.has(name) || isDeepStrictEqual(done[name], value));
};

export const createPlace = ({
  store,
  submit,
}: {
  store: Pick<Store, 'commands'>;
  submit: Commands['submit'];
}): Place => {
  const find = async ({ project, serverId, wish, idempotencyKey: key }: Order): Promise<CommandRow | undefined> =>
    (await store.commands.byIdempotencyKey(project.id, key)) ??
    // Keys are forgotten after a week, ids are not.
    store.commands.get(project.id, derivedCommandId(project.id, serverId, wish.name, key));

  return async (order) => {
    const { wish, ...rest } = order;
    try {
      const { row } = await submit({ ...wish, ...rest, canSeePlayers: false, waitMs: 0 });
      return row;
    } catch (error) {
      if (!(error instanceof HubError) || error.code !== 'idempotency_mismatch') throw error;
      // The same command in the words of another version, or the opposite that a member of the staff has made.
      const existing = await find(order);
      if (existing === undefined || !isMeant(existing, order)) throw error;
      return existing;
    }
  };
};
