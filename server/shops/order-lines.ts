import { isCustomName, LIMITS, nameOfCustom, playerParamOf } from '../../bridge-protocol/index.ts';
import type { CommandRow } from '../../db/queries/commands/read.ts';
import { DURABLE } from '../../db/queries/commands/transitions.ts';
import type { IntegrationRow } from '../../db/queries/integrations.ts';
import type { ProjectRow } from '../../db/queries/projects.ts';
import type { NewShopLine, ShopLinePatch, ShopLineRow, ShopOrderRow } from '../../db/queries/shop-orders.ts';
import { isForStaff, type LineState, STAFF } from '../../db/schema/shops.ts';
import type { Store } from '../../db/store.ts';
import type { Events } from '../cluster/events.ts';
import type { Wish } from '../commands/catalogue.ts';
import type { Commands } from '../commands/commands.ts';
import { draftOf, takenBack } from '../commands/submit.ts';
import { executedOf } from '../commands/view.ts';
import { ERRORS, HubError } from '../platform/errors.ts';
import { derivedCommandId, newId } from '../platform/ids.ts';
import type { Metrics } from '../platform/metrics.ts';
import { awaitedOf, findBuyer } from './buyers.ts';
import { assertAmount, assertDaily, givenToday, pointerPart, wishFor } from './integrations.ts';

/** The longest wait of a bought package for its player. */
export const KEPT_FOR_MS = 30 * 24 * 60 * 60 * 1000;

export type LineKey = Pick<ShopLineRow, 'integrationId' | 'transaction' | 'package' | 'number' | 'step'>;

/** The idempotency key of a line's command: the same for ever, so that no package is delivered twice. */
const keyOf = ({ attempt, ...line }: LineKey & Pick<ShopLineRow, 'attempt'>): string => {
  const { integrationId, transaction, package: id, number, step } = line;
  const again = attempt === 1 ? '' : `/again-${attempt}`;
  // Escaped: the order a/b of c is another one than the order a of b/c.
  return `shop/${integrationId}/${pointerPart(transaction)}/${pointerPart(id)}/${number}.${step}${again}`;
};

/** The id of the command that a line has or would have. */
const commandIdOf = (line: ShopLineRow): string | undefined =>
  line.name === null ? undefined : derivedCommandId(line.projectId, line.serverId, line.name, keyOf(line));

/** States of lines that a refund changes. */
const REFUNDABLE: readonly LineState[] = [
  'pending',
  'placed',
  'delivered',
  'undoing',
  'unmatched',
  'refused',
  'failed',
];

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

const MAYBE_GIVEN = {
  reason: 'given_before',
  detail:
    'It was refunded. A backup was restored since it was bought, so it may have been given: look what the buyer has.',
} as const;

/** The key and the project in whose name a command is made. */
type Context = { project: ProjectRow; actor: { keyId: string; name: string }; requestId: string };
/** A command that a shop wants. */
type Order = Context & {
  wish: Wish;
  serverId: string;
  idempotencyKey: string;
  /** Epoch milliseconds until which it may wait for its player. */
  expiresAt: number;
  isTakenBack: () => Promise<boolean>;
};

/** A player whose report came during the look, or to another node, is stored by then. */
export const UNKNOWN_AGAIN_MS = 10_000;
/** After the end of its time, a command gets so long to be settled. */
const SETTLED_WITHIN_MS = 60_000;
const LOOK_AGAIN_MS = 60 * 60 * 1000;

/** Why a command of a line had no effect, or may have had one. */
export const reasonOf = ({ status, error }: CommandRow): string => {
  if (status === 'resolved_not_applied') return 'voided';
  return status === 'expired' || status === 'indeterminate' ? status : (error?.code ?? status);
};

/** The state of a placed line whose command has ended. */
const endOf = (command: CommandRow): ShopLinePatch => {
  if (executedOf(command.status) === 'yes') return { state: 'delivered', reason: null, detail: null, dueAt: null };
  if (isGivenBefore(command)) return { state: 'failed', ...GIVEN_BEFORE, dueAt: null };
  // Its bridge may come back with its journal.
  const dueAt = command.status === 'indeterminate' ? Date.now() + LOOK_AGAIN_MS : null;
  return { state: 'failed', reason: reasonOf(command), detail: command.error?.message ?? null, dueAt };
};

type Deps = {
  store: Pick<Store, 'shopLines' | 'commands' | 'shopOrders' | 'projects' | 'players'>;
  commands: Pick<Commands, 'submit' | 'customOf'>;
  events: Pick<Events, 'publish'>;
  metrics: Pick<Metrics, 'shopLines'>;
  /** The end of this command is to be told at once. */
  watch: (commandId: string) => void;
  /** A line waits for a player of this server. */
  waits: (line: ShopLineRow) => void;
};

