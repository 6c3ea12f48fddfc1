import { isDeepStrictEqual } from 'node:util';
import type { BatchRow } from '../../db/queries/commands/batches.ts';
import type { CommandRow } from '../../db/queries/commands/read.ts';
import type { Inserted } from '../../db/queries/commands/transitions.ts';
import type { PlayerRow } from '../../db/queries/players/write.ts';
import { isSettled } from '../../db/schema/commands.ts';
import type { Store } from '../../db/store.ts';
import { HubError } from '../platform/errors.ts';
import { type CommandRequest, readLastingWish, type Wish } from './catalogue.ts';
import { type createSubmit, draftOf } from './submit.ts';
import { CREATED_AGAIN, executedOf, isOfEarlierServer, oppositeOf } from './view.ts';

/*
 * Undo: the opposite of a command, made once. Routes, batches and the refunds of shops use it. The hub counts the tries,
 * and each try has one idempotency key, so that of several undos at the same moment one takes effect.
 */

export const MAX_TRIES = 1_000;

const undoKey = (id: string, nth: number): string => `undo/${id}${nth === 1 ? '' : `/${nth}`}`;

/** The node that stored an undo has discarded it, because no node took it. */
const discarded = (): HubError => new HubError('routing_unavailable', undefined, { retryAfterS: 1 });

/** A command that was to undo another one. */
type Try = Awaited<ReturnType<Store['commands']['undoing']>>[number];

/**
 * Whether a try has ended without effect, so that another one may follow. Not if the game server knows its id with other
 * parameters: since a restored backup, the hub has forgotten a try that may have had effect.
 */
const isFree = ({ status, error }: Try): boolean =>
  isSettled(status) && executedOf(status) === 'no' && error?.code !== 'fingerprint_mismatch';

/** The try after which none may follow; undefined: another one may be made. `batchId`: a try of this batch is its only one. */
export const finalTry = (tries: readonly Try[], batchId?: string): Try | undefined =>
  tries.find((made) => !isFree(made) || made.batchId === batchId);

/**
 * Counts the tries to undo a command. The only place that does: two who ask at the same moment get the same key. Undefined:
 * it was tried 1,000 times. @throws HubError routing_unavailable: the last try is being discarded
 */
const nextUndo = async (
  { commands }: Pick<Store, 'commands'>,
  { projectId, id }: CommandRow,
  batchId?: string,
): Promise<{ key: string } | { made: CommandRow } | undefined> => {
  const tries = await commands.undoing(projectId, [id]);
  const last = finalTry(tries, batchId);
  if (last !== undefined) {
    const made = await commands.get(projectId, last.id);
    if (made === undefined) throw discarded();
    return { made };
  }
  return tries.length < MAX_TRIES ? { key: undoKey(id, tries.length + 1) } : undefined;
};

/** Whether a command is undone, or may be: its undo has no outcome yet. */
export const isUndone = async (store: Pick<Store, 'commands'>, command: CommandRow): Promise<boolean> => {
  const next = await nextUndo(store, command);
  return next !== undefined && 'made' in next && executedOf(next.made.status) !== 'no';
};

/** The reason of an undo for which nobody gave one. */
const UNDO_REASON = 'Undo of';

const noOpposite = ({ id, status }: CommandRow, detail: string): HubError =>
  new HubError('no_opposite', detail, { command: { id, status } });

const whyNone = ({ undoes, status, result }: CommandRow): string => {
  if (undoes !== null) return `It undoes the command ${undoes}, and an undo is not undone. Send the command again.`;
  if (status === 'succeeded' && result === null) return 'The hub does not know what it changed.';
  return 'The hub knows no command that takes its effect back.';
};

/**
 * Whether some of an item may be others than those that a command gave. Not if all are plain, or if all are alike and none
 * has gone since.
 */
