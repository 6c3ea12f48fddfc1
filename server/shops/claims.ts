import type { CommandRow } from '../../db/queries/commands/row.ts';
import type { ShopLineRow } from '../../db/queries/shop-lines.ts';
import type { Store } from '../../db/store.ts';
import type { Undo } from '../commands/request.ts';
import { executedOf } from '../commands/run.ts';

/** Later commands of a player that are looked at. */
const LOOKED_AT = 200;

type Job = Pick<CommandRow, 'params'>;

const isSameJob = (one: Job, other: { params: Record<string, unknown> | null }): boolean =>
  one.params['job'] === other.params?.['job'] && one.params['grade'] === other.params?.['grade'];

/** Whether a job command left the player with the job that they had. */
const hasChangedNothing = ({ params, result }: CommandRow): boolean => {
  const before = result?.['before'] as { job?: unknown; grade?: unknown } | undefined;
  return before?.job === params['job'] && Number(before?.grade ?? 0) === params['grade'];
};

/** The reason why a job need not be taken. Uncertain: a refund that is in doubt may have taken it. */
type Before = { isCertain: boolean; detail: string };

/** Finds who else gave a player the job that a refund would take away. */
export const createClaims = ({ store, undo }: { store: Pick<Store, 'commands' | 'shopLines'>; undo: Undo }) => {
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

  const isUndone = async (command: CommandRow): Promise<boolean> => {
    for (let nth = 1; ; nth += 1) {
      const attempt = await undo.tryOf(command, nth);
      if (attempt === undefined) return false;
      if (executedOf(attempt.status) !== 'no') return true;
    }
  };

  /** A later command of the staff or a script that set the job, and was not undone. Those of shops are lines. */
  const claimingCommand = async (command: CommandRow): Promise<string | undefined> => {
    const { projectId, serverId, target, name, createdAt } = command;
    const request = { projectId, servers: [serverId], target: target ?? '', name, since: createdAt, limit: LOOKED_AT };
    const { rows } = await store.commands.list(request);
    const later = rows.filter(
      (row) => row.id !== command.id && isSameJob(command, row) && executedOf(row.status) !== 'no',
    );
    const lines = await store.shopLines.withCommands(later.map(({ id }) => id));
    const ofShops = new Set(lines.flatMap(({ commandId, oppositeId }) => [commandId, oppositeId]));
    for (const row of later) {
      const isUndo = row.idempotencyKey?.startsWith('undo/') === true;
      if (!ofShops.has(row.id) && !isUndo && !(await isUndone(row))) return row.id;
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
