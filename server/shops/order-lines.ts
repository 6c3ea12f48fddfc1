import { isDeepStrictEqual } from 'node:util';
import type { CommandRow } from '../../db/queries/commands/row.ts';
import type { ProjectRow } from '../../db/queries/projects.ts';
import type { NewShopLine, ShopLinePatch, ShopLineRow } from '../../db/queries/shop-lines.ts';
import type { LineState } from '../../db/schema/shops.ts';
import type { Store } from '../../db/store.ts';
import { targetOf, type Wish } from '../commands/catalogue.ts';
import type { Commands } from '../commands/commands.ts';
import { executedOf } from '../commands/run.ts';
import { ERRORS, HubError } from '../platform/errors.ts';
import { derivedCommandId } from '../platform/ids.ts';
import { pointerPart } from './integrations.ts';

/** How long a bought package waits for its player. */
export const KEPT_FOR_MS = 30 * 24 * 60 * 60 * 1000;

export type LineKey = Pick<ShopLineRow, 'integrationId' | 'transaction' | 'package' | 'number' | 'step'>;

/** The idempotency key of a line's command: the same for ever, so that no package is delivered twice. */
export const keyOf = ({ attempt, ...line }: LineKey & Pick<ShopLineRow, 'attempt'>): string => {
  const { integrationId, transaction, package: id, number, step } = line;
  const again = attempt === 1 ? '' : `/again-${attempt}`;
  // Escaped: the order a/b of c is another one than the order a of b/c.
  return `shop/${integrationId}/${pointerPart(transaction)}/${pointerPart(id)}/${number}.${step}${again}`;
};

/** The id of the command that a line has or would have. */
export const commandIdOf = (line: ShopLineRow): string | undefined =>
  line.name === null ? undefined : derivedCommandId(line.projectId, line.serverId, line.name, keyOf(line));

const STAFF: readonly LineState[] = ['unmatched', 'refused', 'failed', 'owed'];

/** Whether a member of the staff has to decide a line, or may: one whose buyer is unknown also waits for them. */
export const isForStaff = ({ state, unbound }: Pick<ShopLineRow, 'state' | 'unbound'>): boolean =>
  STAFF.includes(state) || unbound !== null;

/** Changes a line that is still as it was read; undefined: it is not. */
export type Change = (line: ShopLineRow, patch: ShopLinePatch) => Promise<ShopLineRow | undefined>;

/** Changes lines, and tells about each that comes onto the staff's list. */
export const createChange = ({
  store,
  forStaff,
  now,
}: {
  store: Pick<Store, 'shopLines'>;
  forStaff: (line: NewShopLine) => void;
  now: () => number;
}): Change => {
  return async (line, patch) => {
    const isOver = patch.state !== undefined && patch.state !== 'pending';
    const changed = await store.shopLines.change(line, isOver ? { ...patch, unbound: null } : patch, now());
    if (changed !== undefined && isForStaff(changed) && !isForStaff(line)) forStaff(changed);
    return changed;
  };
};

const LEAST_PAUSE_MS = 2_000;
export const LONGEST_PAUSE_MS = 5 * 60 * 1000;
/** A player who is away is looked for this often; an event makes it sooner. */
const AWAY_MS = 60 * 60 * 1000;

const isRetryable = (code: string): boolean =>
  Object.hasOwn(ERRORS, code) && ERRORS[code as keyof typeof ERRORS].retryable;

/** The reason if an error is one of the moment: the work is tried again. */
export const passingReason = (error: unknown): string | undefined => {
  if (error instanceof HubError) {
    return isRetryable(error.code) || error.code === 'server_disabled' ? error.code : undefined;
  }
  return error instanceof Error && error.name === 'DatabaseError' ? 'store_unavailable' : undefined;
};

/** The reason if a command ended without effect for a reason of the moment: another one may take its place. */
export const passingEnd = ({ status, error }: CommandRow): string | undefined => {
  if (executedOf(status) !== 'no' || error === null) return undefined;
  return isRetryable(error.code) ? error.code : undefined;
};

/** The pause before the next try, in whole milliseconds: the older a line is, the longer. */
export const pauseOf = ({ createdAt }: Pick<ShopLineRow, 'createdAt'>, reason: string, at: number): number => {
  if (reason === 'player_offline') return AWAY_MS;
  return Math.min(LONGEST_PAUSE_MS, Math.max(LEAST_PAUSE_MS, Math.floor((at - createdAt) / 2)));
};

/**
 * Whether the game server knows this command of a line with another fingerprint. Since a restored backup, the hub has chosen
 * another character of the buyer, or other parameters; it has forgotten those that it gave before.
 */
export const isGivenBefore = ({ status, error }: Pick<CommandRow, 'status' | 'error'>): boolean =>
  status === 'rejected' && error?.code === 'fingerprint_mismatch';

/** The staff read this about such a line, because to give it, or to take nothing back, may be wrong. */
export const GIVEN_BEFORE = {
  reason: 'given_before',
  detail:
    'The game server knows this line already. Before a backup was restored, it was probably given to another character, or ' +
    'with other parameters. Look what the characters of the buyer have.',
} as const;

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
