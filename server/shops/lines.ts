import type { CommandRow } from '../../db/queries/commands/row.ts';
import type { IntegrationRow } from '../../db/queries/integrations.ts';
import type { ShopLinePatch, ShopLineRow } from '../../db/queries/shop-lines.ts';
import type { Store } from '../../db/store.ts';
import { executedOf } from '../commands/run.ts';
import { HubError } from '../platform/errors.ts';
import { awaitedOf, type Buyers } from './buyers.ts';
import { assertAmount, assertDaily, givenToday, type ReadyLine } from './integrations.ts';
import {
  type Change,
  commandIdOf,
  GIVEN_BEFORE,
  isGivenBefore,
  keyOf,
  LONGEST_PAUSE_MS,
  type Place,
  passingEnd,
  passingReason,
  pauseOf,
} from './order-lines.ts';
import type { Refunds } from './refunds.ts';

/** A player whose report came during the look, or to another node, is stored by then. */
const UNKNOWN_AGAIN_MS = 10_000;

type MatchingDeps = {
  buyers: Buyers;
  change: Change;
  /** A line waits for a player of this server. */
  waits: (line: ShopLineRow) => void;
  now: () => number;
};

/** Finds the players of lines. */
export const createMatching = ({ buyers, change, waits, now }: MatchingDeps) => {
  /** A report of a player wakes the line. Until then, it waits for the staff, too. */
  const waitForBuyer = (line: ShopLineRow, unbound: string) => {
    const dueAt = line.unbound === unbound ? line.expiresAt : Math.min(line.expiresAt, now() + UNKNOWN_AGAIN_MS);
    return change(line, { reason: 'unknown_buyer', unbound, dueAt });
  };

  /** The line with its player; undefined: it waits, or the staff has to decide. */
  return async (line: ShopLineRow, { identifierKind }: IntegrationRow): Promise<ShopLineRow | undefined> => {
    if (line.target !== null) return line;
    if (line.buyer === null) {
      return void (await change(line, { state: 'unmatched', reason: 'no_buyer', detail: null, dueAt: null }));
    }
    const found = await buyers(line, identifierKind);
    if (found === 'unknown') return void (await waitForBuyer(line, awaitedOf(line.buyer.value, identifierKind)));
    if (found === 'waits') {
      await change(line, { reason: 'several_characters', unbound: null, dueAt: now() + LONGEST_PAUSE_MS });
      return void waits(line);
    }
    return change(line, { target: found.target, unbound: null, reason: null });
  };
};
export type Matched = ReturnType<typeof createMatching>;

/**
 * Tells whether the game has deleted a line's player, and the buyer has another character now. A player that the staff has
 * chosen is not the buyer.
 */
export const createIsForAnother =
  ({ buyers }: Pick<MatchingDeps, 'buyers'>) =>
  async (line: ShopLineRow, { status, error }: CommandRow, { identifierKind }: IntegrationRow): Promise<boolean> => {
    if (executedOf(status) !== 'no' || error?.code !== 'player_not_found') return false;
    if (line.buyer === null || line.buyer.isReplaced === true) return false;
    const found = await buyers(line, identifierKind);
    return found === 'waits' || (found !== 'unknown' && found.target !== line.target);
  };
export type IsForAnother = ReturnType<typeof createIsForAnother>;

/** After the end of its time, a command gets so long to be settled. */
const SETTLED_WITHIN_MS = 60_000;
const LOOK_AGAIN_MS = 60 * 60 * 1000;

/** The state of a placed line whose command has ended. */
const endOf = (command: CommandRow): ShopLinePatch => {
  const { status, error } = command;
  if (executedOf(status) === 'yes') return { state: 'delivered', reason: null, detail: null, dueAt: null };
  if (isGivenBefore(command)) return { state: 'failed', ...GIVEN_BEFORE, dueAt: null };
  const code = status === 'expired' || status === 'indeterminate' ? status : (error?.code ?? status);
  return { state: 'failed', reason: code, detail: error?.message ?? null, dueAt: null };
};

type Deps = {
  store: Pick<Store, 'shopLines' | 'commands' | 'shopOrders'>;
  isForAnother: IsForAnother;
  matched: Matched;
  place: Place;
  readyLine: ReadyLine;
  refunds: Refunds;
  change: Change;
  /** The end of this command is to be told at once. */
  watch: (commandId: string) => void;
  /** A line waits for a player of this server. */
  waits: (line: ShopLineRow) => void;
  now: () => number;
};