/** The life of one line of an order. Each step is a compare-and-set, so two nodes never do one twice. */
export const orderLines = ({ store, commands, events, metrics, watch, waits }: Deps) => {
  /** Tells about a line that a member of the staff has to decide. */
  const tellStaff = ({ projectId, integrationId, serverId, id, transaction, state, reason }: NewShopLine): void => {
    metrics.shopLines.inc({ state });
    const data = { integrationId, id, transaction, state, reason };
    events.publish(projectId, { type: 'integration.unmatched', serverId, data });
  };

  /** Changes a line that is still as it was read; undefined: it is not. */
  const change = async (line: ShopLineRow, patch: ShopLinePatch): Promise<ShopLineRow | undefined> => {
    const { state } = patch;
    const isOver = state !== undefined && state !== 'pending';
    const isBack = state !== undefined && STAFF.includes(state);
    const more = { ...(isOver && { unbound: null }), ...(isBack && { decidedAt: null }) };
    const changed = await store.shopLines.change(line, { ...patch, ...more }, Date.now());
    if (changed !== undefined && isForStaff(changed) && !isForStaff(line)) tellStaff(changed);
    return changed;
  };

  /** The maker of the command of a line. @throws HubError server_disabled: the project is disabled or gone */
  const contextOf = async (line: ShopLineRow, { id, name }: IntegrationRow, known?: ShopOrderRow): Promise<Context> => {
    const project = await store.projects.byId(line.projectId);
    if (project === undefined || project.disabled) throw new HubError('server_disabled');
    const order = known ?? (await store.shopOrders.get(line));
    return { project, actor: { keyId: id, name }, requestId: order?.requestId ?? newId('req') };
  };

  /**
   * The command of a line for a player. The game server says which parameter of a custom command is the player.
   * @throws HubError invalid_request, or the server cannot be asked now
   */
  const wishOf = async ({ projectId, serverId, name, params }: ShopLineRow, target: string): Promise<Wish> => {
    const command = { name: name ?? '', params: params ?? {} };
    if (!isCustomName(command.name)) return wishFor(command, target);
    const custom = await commands.customOf({ projectId, serverId });
    return wishFor(command, target, playerParamOf(custom?.get(nameOfCustom(command.name))?.roles));
  };

  /** Makes the command of an order, or returns the one that an earlier attempt made. @throws HubError, DatabaseError */
  const place = async (order: Order): Promise<CommandRow> => {
    const { wish, ...rest } = order;
    try {
      const { row } = await commands.submit({
        ...wish,
        ...rest,
        deliver: 'when_online',
        canSeePlayers: false,
        waitMs: 0,
      });
      return row;
    } catch (error) {
      if (!(error instanceof HubError) || error.code !== 'idempotency_mismatch') throw error;
      // Another version has stored this command with other words.
      const { project, serverId, idempotencyKey: key } = order;
      const existing =
        (await store.commands.byIdempotencyKey(project.id, key)) ??
        // Keys are forgotten after a week, ids are not.
        (await store.commands.get(project.id, derivedCommandId(project.id, serverId, wish.name, key)));
      if (existing === undefined) throw error;
      return existing;
    }
  };

  /** A report of a player wakes the line. Until then, it waits for the staff, too. */
  const waitForBuyer = (line: ShopLineRow, unbound: string) => {
    const dueAt = line.unbound === unbound ? line.expiresAt : Math.min(line.expiresAt, Date.now() + UNKNOWN_AGAIN_MS);
    return change(line, { reason: 'unknown_buyer', unbound, dueAt });
  };

  /**
   * The line with its player; undefined: it waits, or the staff has to decide. From now on, its money counts against the
   * limit of the day, so a command counts although the note of it is lost.
   */
  const matched = async (line: ShopLineRow, { identifierKind }: IntegrationRow): Promise<ShopLineRow | undefined> => {
    if (line.target !== null) return change(line, { placedAt: Date.now() });
    if (line.buyer === null) {
      return void (await change(line, { state: 'unmatched', reason: 'no_buyer', detail: null, dueAt: null }));
    }
    const found = await findBuyer(store, line, identifierKind);
    if (found === 'unknown') return void (await waitForBuyer(line, awaitedOf(line.buyer.value, identifierKind)));
    if (found === 'waits') {
      await change(line, { reason: 'several_characters', unbound: null, dueAt: Date.now() + LONGEST_PAUSE_MS });
      return void waits(line);
    }
    return change(line, { target: found.target, unbound: null, reason: null, placedAt: Date.now() });
  };

  /**
   * Whether the game has deleted a line's player, and the buyer has another character now. A player that the staff has
   * chosen is not the buyer.
   */
  const isForAnother = async (
    line: ShopLineRow,
    { status, error }: CommandRow,
    { identifierKind }: IntegrationRow,
  ): Promise<boolean> => {
    if (executedOf(status) !== 'no' || error?.code !== 'player_not_found') return false;
    if (line.buyer === null || line.buyer.isReplaced === true) return false;
    const found = await findBuyer(store, line, identifierKind);
    return found === 'waits' || (found !== 'unknown' && found.target !== line.target);
  };

  const refuse = (line: ShopLineRow, reason: string, detail: string | null = null) =>
    change(line, { state: 'refused', reason, detail, dueAt: null, placedAt: null });

  /** @throws HubError invalid_request: over a limit of the integration */
  const assertWithinLimits = async (line: ShopLineRow, integration: IntegrationRow): Promise<void> => {
    assertAmount({ name: line.name ?? '', params: line.params ?? {} }, integration.maxAmount);
    if (integration.maxDaily === null || line.amount === 0) return;
    const given = await givenToday(store, integration, line.placedAt ?? Date.now());
    // The line itself is counted, too.
    assertDaily(integration, given - line.amount, line.amount);
  };

  /** The command that an earlier try has made, though the line does not know it: the hub may have died in between. */
  const madeBefore = async (line: ShopLineRow): Promise<CommandRow | undefined> => {
    const id = commandIdOf(line);
    return id === undefined ? undefined : store.commands.get(line.projectId, id);
  };

  /** A refunded line that this hub has not given; the hub may have been restored from a backup of before it was. */
  const unmade = async (line: ShopLineRow): Promise<ShopLinePatch> => {
    const restoredAt = (await store.commands.lastRestored()) ?? 0;
    // Its order may have been given before the restore, and its lines written once more since.
    const at = restoredAt === 0 ? undefined : (await store.shopOrders.get(line))?.paidAt;
    if (line.name !== null && (at ?? line.createdAt) < restoredAt)
      return { state: 'owed', ...MAYBE_GIVEN, dueAt: null };
    return { state: 'blocked', reason: 'refunded', dueAt: null, placedAt: null };
  };

  /**
   * The payment was refunded: blocks what was not given, and has the rest taken back. False: the line has moved on, and has
   * to be read again.
   */
  const refund = async (line: ShopLineRow): Promise<boolean> => {
    // A line that was dismissed in doubt may have been given.
    const isDismissed = line.state === 'dismissed' && line.reason === 'indeterminate' && line.oppositeId === null;
    if (!isDismissed && !REFUNDABLE.includes(line.state)) return true;
    const { commandId: id } = line;
    const command = await (id === null ? madeBefore(line) : store.commands.get(line.projectId, id));
    const patch: ShopLinePatch =
      command === undefined
        ? await unmade(line)
        : {
            // An undo that the staff has begun is the refund now.
            state: line.state === 'undoing' && line.oppositeId !== null ? 'reversing' : 'refunding',
            reason: null,
            commandId: command.id,
            dueAt: Date.now(),
          };
    return (await change(line, patch)) !== undefined;
  };

  /**
   * A restored hub may have forgotten that a line was given. As long as journals are kept, its bridge knows: so the command
   * is made, and what it gives is taken back.
   */
  const mayBeForgotten = async ({ createdAt }: ShopLineRow): Promise<boolean> => {
    const restoredAt = await store.commands.lastRestored();
    return restoredAt !== undefined && createdAt < restoredAt + LIMITS.journalRetentionMs;
  };

  /**
   * The command that a line has, or one that never starts: it is stored as voided, so that a slow node that is about to make
   * the command finds this one. @throws HubError, DatabaseError
   */
  const forestall = async (line: ShopLineRow, integration: IntegrationRow): Promise<CommandRow> => {
    const made = await madeBefore(line);
    if (made !== undefined) return made;
    const context = await contextOf(line, integration);
    const wish = wishFor({ name: line.name ?? '', params: line.params ?? {} }, line.target ?? '');
    const at = Date.now();
    const { serverId, expiresAt } = line;
    const request = { ...wish, ...context, serverId, expiresAt, idempotencyKey: keyOf(line) };
    const draft = draftOf(request, undefined, at);
    return (await store.commands.insert(takenBack(draft), DURABLE)).row;
  };

  const isRefunded = async (line: ShopLineRow, order: ShopOrderRow | undefined): Promise<boolean> =>
    order !== undefined && order.refundedAt !== null && !(await mayBeForgotten(line));

  /** Makes the command of a line; undefined: its payment was refunded. @throws HubError, DatabaseError */
  const makeCommand = async (line: ShopLineRow, integration: IntegrationRow): Promise<CommandRow | undefined> => {
    const paid = await store.shopOrders.get(line);
    if (await isRefunded(line, paid)) return void (await refund(line));
    await assertWithinLimits(line, integration);
    const { project, actor, requestId } = await contextOf(line, integration, paid);
    const wish = await wishOf(line, line.target ?? '');
    const { serverId, expiresAt } = line;
    let isTaken = false;
    const isTakenBack = async (): Promise<boolean> => {
      isTaken = await isRefunded(line, await store.shopOrders.get(line));
      return isTaken;
    };
    const order = { project, actor, requestId, serverId, expiresAt, idempotencyKey: keyOf(line), isTakenBack };
    const command = await place({ wish, ...order });
    return isTaken ? void (await refund(line)) : command;
  };

  /** Notes the command of a line. A refund may have blocked the line meanwhile: then the command is taken back. */
  const noteCommand = async (
    line: ShopLineRow,
    { id: commandId, expiresAt }: CommandRow,
    integration: IntegrationRow,
  ): Promise<void> => {
    const at = Date.now();
    const placed = { commandId, reason: null, detail: null, placedAt: line.placedAt ?? at };
    const dueAt = Math.max(expiresAt, at) + SETTLED_WITHIN_MS;
    watch(commandId);
    const changed = await change(line, { ...placed, state: 'placed', dueAt });
    if (changed === undefined) {
      await change({ ...line, state: 'blocked' }, { ...placed, state: 'refunding', dueAt: at });
      return;
    }
    // Read after the change, so that no outcome falls in between.
    await settle(changed, integration);
  };

  /** Finds the player of a pending line, and makes its command. */
  const pursue = async (line: ShopLineRow, integration: IntegrationRow): Promise<void> => {
    // A line gets its player before its command, so a new line needs no look.
    const made = line.target === null ? undefined : await madeBefore(line);
    // A line whose command exists is neither refused nor expired.
    if (made === undefined && line.expiresAt <= Date.now()) return void (await refuse(line, 'expired', line.detail));
    const ready = made === undefined ? await matched(line, integration) : line;
    if (ready === undefined) return;
    try {
      const command = made ?? (await makeCommand(ready, integration));
      if (command !== undefined) await noteCommand(ready, command, integration);
    } catch (error) {
      const reason = passingReason(error);
      if (reason !== undefined) {
        await change(ready, { reason, dueAt: Date.now() + pauseOf(ready, reason, Date.now()) });
        return waits(ready);
      }
      if (!(error instanceof HubError)) throw error;
      await refuse(ready, error.code, error.message);
    }
  };

  /** Notes the outcome of a placed line. */
  const settle = async (line: ShopLineRow, integration: IntegrationRow): Promise<void> => {
    const command = line.commandId === null ? undefined : await store.commands.get(line.projectId, line.commandId);
    if (command === undefined || command.settledAt === null) {
      if (line.dueAt !== null && line.dueAt <= Date.now()) await change(line, { dueAt: Date.now() + LOOK_AGAIN_MS });
      return;
    }
    if (command.status === 'indeterminate') watch(command.id);
    const isInTime = line.expiresAt > Date.now();
    const next = { state: 'pending', commandId: null, placedAt: null, attempt: line.attempt + 1 } as const;
    if (isInTime && (await isForAnother(line, command, integration))) {
      return void (await change(line, { ...next, target: null, reason: 'player_not_found', dueAt: Date.now() }));
    }
    const reason = isInTime ? passingEnd(command) : undefined;
    if (reason === undefined) return void (await change(line, endOf(command)));
    await change(line, { ...next, reason, dueAt: Date.now() + pauseOf(line, reason, Date.now()) });
    waits(line);
  };

  return {
    change,
    contextOf,
    wishOf,
    pursue,
    settle,
    /** Writes new lines, and tells about those for the staff. False: some were written before. */
    add: async (lines: NewShopLine[]): Promise<boolean> => {
      const added = await store.shopLines.add(lines);
      for (const line of lines) if (isForStaff(line)) tellStaff(line);
      return added === lines.length;
    },
    refund,
    forestall,
    mayBeForgotten,
  };
};
export type Lines = ReturnType<typeof orderLines>;
