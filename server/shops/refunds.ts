import { isCustomName } from '../../bridge-protocol/index.ts';
import type { CommandRow } from '../../db/queries/commands/read.ts';
import type { IntegrationRow } from '../../db/queries/integrations.ts';
import type { ShopLinePatch, ShopLineRow } from '../../db/queries/shop-orders.ts';
import type { LineState } from '../../db/schema/shops.ts';
import type { Store } from '../../db/store.ts';
import type { Commands } from '../commands/commands.ts';
import { isUndone } from '../commands/undo.ts';
import { executedOf, hasLostResult, oppositeOf } from '../commands/view.ts';
import { HubError } from '../platform/errors.ts';
import {
  GIVEN_BEFORE,
  isGivenBefore,
  KEPT_FOR_MS,
  type Lines,
  passingEnd,
  passingReason,
  pauseOf,
  reasonOf,
} from './order-lines.ts';

/** Later commands of a player that are looked at. */
const LOOKED_AT = 200;

const isSameJob = (one: Pick<CommandRow, 'params'>, other: { params: Record<string, unknown> | null }): boolean =>
  one.params['job'] === other.params?.['job'] && one.params['grade'] === other.params?.['grade'];

/** Whether a job command left the player with the job that they had. */
const hasChangedNothing = ({ params, result }: CommandRow): boolean => {
  const before = result?.['before'] as { job?: unknown; grade?: unknown } | undefined;
  return before?.job === params['job'] && Number(before?.grade ?? 0) === params['grade'];
};

/** The reason why a job need not be taken. Uncertain: a refund that is in doubt may have taken it. */
type Before = { isCertain: boolean; detail: string };

/** Finds who else gave a player the job that a refund would take away. */
const createClaims = (store: Pick<Store, 'commands' | 'shopLines'>) => {
  const mayHaveEffect = async (projectId: string, commandId: string | null): Promise<boolean> => {
    const command = commandId === null ? undefined : await store.commands.get(projectId, commandId);
    return command === undefined || executedOf(command.status) !== 'no';
  };

  /** Other lines with the same job of the player. */
  const equalLines = async (line: ShopLineRow, command: CommandRow): Promise<ShopLineRow[]> => {
    const lines = await store.shopLines.jobsOf({ ...line, target: command.target });
    return lines.filter((other) => other.id !== line.id && isSameJob(command, other));
  };

  /** Another line that gave the job, and was not refunded. */
  const claimingLine = async (others: readonly ShopLineRow[]): Promise<string | undefined> => {
    for (const { state, projectId, commandId, transaction } of others) {
      if (state === 'delivered' || (state === 'placed' && (await mayHaveEffect(projectId, commandId))))
        return transaction;
    }
    return undefined;
  };

  /** Another line whose refund has taken the job since this line's command gave it. */
  const takingLine = async (others: readonly ShopLineRow[], command: CommandRow): Promise<Before | undefined> => {
    for (const { projectId, oppositeId, transaction } of others) {
      const opposite = oppositeId === null ? undefined : await store.commands.get(projectId, oppositeId);
      const executed = opposite === undefined ? 'no' : executedOf(opposite.status);
      if (opposite === undefined || executed === 'no') continue;
      if (opposite.createdAt < (command.settledAt ?? command.createdAt)) continue;
      return executed === 'yes'
        ? { isCertain: true, detail: `The refund of the order ${transaction} took the job.` }
        : { isCertain: false, detail: `The refund of the order ${transaction} has not ended.` };
    }
    return undefined;
  };

  /** A later command of the staff or a script that set the job, and was not undone. Those of shops are lines. */
  const claimingCommand = async (command: CommandRow): Promise<string | undefined> => {
    const { projectId, serverId, target, name, createdAt } = command;
    const request = { projectId, servers: [serverId], target: target ?? '', name, since: createdAt, limit: LOOKED_AT };
    const { rows } = await store.commands.list(request);
    const later = rows.filter(
      (row) => row.id !== command.id && isSameJob(command, row) && executedOf(row.status) !== 'no',
    );
    for (const row of later) {
      const isOfShop = row.actor.keyId.startsWith('int_');
      if (!isOfShop && row.undoes === null && !(await isUndone(store, row))) return row.id;
    }
    return undefined;
  };

  return {
    /** Why the job of a line's command is to stay; undefined: nothing else gave it. */
    claimed: async (line: ShopLineRow, command: CommandRow): Promise<string | undefined> => {
      const transaction = await claimingLine(await equalLines(line, command));
      if (transaction !== undefined) return `The order ${transaction} gave the same job.`;
      const id = await claimingCommand(command);
      return id === undefined ? undefined : `The command ${id} set the same job later.`;
    },
    /** Why the job of a line's command need not be taken; undefined: it must be. */
    settled: async (line: ShopLineRow, command: CommandRow): Promise<Before | undefined> => {
      if (hasChangedNothing(command)) return { isCertain: true, detail: 'The player had this job before.' };
      return takingLine(await equalLines(line, command), command);
    },
  };
};