const areMixed = (inventory: PlayerRow['inventory'], { params, result }: CommandRow): boolean => {
  const stacks = inventory.filter(({ name }) => name === params['item']);
  const [first] = stacks;
  if (first === undefined) return false;
  const areAlike = stacks.every(({ metadata }) => isDeepStrictEqual(metadata, first.metadata));
  if (!areAlike || isDeepStrictEqual(first.metadata, {})) return !areAlike;
  return stacks.reduce((sum, { count }) => sum + count, 0) < Number(result?.['after']);
};

/** The player of a command, if the hub knows them. */
const playerOf = async ({ players }: Pick<Store, 'players'>, { projectId, serverId, target }: CommandRow) => {
  if (target === null) return undefined;
  const player = (await players.find({ projectId, serverId, identifier: target }))?.player;
  return player?.identifier === target ? player : undefined;
};

/**
 * The opposite of a command as the player is now. Items without properties are taken from stacks without any, where the
 * player may have others. @throws HubError no_opposite
 */
const wishToUndo = async (
  store: Pick<Store, 'players' | 'servers'>,
  command: CommandRow,
  reason: string | undefined,
): Promise<Wish> => {
  const opposite = oppositeOf(command);
  if (opposite === undefined) throw noOpposite(command, whyNone(command));
  if (await isOfEarlierServer(store, command)) throw noOpposite(command, CREATED_AGAIN);
  const { name, params } = opposite;
  const player = name === 'job' || name === 'items' ? await playerOf(store, command) : undefined;
  const isOther = (held: unknown, set: unknown): boolean => held !== undefined && held !== set;
  const { job, jobGrade } = player?.metadata ?? {};
  if (name === 'job' && (isOther(job, command.params['job']) || isOther(jobGrade, command.params['grade']))) {
    throw noOpposite(command, 'The player has another job by now.');
  }
  const isPlain = name === 'items' && params['action'] === 'remove' && params['metadata'] === undefined;
  const chosen = isPlain && player !== undefined && areMixed(player.inventory, command) ? { metadata: {} } : {};
  const sent = { ...params, ...chosen, target: command.target, reason: reason ?? `${UNDO_REASON} ${command.id}` };
  const read = readLastingWish(name, sent);
  if ('detail' in read) throw noOpposite(command, `${read.pointer}: ${read.detail}`);
  return read.wish;
};

const UNDO_BATCH = 'undo/';

/** The key of the batch that undoes a batch. */
export const undoBatchKey = (id: string): string => UNDO_BATCH + id;

/** The batch that a batch undoes; undefined: it is no undo. Only the hub makes such keys. */
export const undoneBatch = ({ idempotencyKey: key }: Pick<BatchRow, 'idempotencyKey'>): string | undefined =>
  key.startsWith(UNDO_BATCH) ? key.slice(UNDO_BATCH.length) : undefined;

/**
 * The command of an undo batch for one of the commands that it undoes; undefined: another request undoes it, or too many
 * were to. The command is refused if the player has changed so that it must not be sent.
 */
export const undoRowOf = async (
  store: Pick<Store, 'commands' | 'players' | 'servers'>,
  batch: BatchRow,
  { target: id, at }: { target: string; at: number },
): Promise<CommandRow | undefined> => {
  const command = await store.commands.get(batch.projectId, id);
  const opposite = command && oppositeOf(command);
  if (command === undefined || opposite === undefined) return undefined;
  const next = await nextUndo(store, command, batch.id);
  if (next === undefined) return undefined;
  // Its own, if the step is repeated.
  if ('made' in next) return next.made.batchId === batch.id ? next.made : undefined;
  const { reason } = batch.params;
  const found = await wishToUndo(store, command, typeof reason === 'string' ? reason : undefined).then(
    (wish) => ({ wish, problem: null }),
    (error: unknown) => {
      if (!(error instanceof HubError)) throw error;
      const { name, params } = opposite;
      return { wish: { name, params: { ...params, target: command.target } } as Wish, problem: error.message };
    },
  );
  const { projectId, serverId, actor, requestId, expiresAt } = batch;
  const request = { serverId, actor, requestId, expiresAt, canSeePlayers: false, waitMs: 0 };
  const draft = draftOf(
    { ...found.wish, ...request, project: { id: projectId, keepEvents: false }, idempotencyKey: next.key, undoes: id },
    undefined,
    at,
  );
  const { problem } = found;
  return {
    ...draft,
    status: problem === null ? 'waiting' : 'rejected',
    error: problem === null ? null : { code: 'refused', message: problem },
    settledAt: problem === null ? null : at,
    deliver: batch.deliver,
    deliverUntil: batch.expiresAt,
    round: 0,
    ...ofBatch(batch),
  };
};

