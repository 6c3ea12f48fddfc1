import { setImmediate as nextTurn } from 'node:timers/promises';
import { isCommandName, isCustomName, nameOfCustom, playerParamOf, readParams } from '../../bridge-protocol/index.ts';
import type { BatchRow } from '../../db/queries/commands/batches.ts';
import type { ProjectRow } from '../../db/queries/projects.ts';
import type { Abort } from '../../db/schema/batches.ts';
import type { Deliver } from '../../db/schema/commands.ts';
import type { Store } from '../../db/store.ts';
import type { CustomCommand, Router } from '../cluster/router.ts';
import { HubError, invalidField } from '../platform/errors.ts';
import { fingerprintOf, newId } from '../platform/ids.ts';
import { createServerCheck, type ServerWish } from './accept.ts';
import type { Batches } from './batches.ts';
import { entryOf, isExactlyOnce } from './catalogue.ts';

const MAX_OPEN = 5;
const PAGE = 500;
const STEP = 200;
/** Stands for a player while parameters are checked. */
const ANYBODY = 'player';

export type BatchRequest = {
  project: ProjectRow;
  serverId: string;
  name: string;
  params: Record<string, unknown>;
  targets: readonly string[] | { online: true };
  label: string | undefined;
  deliver: Deliver | 'now';
  expiresInSeconds: number;
  abort: Abort | undefined;
  idempotencyKey: string;
  actor: { keyId: string; name: string };
  requestId: string;
};

/** What a batch would do. `money` is the sum that it moves, where it moves money. */
export type DryRun = { targets: number; duplicates: number; unknown: string[]; money?: number };

/** The command for one player, with checked parameters. @throws HubError invalid_request */
const wishOf = (
  { name, params, project, serverId }: BatchRequest,
  custom: ReadonlyMap<string, CustomCommand> | undefined,
): ServerWish => {
  const declared = isCustomName(name) ? custom?.get(nameOfCustom(name)) : undefined;
  const player = playerParamOf(declared?.roles);
  if (Object.hasOwn(params, player)) throw invalidField(`/params/${player}`, 'must be absent: targets has the players');
  if (isCustomName(name)) {
    if (declared !== undefined && declared.params.properties?.[player] === undefined) {
      throw invalidField('/name', 'must be a command with a player: this one has no such parameter');
    }
    const read = readParams({ ...params, [player]: ANYBODY });
    if ('fault' in read) throw invalidField(`/params${read.fault.pointer}`, read.fault.detail);
    return { name, params: read.params, project, serverId, ...(declared?.roles && { roles: declared.roles }) };
  }
  if (!isCommandName(name) || !isExactlyOnce(name)) {
    throw invalidField('/name', 'must be money, items, vehicles, job or a custom command such as custom:give_item');
  }
  const read = entryOf(name).body.safeParse({ ...params, target: ANYBODY });
  if (read.success) return { name, params: read.data.params, project, serverId };
  const [issue] = read.error.issues;
  throw invalidField(`/params/${issue?.path.join('/') ?? ''}`, issue?.message ?? 'is not valid');
};

