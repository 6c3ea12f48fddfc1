import { setImmediate as nextTurn } from 'node:timers/promises';
import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import { fold } from '../../../bridge-protocol/fold.ts';
import { CATALOGUE_KINDS, type CatalogueKind } from '../../../bridge-protocol/index.ts';
import { decodeCursor, encodeCursor } from '../../../db/queries/cursor.ts';
import { createTurns } from '../../../db/turns.ts';
import type { Searched } from '../../panel/catalogues.ts';
import { optionalTime } from '../../platform/time.ts';
import { validationHook } from '../answer.ts';
import { serverOf } from '../identify.ts';
import { needs } from '../middleware.ts';
import type { RestDeps, RestEnv } from '../request.ts';
import {
  at,
  instant,
  json,
  limitQuery,
  pageQuery,
  pagination,
  problems,
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
    ...at('get', `/servers/{serverId}/${kind}`, `list${kind.replace(/^./, (first) => first.toUpperCase())}`),
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

/** The catalogues of game servers: what people choose from. They stay while the bridge is away. */
export const catalogueRoutes = ({ store, catalogues }: RestDeps) => {
  const inTurn = createTurns();

  const matching = (entries: readonly Searched[], search: string): readonly Searched[] => {
    const term = fold(search);
    if (term === '') return entries;
    const rank = ({ name, label }: Searched): number => {
      // Most entries do not match, so that is decided first.
      if (!name.includes(term) && !label.includes(term)) return 3;
      if (name === term || label === term) return 0;
      return name.startsWith(term) || label.startsWith(term) ? 1 : 2;
    };
    const ranked: Searched[][] = [[], [], []];
    for (const each of entries) ranked[rank(each)]?.push(each);
    return ranked.flat();
  };
  /** A search looks at 20,000 entries: one of a project in a turn of the event loop. */
  const search = (projectId: string, entries: readonly Searched[], term: string): Promise<readonly Searched[]> =>
    inTurn(projectId, async () => {
      await nextTurn();
      return matching(entries, term);
    });

  const routes = new OpenAPIHono<RestEnv>({ defaultHook: validationHook });
  for (const kind of CATALOGUE_KINDS) {
    routes.openapi(routeOf(kind), async (c) => {
      const { principal } = c.var;
      const { serverId } = c.req.valid('param');
      const { search: term = '', limit, cursor } = c.req.valid('query');
      const { projectId } = await serverOf(store, principal, serverId);
      const { entries, syncedAt } = await catalogues.get({ projectId, serverId, kind });
      const found = await search(projectId, entries, term);
      const [offset = 0] = cursor === undefined ? [] : decodeCursor(kind, cursor, ['number']);
      const from = Math.max(0, Number(offset));
      const next = from + limit < found.length ? encodeCursor(kind, [from + limit]) : null;
      return c.json(
        {
          data: found.slice(from, from + limit).map(({ entry }) => entry),
          pagination: { limit, next },
          syncedAt: optionalTime(syncedAt),
        },
        200,
      );
    });
  }
  return routes;
};
