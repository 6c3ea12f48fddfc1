import { isCustomName, nameOfCustom, playerParamOf } from '../../bridge-protocol/index.ts';
import { createTurns, type InTurn } from '../../db/port/turns.ts';
import { type BatchRow, bytesOfBatch, type WholeBatch } from '../../db/queries/commands/batches.ts';
import type { Store } from '../../db/store.ts';
import type { CustomCommand, Router } from '../cluster/router.ts';
import { HubError, invalidField } from '../platform/errors.ts';
import { derivedBatchId, fingerprintOf } from '../platform/ids.ts';
import { createServerCheck, fullOfBytes, type ServerWish, waitingFull } from './accept.ts';
import { type BatchRequest, batchBound, createBatchTargets } from './batch-targets.ts';
import type { Batches } from './batches.ts';
import type { createReach } from './capability.ts';
import { notStored } from './command.ts';
import { readLastingWish } from './read-wish.ts';

/** Batches of a project that are at work, and all that have not ended. */
const MAX_BATCHES = { atWork: 5, open: 1_000 };
/** Stands for a player while parameters are checked. */
const ANYBODY = 'player';

/** The effect that a batch would have. `money` is the sum for the players that the server has, where it moves money. */
export type DryRun = { targets: number; duplicates: number; unknown: string[]; money?: number };

/** The command for one player, with checked parameters. @throws HubError invalid_request */
const wishOf = (
  { name, params, project, serverId }: BatchRequest,
  custom: ReadonlyMap<string, CustomCommand> | undefined,
): ServerWish => {
  const declared = isCustomName(name) ? custom?.get(nameOfCustom(name)) : undefined;
  const player = playerParamOf(declared?.roles);
  if (Object.hasOwn(params, player)) throw invalidField(`/params/${player}`, 'must be absent: targets has the players');
  if (declared !== undefined && declared.params.properties?.[player] === undefined) {
    throw invalidField('/name', 'must be a command with a player: this one has no such parameter');
  }
  const read = readLastingWish(name, { ...params, [player]: ANYBODY });
  if ('detail' in read) throw invalidField(read.pointer, read.detail);
  const { sentAction: _, ...wish } = read.wish;
  return { ...wish, ...(declared?.roles && { roles: declared.roles }), project, serverId };
};

const moneyOf = ({ name, params }: ServerWish, targets: number): number | undefined =>
  name === 'money' ? Number((params as { amount?: number }).amount) * targets : undefined;

const assertWithin = (request: BatchRequest, money: number | undefined): void => {
  const { most, owner } = batchBound('maxBatchTotal', request);
  if (money === undefined || money <= most) return;
  throw invalidField('/params/amount', `would move ${money}: the ${owner} allows ${most} in a batch`);
};

const fingerprint = ({ serverId, name, params, targets }: BatchRequest): string =>
  fingerprintOf(serverId, `batch ${name}`, { params, targets });

const replayed = (existing: BatchRow, request: BatchRequest): { batch: BatchRow; replayed: boolean } => {
  if (existing.fingerprint !== fingerprint(request)) throw new HubError('idempotency_mismatch');
  return { batch: existing, replayed: true };
};

const tooMany = (bound: string, retryAfterS: number): HubError =>
  new HubError('rate_limited', `${bound}, and no more may.`, { retryAfterS });

/** Checks and stores batches. */
export const createAcceptBatch = ({
  store,
  router,
  batches,
  customNow,
  inTurn,
  now,
}: {
  store: Pick<Store, 'batches' | 'commands' | 'players' | 'servers' | 'sessions'>;
  router: Router;
  batches: Pick<Batches, 'begin'>;
  customNow: ReturnType<typeof createReach>['customNow'];
  /** Requests of one project are counted and stored one after another, so that none slips past a bound. */
  inTurn: InTurn;
  now: () => number;
}) => {
  const assertServer = createServerCheck({ store, router });
  const oneByOne = createTurns();

  const { targetsOf, unknownAmong } = createBatchTargets({ store, router, now });

  const assertRoom = async ({ project, serverId, params }: BatchRequest, targets: number): Promise<void> => {
    const { open, atWork, unwritten, unwrittenBytes } = await store.batches.openOf(project.id);
    if (atWork >= MAX_BATCHES.atWork) throw tooMany(`${MAX_BATCHES.atWork} batches of the project are at work`, 10);
    if (open >= MAX_BATCHES.open) throw tooMany(`${MAX_BATCHES.open} batches of the project have not ended`, 60);
    const most = { player: 1, server: 1, project: project.maxWaiting };
    const counts = await store.commands.waitingCounts({ projectId: project.id, serverId }, null, most);
    if (counts.project + unwritten + targets > most.project) {
      const detail = `${most.project} commands of the project may wait, and the batch does not fit.`;
      throw waitingFull({ of: 'project', most: most.project }, detail);
    }
    const full = fullOfBytes(counts.bytes + unwrittenBytes, bytesOfBatch(params, targets));
    if (full !== undefined) throw full;
  };

  const check = async (request: BatchRequest) => {
    const { project, serverId } = request;
    const custom = isCustomName(request.name) ? await customNow({ projectId: project.id, serverId }) : undefined;
    const wish = wishOf(request, custom);
    await assertServer(wish);
    const { targets, duplicates } = await targetsOf(request);
    assertWithin(request, moneyOf(wish, targets.length));
    return { wish, targets, duplicates };
  };

  return {
    /** The effect that the batch would have; stores nothing. @throws HubError */
    dryRun: async (request: BatchRequest): Promise<DryRun> => {
      const { wish, targets, duplicates } = await check(request);
      // One at a time for a project, so that several take no more of a turn of the loop than one.
      const unknown = await oneByOne(request.project.id, () => unknownAmong(request, targets));
      // Unknown players cannot be paid.
      const money = moneyOf(wish, targets.length - unknown.length);
      return { targets: targets.length, duplicates, unknown, ...(money !== undefined && { money }) };
    },
    /** @throws HubError if nothing was stored */
    accept: async (request: BatchRequest): Promise<{ batch: BatchRow; replayed: boolean }> => {
      const { project, serverId, name, label, deliver, abort, idempotencyKey, actor, requestId } = request;
      const before = await store.batches.byKey(project.id, idempotencyKey);
      if (before !== undefined) return replayed(before, request);
      const { wish, targets, duplicates } = await check(request);
      const at = now();
      const roles = 'roles' in wish ? wish.roles : undefined;
      const { [playerParamOf(roles)]: _, ...params } = wish.params as Record<string, unknown>;
      const row: WholeBatch = {
        id: derivedBatchId(project.id, serverId, idempotencyKey),
        projectId: project.id,
        serverId,
        name,
        params,
        roles: roles ?? null,
        label: label ?? null,
        fingerprint: fingerprint(request),
        idempotencyKey,
        actor,
        requestId,
        deliver,
        abort: abort ?? null,
        status: 'writing',
        endedBy: null,
        total: targets.length,
        duplicates,
        written: 0,
        createdAt: at,
        expiresAt: request.expiresAt,
        touchedAt: at,
        writtenAt: null,
        settledAt: null,
        targets,
      };
      const stored = await inTurn(project.id, async () => {
        const existing = await store.batches.byKey(project.id, idempotencyKey);
        if (existing !== undefined) return { existing };
        await assertRoom(request, targets.length);
        return store.batches.insert(row).catch((error: unknown) => {
          throw notStored(error);
        });
      });
      if ('existing' in stored) return replayed(stored.existing, request);
      batches.begin(stored.inserted);
      return { batch: stored.inserted, replayed: false };
    },
  };
};