/** Checks and stores batches. */
export const createAcceptBatch = ({
  store,
  router,
  batches,
  now,
}: {
  store: Pick<Store, 'batches' | 'commands' | 'players' | 'servers' | 'sessions'>;
  router: Router;
  batches: Pick<Batches, 'begin'>;
  now: () => number;
}) => {
  const assertServer = createServerCheck({ store, router });

  /** The players who are online at this moment. @throws HubError bridge_offline, invalid_request */
  const online = async ({ project, serverId }: BatchRequest): Promise<string[]> => {
    const place = router.find(project.id, serverId) ?? (await router.locate(project.id, serverId));
    if (place === undefined) throw new HubError('bridge_offline', undefined, { retryAfterS: 5 });
    const found: string[] = [];
    let after: Awaited<ReturnType<Store['players']['online']>>[number] | undefined;
    do {
      const page = await store.players.online(project.id, serverId, { limit: PAGE, after });
      found.push(...page.map(({ identifier }) => identifier));
      after = page.length < PAGE ? undefined : page.at(-1);
    } while (after !== undefined && found.length <= project.maxBatchTargets);
    return found;
  };

  const targetsOf = async (request: BatchRequest): Promise<{ targets: string[]; duplicates: number }> => {
    const { project, targets: wanted } = request;
    const all = 'online' in wanted ? await online(request) : wanted;
    if (all.length > project.maxBatchTargets) {
      throw invalidField(
        '/targets',
        `has over ${project.maxBatchTargets} players: the project allows no more in a batch`,
      );
    }
    const targets = [...new Set(all)];
    return { targets, duplicates: all.length - targets.length };
  };

  const moneyOf = ({ name, params }: ServerWish, targets: number): number | undefined =>
    name === 'money' ? Number((params as { amount?: number }).amount) * targets : undefined;

  const assertWithin = ({ maxBatchTotal }: ProjectRow, money: number | undefined): void => {
    if (money === undefined || maxBatchTotal === null || money <= maxBatchTotal) return;
    throw invalidField('/params/amount', `would move ${money}: the project allows ${maxBatchTotal} in a batch`);
  };

  const assertRoom = async ({ project, serverId }: BatchRequest, targets: number): Promise<void> => {
    if ((await store.batches.openOf(project.id)) >= MAX_OPEN) {
      throw new HubError('rate_limited', `At most ${MAX_OPEN} batches of a project may be open.`, { retryAfterS: 10 });
    }
    const most = { player: 1, server: 1, project: project.maxWaiting };
    const counts = await store.commands.waitingCounts({ projectId: project.id, serverId }, null, most);
    if (counts.project + targets <= most.project) return;
    throw new HubError(
      'waiting_full',
      `${most.project} commands of the project may wait, and the batch does not fit.`,
      {
        waiting: { of: 'project', most: most.project },
        retryAfterS: 60,
      },
    );
  };

  const unknownAmong = async ({ project, serverId }: BatchRequest, targets: readonly string[]): Promise<string[]> => {
    const unknown: string[] = [];
    for (let from = 0; from < targets.length; from += STEP) {
      const some = targets.slice(from, from + STEP);
      const meant = await Promise.all(some.map((target) => store.players.meant(project.id, serverId, target)));
      unknown.push(...some.filter((_, n) => meant[n] !== 'own' && meant[n]?.length !== 1));
      await nextTurn();
    }
    return unknown;
  };

  const check = async (request: BatchRequest) => {
    const wish = wishOf(request, router.find(request.project.id, request.serverId)?.custom);
    await assertServer(wish);
    const { targets, duplicates } = await targetsOf(request);
    const money = moneyOf(wish, targets.length);
    assertWithin(request.project, money);
    return { wish, targets, duplicates, money };
  };

  const fingerprint = ({ serverId, name, params, targets }: BatchRequest): string =>
    fingerprintOf(serverId, `batch ${name}`, { params, targets });

  const replayed = (existing: BatchRow, request: BatchRequest): { batch: BatchRow; replayed: boolean } => {
    if (existing.fingerprint !== fingerprint(request)) throw new HubError('idempotency_mismatch');
    return { batch: existing, replayed: true };
  };

  return {
    /** What the batch would do; stores nothing. @throws HubError */
    dryRun: async (request: BatchRequest): Promise<DryRun> => {
      const { targets, duplicates, money } = await check(request);
      const unknown = await unknownAmong(request, targets);
      return { targets: targets.length, duplicates, unknown, ...(money !== undefined && { money }) };
    },
    /** @throws HubError if nothing was stored */
    accept: async (request: BatchRequest): Promise<{ batch: BatchRow; replayed: boolean }> => {
      const { project, serverId, name, label, deliver, abort, idempotencyKey, actor, requestId } = request;
      const before = await store.batches.byKey(project.id, idempotencyKey);
      if (before !== undefined) return replayed(before, request);
      const { wish, targets, duplicates } = await check(request);
      await assertRoom(request, targets.length);
      const at = now();
      const roles = 'roles' in wish ? wish.roles : undefined;
      const { [playerParamOf(roles)]: _, ...params } = wish.params as Record<string, unknown>;
      const stored = await store.batches.insert({
        id: newId('bat'),
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
        expiresAt: at + request.expiresInSeconds * 1000,
        touchedAt: at,
        settledAt: null,
        targets,
      });
      if ('existing' in stored) return replayed(stored.existing, request);
      batches.begin(stored.inserted);
      return { batch: stored.inserted, replayed: false };
    },
  };
};
