import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ApiKeyRow } from '../../db/queries/api-keys.ts';
import type { ProjectRow } from '../../db/queries/projects.ts';
import type { Abort } from '../../db/schema/batches.ts';
import type { Deliver } from '../../db/schema/commands.ts';
import type { Store } from '../../db/store.ts';
import type { Router } from '../cluster/router.ts';
import { HubError, invalidField } from '../platform/errors.ts';

/** Players of one batch. */
export const MAX_BATCH_TARGETS = 10_000;
const PAGE = 500;
const STEP = 50;

/** A caller's request for a batch. */
export type BatchRequest = {
  project: ProjectRow;
  serverId: string;
  name: string;
  params: Record<string, unknown>;
  targets: readonly string[] | { online: true };
  label: string | undefined;
  deliver: Deliver | 'now';
  /** Epoch milliseconds after which its commands must not be sent any more. */
  expiresAt: number;
  abort: Abort | undefined;
  idempotencyKey: string;
  actor: { keyId: string; name: string };
  /** The bounds of the caller's key. */
  key: Pick<ApiKeyRow, 'maxBatchTargets' | 'maxBatchTotal'>;
  requestId: string;
};

/** The smaller bound of project and key, and the one that has it. */
export const batchBound = (
  name: 'maxBatchTargets' | 'maxBatchTotal',
  { project, key }: Pick<BatchRequest, 'project' | 'key'>,
): { most: number; owner: 'project' | 'API key' } => {
  const [ofProject, ofKey] = [project[name] ?? Infinity, key[name] ?? Infinity];
  return ofKey < ofProject ? { most: ofKey, owner: 'API key' } : { most: ofProject, owner: 'project' };
};

/** After this, a bridge without a report is taken for one without players. */
const REPORTED_WITHIN_MS = 60_000;

/** Finds the players of batches. */
export const createBatchTargets = ({
  store,
  router,
  now,
}: {
  store: Pick<Store, 'players' | 'sessions'>;
  router: Router;
  now: () => number;
}) => {
  /** Whether the bridge came back a moment ago and has not reported its players yet: a batch would miss them. */
  const isUnreported = async (projectId: string, serverId: string): Promise<boolean> => {
    const { connectedAt = 0, playersSyncedAt = null } = (await store.sessions.get(projectId, serverId)) ?? {};
    const ageMs = now() - connectedAt;
    return (playersSyncedAt ?? 0) < connectedAt && ageMs >= 0 && ageMs < REPORTED_WITHIN_MS;
  };

  /** The players who are online at this moment. @throws HubError bridge_offline, invalid_request */
  const online = async ({ project, serverId }: BatchRequest, most: number): Promise<string[]> => {
    const place = router.find(project.id, serverId) ?? (await router.locate(project.id, serverId));
    if (place === undefined) throw new HubError('bridge_offline', undefined, { retryAfterS: 5 });
    if (await isUnreported(project.id, serverId)) {
      throw new HubError('bridge_offline', 'The game server has not reported its players yet.', { retryAfterS: 1 });
    }
    const found: string[] = [];
    let after: Awaited<ReturnType<Store['players']['online']>>[number] | undefined;
    do {
      const page = await store.players.online(project.id, serverId, { limit: PAGE, after });
      found.push(...page.map(({ identifier }) => identifier));
      after = page.length < PAGE ? undefined : page.at(-1);
    } while (after !== undefined && found.length <= most);
    return found;
  };

  const targetsOf = async (request: BatchRequest): Promise<{ targets: string[]; duplicates: number }> => {
    const { targets: wanted } = request;
    const { most, owner } = batchBound('maxBatchTargets', request);
    const all = 'online' in wanted ? await online(request, most) : wanted;
    if (all.length > most) {
      throw invalidField('/targets', `has over ${most} players: the ${owner} allows no more in a batch`);
    }
    const targets = [...new Set(all)];
    return { targets, duplicates: all.length - targets.length };
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

  return { targetsOf, unknownAmong };
};