/** A command in flight and an opposite command are looked at again after this; events make it sooner. */
const LOOK_AGAIN_MS = 60_000;
/** A job that something else gave as well, and an opposite in doubt, are looked at again after this; events make it sooner. */
const LOOK_RARELY_MS = 60 * 60 * 1000;

type Deps = {
  store: Pick<Store, 'projects' | 'shopLines' | 'shopOrders' | 'commands' | 'players'>;
  lines: Pick<Lines, 'change' | 'contextOf' | 'forestall'>;
  commands: Pick<Commands, 'takeBack' | 'oppose'>;
  /** The end of this command is to be told at once. */
  watch: (commandId: string) => void;
  /** A line waits for a player of this server. */
  waits: (line: ShopLineRow) => void;
};

const owed = (reason: string, detail: string | null = null): ShopLinePatch => ({
  state: 'owed',
  reason,
  detail,
  dueAt: null,
});

/** The next steps of the work on a line, and its ends. */
type Ends = {
  /** Its command is known, and has no opposite command yet. */
  asking: ShopLinePatch;
  /** It has an opposite command. */
  opposing: LineState;
  /** The command has no effect. */
  without: ShopLinePatch;
  /** The effect is gone. */
  done: ShopLinePatch;
  /** The effect stays, for this reason. */
  kept: (reason: string, detail?: string | null) => ShopLinePatch;
};

const OF_REFUND: Ends = {
  asking: { state: 'refunding' },
  opposing: 'reversing',
  without: { state: 'blocked', reason: 'refunded', dueAt: null },
  done: { state: 'reversed', reason: null, detail: null, dueAt: null },
  kept: owed,
};

/**
 * A gift of the staff goes back on their list only without effect. The next one is another attempt: no request or node that
 * knows the line from before can make a command of it.
 */
const ofUndo = ({ attempt, target, decision }: ShopLineRow): Ends => {
  const free: ShopLinePatch = {
    state: 'unmatched',
    reason: 'undone',
    detail: `${decision?.by.name} gave it to ${target}, and ${decision?.undo?.by.name} took it back.`,
    target: null,
    commandId: null,
    oppositeId: null,
    placedAt: null,
    dueAt: null,
    attempt: attempt + 1,
  };
  return {
    asking: { state: 'undoing', oppositeId: null },
    opposing: 'undoing',
    without: free,
    done: free,
    kept: (reason, detail = null) => ({ state: 'delivered', reason, detail, oppositeId: null, dueAt: null }),
  };
};

const endsOf = (line: ShopLineRow): Ends => (line.state === 'undoing' ? ofUndo(line) : OF_REFUND);

/** Why a command has no opposite. */
const reasonAgainst = (command: CommandRow): string =>
  hasLostResult(command) && !isCustomName(command.name) ? 'result_lost' : 'no_opposite';

/** A command that ends meanwhile cannot be taken back: its outcome decides. */
const unlessOver = (error: unknown): void => {
  if (!(error instanceof HubError) || error.code !== 'invalid_state') throw error;
};