/** The life of one line of an order. Each step is a compare-and-set, so two nodes never do one twice. */
export const createLines = ({
  store,
  matched,
  isForAnother,
  place,
  readyLine,
  refunds,
  change,
  watch,
  waits,
  now,
}: Deps) => {
  const refuse = (line: ShopLineRow, reason: string, detail: string | null = null) =>
    change(line, { state: 'refused', reason, detail, dueAt: null });

  /** @throws HubError invalid_request: over a limit of the integration */
  const assertWithinLimits = async (line: ShopLineRow, integration: IntegrationRow): Promise<void> => {
    assertAmount({ name: line.name ?? '', params: line.params ?? {} }, integration.maxAmount);
    if (integration.maxDaily === null || line.amount === 0) return;
    assertDaily(integration, await givenToday(store, integration, now()), line.amount);
  };

  const makeCommand = async (line: ShopLineRow, integration: IntegrationRow): Promise<CommandRow> => {
    const { project, actor, requestId } = await refunds.contextOf(line, integration);
    const ready = await readyLine(line, line.target ?? '');
    if ('detail' in ready) throw new HubError('invalid_request', `${ready.pointer}: ${ready.detail}`);
    const { serverId, expiresAt } = line;
    const order = { project, actor, requestId, serverId, expiresAt, idempotencyKey: keyOf(line) };
    return place({ wish: ready.wish, deliver: 'when_online', ...order });
  };

  /** Notes the command of a line. A refund may have blocked the line meanwhile: then the command is taken back. */
  const noteCommand = async (
    line: ShopLineRow,
    { id: commandId, expiresAt }: CommandRow,
    integration: IntegrationRow,
  ): Promise<void> => {
    const at = now();
    const placed = { commandId, reason: null, detail: null, placedAt: at };
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

  const pursue = async (line: ShopLineRow, integration: IntegrationRow): Promise<void> => {
    if (line.expiresAt <= now()) return void (await refuse(line, 'expired', line.detail));
    const ready = await matched(line, integration);
    if (ready === undefined) return;
    try {
      await assertWithinLimits(ready, integration);
      await noteCommand(ready, await makeCommand(ready, integration), integration);
    } catch (error) {
      const reason = passingReason(error);
      if (reason !== undefined) {
        await change(ready, { reason, dueAt: now() + pauseOf(ready, reason, now()) });
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
      if (line.dueAt !== null && line.dueAt <= now()) await change(line, { dueAt: now() + LOOK_AGAIN_MS });
      return;
    }
    const isInTime = line.expiresAt > now();
    const next = { state: 'pending', commandId: null, placedAt: null, attempt: line.attempt + 1 } as const;
    if (isInTime && (await isForAnother(line, command, integration))) {
      return void (await change(line, { ...next, target: null, reason: 'player_not_found', dueAt: now() }));
    }
    const reason = isInTime ? passingEnd(command) : undefined;
    if (reason === undefined) return void (await change(line, endOf(command)));
    await change(line, { ...next, reason, dueAt: now() + pauseOf(line, reason, now()) });
    waits(line);
  };

  return {
    /** Does the next step of a line, if there is one. */
    step: async (line: ShopLineRow, integration: IntegrationRow): Promise<void> => {
      if (line.state === 'pending') return pursue(line, integration);
      if (line.state === 'placed') return settle(line, integration);
      if (line.state === 'refunding' || line.state === 'owed') return refunds.takeBack(line, integration);
      if (line.state === 'reversing') return refunds.settle(line);
      if (line.dueAt !== null) await change(line, { dueAt: null });
    },
    /**
     * The payment was refunded: blocks what was not given, and has the rest taken back. False: the line has moved on, and
     * has to be read again.
     */
    refund: async (line: ShopLineRow): Promise<boolean> => {
      if (!['pending', 'placed', 'delivered', 'unmatched', 'refused', 'failed'].includes(line.state)) return true;
      // The hub may have died between the command and the note of it.
      const id = line.commandId ?? commandIdOf(line);
      const command = id === undefined ? undefined : await store.commands.get(line.projectId, id);
      const patch: ShopLinePatch =
        command === undefined
          ? { state: 'blocked', reason: 'refunded', dueAt: null }
          : { state: 'refunding', reason: null, commandId: command.id, dueAt: now() };
      return (await change(line, patch)) !== undefined;
    },
    /** The command of a line, or its opposite, has ended. */
    ended: async (line: ShopLineRow, integration: IntegrationRow): Promise<void> => {
      const isResolved = line.reason === 'indeterminate';
      if (line.state === 'placed' || (line.state === 'failed' && isResolved)) return settle(line, integration);
      if (line.state === 'refunding') return refunds.takeBack(line, integration);
      if (line.state === 'reversing' || (line.state === 'owed' && isResolved)) return refunds.settle(line);
    },
  };
};
export type Lines = ReturnType<typeof createLines>;