/** The columns that a command has from its batch. */
export const ofBatch = ({ id, outbox }: Pick<BatchRow, 'id' | 'outbox'>) => ({
  batchId: id,
  outbox: outbox === null ? null : 0,
});

/** Who undoes a command, and how long they wait. `reason` absent: the id of the command is the reason. */
export type UndoRequest = Pick<
  CommandRequest,
  'project' | 'actor' | 'canSeePlayers' | 'requestId' | 'expiresAt' | 'waitMs'
> & { reason: string | undefined };

type Deps = {
  store: Pick<Store, 'commands' | 'players' | 'servers'>;
  takeBack: (row: CommandRow, waitMs: number) => Promise<CommandRow>;
} & Pick<ReturnType<typeof createSubmit>, 'submit' | 'join'>;

const about = ({ id, status }: CommandRow) => ({ command: { id, status } });

/** Undoes commands, each at most once. */
export const createUndo = ({ store, submit, join, takeBack }: Deps) => {
  const known = async (made: CommandRow, waitMs: number): Promise<Inserted> => {
    const row = isSettled(made.status) ? made : await join(made, waitMs);
    if (row === undefined) throw discarded();
    return { row, isNew: false };
  };

  /**
   * Makes the opposite of a command that took effect, or returns the one that exists. @throws HubError no_opposite, or why
   * it could not be sent
   */
  const oppose = async (command: CommandRow, { reason, ...request }: UndoRequest): Promise<Inserted> => {
    const next = await nextUndo(store, command);
    if (next === undefined) throw new HubError('refused', `It was tried ${MAX_TRIES} times to undo this command.`);
    if ('made' in next) return known(next.made, request.waitMs);
    const wish = await wishToUndo(store, command, reason);
    const { serverId, id: undoes } = command;
    try {
      return await submit({ ...wish, ...request, serverId, idempotencyKey: next.key, undoes });
    } catch (error) {
      if (!(error instanceof HubError) || error.code !== 'idempotency_mismatch') throw error;
      // Another one was made at this moment, after the player's items had changed.
      const again = await nextUndo(store, command);
      if (again !== undefined && 'made' in again) return known(again.made, request.waitMs);
      throw error;
    }
  };

  /** Takes a command back that has not been sent; undefined: it has ended, or was sent meanwhile. */
  const takenBack = async (command: CommandRow, waitMs: number): Promise<CommandRow | undefined> => {
    if (command.status !== 'waiting' && command.status !== 'accepted') return undefined;
    return takeBack(command, waitMs).catch((error: unknown) => {
      if (!(error instanceof HubError) || error.code !== 'invalid_state') throw error;
      return undefined;
    });
  };

  return {
    oppose,
    /**
     * Undoes a command: takes it back if it was not sent, else makes its opposite. Returns the command that was taken back,
     * or the one that undoes it. @throws HubError not_settled, nothing_to_undo, no_opposite
     */
    undo: async (command: CommandRow, request: UndoRequest): Promise<Inserted> => {
      const voided = await takenBack(command, request.waitMs);
      if (voided !== undefined) return { row: voided, isNew: true };
      const latest = (await store.commands.get(command.projectId, command.id)) ?? command;
      const executed = executedOf(latest.status);
      if (executed === 'yes') return oppose(latest, request);
      if (executed === 'no' && isSettled(latest.status))
        throw new HubError('nothing_to_undo', undefined, about(latest));
      throw new HubError('not_settled', undefined, about(latest));
    },
  };
};
