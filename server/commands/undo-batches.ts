import type { BatchRow, WholeBatch } from '../../db/queries/commands/batches.ts';
import type { CommandRow } from '../../db/queries/commands/read.ts';
import { isSettled } from '../../db/schema/commands.ts';
import { HubError, invalidField } from '../platform/errors.ts';
import { derivedBatchId, fingerprintOf } from '../platform/ids.ts';
import { assertWithin, type BatchRequest, batchBound, type createAcceptBatch } from './batches.ts';
import { NOW_S, readLastingWish } from './catalogue.ts';
import type { Reach } from './elsewhere.ts';
import type { Core } from './run.ts';
import { finalTry, MAX_TRIES, undoBatchKey, undoneBatch } from './undo.ts';
import { executedOf, isOfEarlierServer, oppositeOf } from './view.ts';

/*
 * The undo of a batch is a batch, too: its targets are the commands to undo. `batches.ts` stores its commands and ends it,
 * and `undo.ts` makes each of them, so that a command that is undone alone at the same moment is undone once.
 */

/** Commands that are looked at in one step. */
const PAGE = 200;

/** The effect of an undo on the commands of a batch; the numbers sum up to all of them. */
export type UndoCounts = {
  /** To be undone now. */
  undo: number;
  /** Undone already. */
  undone: number;
  /** Their undo is on its way. */
  open: number;
  /** They are in doubt themselves, or their undo is. */
  inDoubt: number;
  /** Nothing takes their effect back. */
  noOpposite: number;
  /** They had no effect. */
  withoutEffect: number;
};
type Kind = keyof UndoCounts;

/** The caller of an undo. */
export type UndoBatchRequest = Pick<BatchRequest, 'project' | 'key' | 'actor' | 'requestId'> & {
  reason: string | undefined;
};

const about = ({ id, status }: CommandRow | BatchRow): string => `${id} is ${status}.`;

/** Undoes batches. */
export const createUndoBatch = (
  { store }: Core,
  { reach, keep }: { reach: Reach } & Pick<ReturnType<typeof createAcceptBatch>, 'keep'>,
) => {
  /** The treatment of each of some commands of a batch. */
  const kindsOf = async (batch: BatchRow, rows: readonly CommandRow[]): Promise<Kind[]> => {
    const isOld = await isOfEarlierServer(store, batch);
    const ids = rows.map(({ id }) => id);
    const tries = await store.commands.undoing(batch.projectId, ids);
    return rows.map((row): Kind => {
      const executed = executedOf(row.status);
      if (executed !== 'yes') return executed === 'no' ? 'withoutEffect' : 'inDoubt';
      const ofRow = tries.filter(({ undoes }) => undoes === row.id);
      const last = finalTry(ofRow);
      if (last !== undefined && !isSettled(last.status)) return 'open';
      if (last !== undefined) return executedOf(last.status) === 'yes' ? 'undone' : 'inDoubt';
      return isOld || oppositeOf(row) === undefined || ofRow.length >= MAX_TRIES ? 'noOpposite' : 'undo';
    });
  };

  /** Looks at all commands of a batch. @throws HubError not_settled, no_opposite */
  const look = async (batch: BatchRow) => {
    if (undoneBatch(batch) !== undefined) {
      throw new HubError('no_opposite', `It undoes the batch ${undoneBatch(batch)}, and an undo is not undone.`);
    }
    if (batch.status !== 'settled') throw new HubError('not_settled', about(batch));
    const counts: UndoCounts = { undo: 0, undone: 0, open: 0, inDoubt: 0, noOpposite: 0, withoutEffect: 0 };
    const targets: string[] = [];
    let money = 0;
    let sample: CommandRow | undefined;
    let cursor: string | undefined;
    do {
      const page = await store.batches.commands(batch.id, { limit: PAGE, cursor });
      const kinds = await kindsOf(batch, page.rows);
      for (const [nth, row] of page.rows.entries()) {
        const kind = kinds[nth] ?? 'inDoubt';
        counts[kind] += 1;
        if (kind !== 'undo') continue;
        targets.push(row.id);
        money += Number(oppositeOf(row)?.params['amount'] ?? 0);
        sample ??= row;
      }
      cursor = page.next ?? undefined;
    } while (cursor !== undefined);
    return { counts, targets, money: batch.name === 'money' ? money : undefined, sample };
  };

  /** The bounds of a batch hold for its undo, too. @throws HubError */
  const assertAllowed = async (
    { project, key }: UndoBatchRequest,
    batch: BatchRow,
    { targets, money, sample }: Awaited<ReturnType<typeof look>>,
  ): Promise<void> => {
    const { most, owner } = batchBound('maxBatchTargets', { project, key });
    if (targets.length > most) throw invalidField('/id', `has over ${most} players: the ${owner} allows no more`);
    assertWithin({ project, key }, money, '/id');
    const opposite = sample && oppositeOf(sample);
    if (sample === undefined || opposite === undefined) return;
    const read = readLastingWish(opposite.name, { ...opposite.params, target: sample.target });
    if ('wish' in read) await reach.assertServer({ ...read.wish, project, serverId: batch.serverId });
  };

  return {
    /** Counts the effects of an undo of a settled batch; stores nothing. @throws HubError not_settled, no_opposite */
    dryRunUndoBatch: async (batch: BatchRow): Promise<UndoCounts & { money?: number }> => {
      const { counts, money } = await look(batch);
      return { ...counts, ...(money !== undefined && { money }) };
    },
    /**
     * Undoes a settled batch, once: a repeated request gets the same batch. @throws HubError not_settled, no_opposite,
     * nothing_to_undo, or why nothing was stored
     */
    undoBatch: async (batch: BatchRow, request: UndoBatchRequest): Promise<{ batch: BatchRow; replayed: boolean }> => {
      const { projectId, serverId, name, label, params } = batch;
      const idempotencyKey = undoBatchKey(batch.id);
      const before = await store.batches.byKey(projectId, idempotencyKey);
      if (before !== undefined) return { batch: before, replayed: true };
      const found = await look(batch);
      const { targets } = found;
      if (targets.length === 0) throw new HubError('nothing_to_undo');
      await assertAllowed(request, batch, found);
      const at = Date.now();
      const row: WholeBatch = {
        id: derivedBatchId(projectId, serverId, idempotencyKey),
        projectId,
        serverId,
        name,
        params: request.reason === undefined ? {} : { reason: request.reason },
        roles: null,
        label,
        fingerprint: fingerprintOf(serverId, idempotencyKey, {}),
        idempotencyKey,
        actor: request.actor,
        requestId: request.requestId,
        deliver: 'now',
        abort: null,
        status: 'writing',
        endedBy: null,
        total: targets.length,
        duplicates: 0,
        written: 0,
        createdAt: at,
        expiresAt: at + NOW_S * 1_000,
        touchedAt: at,
        writtenAt: null,
        settledAt: null,
        targets,
      };
      // The commands are as large as those of the batch.
      const stored = await keep(row, { project: request.project, serverId, params });
      return 'existing' in stored
        ? { batch: stored.existing, replayed: true }
        : { batch: stored.inserted, replayed: false };
    },
  };
};