/** Takes back what a refunded payment has given. */
export const shopRefunds = ({ store, lines, commands, watch, waits }: Deps) => {
  const { change } = lines;
  const { claimed, settled } = createClaims(store);

  /** The end of a job's refund without a command; undefined: the job is to be taken back. */
  const keptJob = async (line: ShopLineRow, command: CommandRow): Promise<ShopLinePatch | undefined> => {
    const claim = await claimed(line, command);
    const { kept, done } = endsOf(line);
    const lookIn = (ms: number) => (line.state === 'undoing' ? {} : { dueAt: Date.now() + ms });
    if (claim !== undefined) return { ...kept('still_claimed', claim), ...lookIn(LOOK_RARELY_MS) };
    const before = await settled(line, command);
    if (before?.isCertain === false) return { ...kept('still_claimed', before.detail), ...lookIn(LOOK_AGAIN_MS) };
    if (before !== undefined) return line.state === 'undoing' ? done : { ...done, detail: before.detail };
    return undefined;
  };

  /** Notes how a refund ended. What it has taken may be all that other refunds of the player waited for. */
  const finish = async (line: ShopLineRow, patch: ShopLinePatch): Promise<void> => {
    const changed = await change(line, patch);
    const isTaken = changed?.state === 'reversed' || changed?.reason === 'undone';
    if (isTaken && line.name === 'job') await store.shopLines.wakeClaimed(line, Date.now());
  };

  /** Notes how the opposite command ended. */
  const settle = async (line: ShopLineRow): Promise<void> => {
    const opposite = await store.commands.get(line.projectId, line.oppositeId ?? '');
    const { asking, done, kept } = endsOf(line);
    if (opposite === undefined || opposite.settledAt === null) {
      // The node that stored it may have discarded it, because no node took it.
      const again = opposite === undefined ? asking : {};
      return void (await change(line, { ...again, dueAt: Date.now() + LOOK_AGAIN_MS }));
    }
    const passing = passingEnd(opposite);
    if (passing !== undefined) {
      await change(line, {
        ...asking,
        reason: passing,
        dueAt: Date.now() + pauseOf(line, passing, Date.now()),
      });
      return waits(line);
    }
    const executed = executedOf(opposite.status);
    const stays = kept(reasonOf(opposite), opposite.error?.message ?? null);
    if (executed !== 'unknown') return finish(line, executed === 'yes' ? done : stays);
    // A person resolves it, or its bridge comes back. Until then, the player may have it.
    watch(opposite.id);
    const patch = line.state === 'undoing' ? { reason: opposite.status } : stays;
    await change(line, { ...patch, dueAt: Date.now() + LOOK_RARELY_MS });
  };

  const oppose = async (line: ShopLineRow, command: CommandRow, integration: IntegrationRow): Promise<void> => {
    const opposite = oppositeOf(command);
    const { opposing, kept } = endsOf(line);
    if (opposite === undefined) return void (await change(line, kept(reasonAgainst(command))));
    if (opposite.name === 'job') {
      const end = await keptJob(line, command);
      if (end !== undefined) return finish(line, end);
    }
    // The line may have been dismissed since it was read, or a try for it may have ended: then another one is not made.
    const state = line.state === 'owed' ? 'refunding' : line.state;
    const begun = await change(line, { state, dueAt: Date.now() + LOOK_AGAIN_MS });
    if (begun === undefined) return;
    const isUndo = begun.state === 'undoing';
    try {
      const { row } = await commands.oppose(command, {
        ...(await lines.contextOf(begun, integration)),
        canSeePlayers: false,
        reason: `${isUndo ? 'Undo' : 'Refund'} of ${command.id}`,
        // It does not wait for the player: where the game can, it also takes from one who never comes back.
        expiresAt: Date.now() + KEPT_FOR_MS,
        waitMs: 0,
      });
      watch(row.id);
      const dueAt = Date.now() + LOOK_AGAIN_MS;
      const reversing = await change(begun, { state: opposing, oppositeId: row.id, dueAt });
      if (reversing !== undefined) await settle(reversing);
    } catch (error) {
      const lasting = await putOff(begun, error);
      if (lasting !== undefined) await change(begun, kept(lasting.code, lasting.message));
    }
  };

  /** Does what the outcome of the line's command allows. */
  const follow = async (line: ShopLineRow, command: CommandRow, integration: IntegrationRow): Promise<void> => {
    const isUnsent = command.settledAt === null && executedOf(command.status) === 'no';
    if (isUnsent) await commands.takeBack(command, 0).catch(unlessOver);
    const latest = (await store.commands.get(line.projectId, command.id)) ?? command;
    if (isGivenBefore(latest)) {
      const state = line.state === 'undoing' ? 'failed' : 'owed';
      return void (await change(line, { state, ...GIVEN_BEFORE, dueAt: null }));
    }
    if (latest.settledAt !== null && executedOf(latest.status) === 'no') {
      return void (await change(line, endsOf(line).without));
    }
    if (executedOf(latest.status) === 'yes') return oppose(line, latest, integration);
    // In flight or in doubt: its outcome decides.
    watch(latest.id);
    await change(line, { reason: latest.status, dueAt: Date.now() + LOOK_AGAIN_MS });
  };

  /** Tries again later after an error of the moment; else the reason why the effect stays. */
  const putOff = async (line: ShopLineRow, error: unknown): Promise<HubError | undefined> => {
    if (!(error instanceof HubError)) throw error;
    const reason = passingReason(error);
    if (reason === undefined) return error;
    await change(line, { ...endsOf(line).asking, reason, dueAt: Date.now() + pauseOf(line, reason, Date.now()) });
    waits(line);
    return undefined;
  };

  /** Takes the command of a refunded line back, or makes its opposite. */
  const takeBackOf = async (line: ShopLineRow, integration: IntegrationRow): Promise<void> => {
    const command = await store.commands.get(line.projectId, line.commandId ?? '');
    const { kept } = endsOf(line);
    if (command === undefined) return void (await change(line, kept('command_not_found')));
    try {
      await follow(line, command, integration);
    } catch (error) {
      const lasting = await putOff(line, error);
      if (lasting !== undefined) await change(line, kept(lasting.code, lasting.message));
    }
  };

  return {
    settle,
    takeBack: takeBackOf,
    /** Takes back what a member of the staff has given. */
    undo: async (line: ShopLineRow, integration: IntegrationRow): Promise<void> => {
      if (line.oppositeId !== null) return settle(line);
      if (line.commandId !== null) return takeBackOf(line, integration);
      try {
        const { id: commandId } = await lines.forestall(line, integration);
        const known = await change(line, { commandId });
        if (known !== undefined) await takeBackOf(known, integration);
      } catch (error) {
        const lasting = await putOff(line, error);
        if (lasting !== undefined) throw lasting;
      }
    },
  };
};
