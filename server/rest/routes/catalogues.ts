import { setTimeout as sleep } from 'node:timers/promises';
import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import { CATALOGUE_KINDS, type CatalogueEntry, type CatalogueKind } from '../../../bridge-protocol/index.ts';
import { decodeCursor, encodeCursor } from '../../../db/queries/cursor.ts';
import { fold } from '../../../db/schema/text.ts';
import { HubError } from '../../platform/errors.ts';
import { isoTime } from '../../platform/iso-time.ts';
import { assertServerAllowed } from '../admission.ts';
import type { RestDeps, RestEnv } from '../context.ts';
import { needs } from '../middleware.ts';
import { validationHook } from '../problem.ts';
import {
  instant,
  json,
  limitQuery,
  pageQuery,
  pagination,
  problems,
  SLUG_PATTERN,
  searchQuery,
  serverIdParam,
} from '../schemas.ts';

const entrySchema = z
  .object({
    name: z.string().openapi({ description: 'What commands take.', example: 'gold_bar' }),
    label: z.string().openapi({ description: 'For people.', example: 'Gold bar' }),
    grades: z
      .array(z.object({ grade: z.int(), label: z.string() }))
      .optional()
      .openapi({ description: 'Of jobs only.' }),
  })
  .openapi('CatalogueEntry');

const pageSchema = z
  .object({
    data: z.array(entrySchema),
    pagination,
    syncedAt: instant.nullable().openapi({ description: 'null: the bridge has never sent this catalogue.' }),
  })
  .openapi('CataloguePage');

const WHAT: Record<CatalogueKind, string> = {
  items: 'Items of a game server',
  vehicles: 'Vehicle models of a game server',
  jobs: 'Jobs of a game server',
};

const routeOf = (kind: CatalogueKind) =>
  createRoute({
    method: 'get',
    path: `/servers/{serverId}/${kind}`,
    operationId: `list${kind.replace(/^./, (first) => first.toUpperCase())}`,
    tags: ['Servers'],
    summary: WHAT[kind],
    ...needs(['servers:read']),
    request: {
      params: z.object({ serverId: serverIdParam }),
      query: pageQuery.extend({ search: searchQuery, limit: limitQuery(50) }),
    },
    responses: {
      200: json(pageSchema, 'Matching entries; those that begin with the search come first.'),
      ...problems(404),
    },
  });

/** An entry with its folded texts. */
type Searched = { entry: CatalogueEntry; name: string; label: string };

/** Catalogues in memory. One of 2 MiB takes some 10 MB and holds the process up for some 40 ms when it is read. */
const KEPT = 30;
const KEPT_PER_PROJECT = 9;
/** A project reads one catalogue that is not in memory in this time; its other requests wait, up to a limit. */
const READ_EVERY_MS = 500;
const WAIT_AT_MOST_MS = 3_000;

type Kept = { projectId: string; hash: string; entries: readonly Searched[] };

/** Entries of catalogues, read from the database when they are not in memory. */
const createEntries = (store: RestDeps['store']) => {
  const kept = new Map<string, Kept>();
  const reads = new Map<string, Promise<Kept>>();
  const nextReads = new Map<string, number>();

  /** Waits for the project's turn. @throws HubError rate_limited */
  const turn = async (projectId: string): Promise<void> => {
    const now = performance.now();
    for (const [id, at] of nextReads) if (at < now) nextReads.delete(id);
    const at = nextReads.get(projectId) ?? now;
    if (at - now > WAIT_AT_MOST_MS) throw new HubError('rate_limited', undefined, { retryAfterS: 3 });
    nextReads.set(projectId, at + READ_EVERY_MS);
    if (at > now) await sleep(at - now);
  };

  const keep = (key: string, read: Kept): void => {
    kept.delete(key);
    kept.set(key, read);
    const own = [...kept].filter(([, { projectId }]) => projectId === read.projectId).map(([each]) => each);
    const [oldest] = own.length > KEPT_PER_PROJECT ? own : kept.keys();
    if (oldest !== undefined && (own.length > KEPT_PER_PROJECT || kept.size > KEPT)) kept.delete(oldest);
  };

  const read = async (projectId: string, serverId: string, kind: CatalogueKind): Promise<Kept> => {
    await turn(projectId);
    const stored = await store.catalogues.entries({ projectId, serverId, kind });
    const entries = (stored?.entries ?? []).map((entry) => ({
      entry,
      name: fold(entry.name),
      label: fold(entry.label),
    }));
    return { projectId, hash: stored?.hash ?? '', entries };
  };

  /** The entries of a catalogue with this hash, or of a newer one. Requests at the same time share one read. */
  return async (projectId: string, serverId: string, kind: CatalogueKind, hash: string) => {
    const key = `${projectId}/${serverId}/${kind}`;
    const found = kept.get(key);
    if (found?.hash === hash) {
      keep(key, found);
      return found.entries;
    }
    let reading = reads.get(key);
    if (reading === undefined) {
      reading = read(projectId, serverId, kind).finally(() => reads.delete(key));
      reads.set(key, reading);
    }
    const done = await reading;
    keep(key, done);
    return done.entries;
  };
};

/** The catalogues of game servers: what people choose from. They stay while the bridge is away. */
export const catalogueRoutes = ({ store }: RestDeps) => {
  const entriesOf = createEntries(store);

  const matching = (entries: readonly Searched[], search: string): CatalogueEntry[] => {
    const term = fold(search);
    if (term === '') return entries.map(({ entry }) => entry);
    const rank = ({ name, label }: Searched): number => {
      // Most entries do not match, so that is decided first.
      if (!name.includes(term) && !label.includes(term)) return 3;
      if (name === term || label === term) return 0;
      return name.startsWith(term) || label.startsWith(term) ? 1 : 2;
    };
    const ranked = entries.map((each) => ({ entry: each.entry, rank: rank(each) })).filter((each) => each.rank < 3);
    return ranked.sort((one, other) => one.rank - other.rank).map(({ entry }) => entry);
  };

  const routes = new OpenAPIHono<RestEnv>({ defaultHook: validationHook });
  for (const kind of CATALOGUE_KINDS) {
    routes.openapi(routeOf(kind), async (c) => {
      const { principal } = c.var;
      const { serverId } = c.req.valid('param');
      const { search = '', limit, cursor } = c.req.valid('query');
      assertServerAllowed(principal, serverId);
      const { id: projectId } = principal.project;
      if (!SLUG_PATTERN.test(serverId) || (await store.servers.get(projectId, serverId)) === undefined) {
        throw new HubError('server_not_found');
      }
      const head = (await store.catalogues.heads(projectId, serverId)).find((each) => each.kind === kind);
      const entries = head === undefined ? [] : await entriesOf(projectId, serverId, kind, head.hash);
      const found = matching(entries, search);
      const [at = 0] = cursor === undefined ? [] : decodeCursor(kind, cursor, ['number']);
      const from = Math.max(0, Number(at));
      const next = from + limit < found.length ? encodeCursor(kind, [from + limit]) : null;
      return c.json(
        {
          data: found.slice(from, from + limit),
          pagination: { limit, next },
          syncedAt: head === undefined ? null : isoTime(head.syncedAt),
        },
        200,
      );
    });
  }
  return routes;
};
