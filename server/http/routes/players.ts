import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import { ACCOUNT_PATTERN, IDENTIFIER_PATTERN } from '../../../bridge-protocol/index.ts';
import type { PlayerListRow } from '../../../db/queries/players/filters.ts';
import type { FoundPlayer } from '../../../db/queries/players/find.ts';
import type { JobLabels } from '../../panel/catalogues.ts';
import { HubError, invalidField } from '../../platform/errors.ts';
import { plainText, sentFields } from '../../platform/fields.ts';
import { isoTime, optionalTime } from '../../platform/time.ts';
import { validationHook } from '../answer.ts';
import { serverOf } from '../identify.ts';
import { needs } from '../middleware.ts';
import type { RestDeps, RestEnv } from '../request.ts';
import {
  at,
  flagQuery,
  instant,
  json,
  limitQuery,
  noteIgnored,
  offsetQuery,
  problems,
  searchQuery,
} from '../schemas.ts';

const accounts = z.record(z.string(), z.number()).openapi({ example: { bank: 5000, cash: 120 } });

const playerSummary = z
  .object({
    identifier: z.string(),
    name: z.string(),
    serverId: z.string(),
    online: z.boolean(),
    identifiers: z.array(z.string()),
    accounts,
    job: z
      .object({
        name: z.string(),
        label: z.string().openapi({ description: 'Of the bridge, else of its catalogue of jobs, else the name.' }),
        grade: z.int().nullable(),
        gradeLabel: z.string().nullable().openapi({ description: 'Of the catalogue of jobs; null: it has none.' }),
      })
      .nullable(),
    group: z.string().nullable(),
    playedMinutes: z.int().nullable(),
    gameId: z.int().nullable().openapi({ description: 'The number that the game shows beside an online player.' }),
    firstSeenAt: instant,
    lastSeenAt: instant,
  })
  .openapi('PlayerSummary');

const metadata = z.record(z.string(), z.unknown());

const playerDetail = playerSummary
  .extend({
    inventory: z.array(
      z.object({ slot: z.number(), name: z.string(), label: z.string(), count: z.number(), metadata }),
    ),
    vehicles: z.array(
      z.object({
        plate: z.string(),
        model: z.string(),
        label: z.string(),
        stored: z.boolean(),
        garage: z.string().nullable(),
        metadata,
      }),
    ),
    metadata,
    syncedAt: instant,
    goneAt: instant
      .nullable()
      .openapi({ description: 'When the game server was first found to have this player no more; null: it has them.' }),
    alsoOn: z.array(z.string()),
    alsoKnown: z
      .array(z.object({ identifier: z.string(), name: z.string(), serverId: z.string(), online: z.boolean() }))
      .openapi({ description: 'Other players who carry the linked identifier that was asked for, up to 20.' }),
  })
  .openapi('Player');

/** A whole number in a query, which may be negative. */
const balanceQuery = z
  .string()
  .refine(
    (text) => /^-?\d{1,16}$/.test(text) && Number.isSafeInteger(Number(text)),
    'must be a whole number from -9007199254740991 to 9007199254740991',
  )
  .transform(Number)
  .openapi({ type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER });

const filterQuery = z.object({
  search: searchQuery,
  plates: flagQuery.optional().openapi({ description: '`search` looks at number plates, too.' }),
  serverId: plainText(63).optional(),
  online: flagQuery.optional(),
  job: plainText(128).optional().openapi({ description: 'The name of the job, exactly.' }),
  group: plainText(128).optional().openapi({ description: 'The name of the group, exactly.' }),
  account: z
    .string()
    .regex(ACCOUNT_PATTERN, 'must be 1 to 64 of A-Z a-z 0-9 _ . -')
    .optional()
    .openapi({ description: 'Only players who have this account.' }),
  minBalance: balanceQuery.optional().openapi({ description: 'Of `account`.' }),
  maxBalance: balanceQuery.optional().openapi({ description: 'Of `account`.' }),
});
const listQuery = filterQuery.extend({
  limit: limitQuery(50),
  offset: offsetQuery,
  sort: z
    .enum(['name', 'lastSeen', 'job', 'balance'])
    .optional()
    .openapi({ description: '`balance`: that of `account`, the largest first.' }),
  cursor: plainText(2_048).optional(),
});

const listRoute = createRoute({
  ...at('get', '/players', 'listPlayers'),
  tags: ['Players'],
  summary: 'List and search players',
  ...needs(['players:read']),
  request: { query: listQuery },
  responses: {
    200: json(
      z.object({
        data: z.array(playerSummary),
        pagination: z.object({
          limit: z.int(),
          offset: z.int(),
          total: z.int(),
          totalIsLowerBound: z.literal(true).optional(),
          next: z.string().nullable(),
        }),
      }),
      'Players. By default those online come first, then the most recently seen. In a search with up to 10,000 hits, names come before identifiers.',
      'Link',
    ),
    ...problems(404),
  },
});

const identifiersRoute = createRoute({
  ...at('get', '/players/identifiers', 'listPlayerIdentifiers'),
  tags: ['Players'],
  summary: 'All players of a list, by identifier',
  ...needs(['players:read'], 'At most 10,000: with more hits, 422.'),
  request: { query: filterQuery },
  responses: {
    200: json(
      z
        .object({ data: z.array(z.object({ serverId: z.string(), identifier: z.string() })), total: z.int() })
        .openapi('PlayerIdentifiers'),
      'Exactly the players whom the list counts at this moment, by server and identifier.',
    ),
    ...problems(404),
  },
});

const detailQuery = z.object({ serverId: plainText(63).optional() });

const detailRoute = createRoute({
  ...at('get', '/players/{identifier}', 'getPlayer'),
  tags: ['Players'],
  summary: 'One player: inventory, vehicles, account balances',
  ...needs(['players:read'], 'With Cache-Control: no-cache the bridge is asked for a fresh record first.'),
  request: {
    params: z.object({ identifier: z.string().openapi({ example: 'char1:5f3a9c' }) }),
    query: detailQuery,
  },
  responses: { 200: json(playerDetail, 'The player.'), ...problems(404) },
});

const removeQuery = z.strictObject({ serverId: plainText(63) });

const removeRoute = createRoute({
  ...at('delete', '/players/{identifier}', 'deletePlayer'),
  tags: ['Players'],
  summary: 'Delete the record of a player, and end what waits for them',
  ...needs(
    ['players:write'],
    'The identifier is their own one. If the game server still has the player, its next report makes a new record.',
  ),
  request: {
    params: z.object({ identifier: z.string().openapi({ example: 'char1:5f3a9c' }) }),
    query: removeQuery,
  },
  responses: { 204: { description: 'Deleted.' }, ...problems(404, 413, 415) },
});

/** @throws HubError invalid_request */
const assertAccount = ({
  account,
  minBalance,
  maxBalance,
  sort,
}: z.infer<typeof filterQuery> & { sort?: string | undefined }): void => {
  const isNeeded = minBalance !== undefined || maxBalance !== undefined || sort === 'balance';
  if (isNeeded && account === undefined) throw invalidField('/account', 'a balance needs the account that it is of');
  if (minBalance !== undefined && maxBalance !== undefined && minBalance > maxBalance) {
    throw invalidField('/maxBalance', 'must be at least minBalance');
  }
};

/** Labels of jobs, by server. */
type Labels = ReadonlyMap<string, JobLabels>;

const jobOf = (row: PlayerListRow, labels: Labels): z.infer<typeof playerSummary>['job'] => {
  const { jobName: name, jobLabel, jobGrade: grade, serverId } = row;
  if (name === null) return null;
  const known = labels.get(serverId)?.get(name);
  const gradeLabel = grade === null ? undefined : known?.grades.get(grade);
  return { name, label: jobLabel ?? known?.label ?? name, grade, gradeLabel: gradeLabel ?? null };
};

const summaryOf = (row: PlayerListRow, labels: Labels): z.infer<typeof playerSummary> => ({
  identifier: row.identifier,
  name: row.name,
  serverId: row.serverId,
  online: row.online,
  identifiers: row.identifiers,
  accounts: row.accounts,
  job: jobOf(row, labels),
  group: row.groupName,
  playedMinutes: row.playedMinutes,
  gameId: row.online ? row.gameId : null,
  firstSeenAt: isoTime(row.firstSeenAt),
  lastSeenAt: isoTime(row.lastSeenAt),
});

const detailOf = ({ player: row, alsoOn, alsoKnown }: FoundPlayer, labels: Labels): z.infer<typeof playerDetail> => ({
  ...summaryOf(row, labels),
  inventory: row.inventory,
  vehicles: row.vehicles,
  metadata: row.metadata,
  syncedAt: isoTime(row.syncedAt),
  goneAt: optionalTime(row.goneAt),
  alsoOn,
  alsoKnown,
});

const nextLink = (url: string, cursor: string): string => {
  const { pathname, searchParams } = new URL(url, 'http://hub');
  searchParams.delete('offset');
  searchParams.set('cursor', cursor);
  return `<${pathname}?${searchParams}>; rel="next"`;
};

/** Players, as bridges reported them. */
export const playerRoutes = ({ players, store, catalogues }: RestDeps) => {
  /** Bridges send no labels of grades, and some send none of jobs. */
  const labelsOf = async (rows: readonly PlayerListRow[]): Promise<Labels> => {
    const employed = rows.filter(({ jobName }) => jobName !== null);
    const servers = new Map(employed.map(({ serverId, projectId }) => [serverId, projectId]));
    const read = async ([serverId, projectId]: [string, string]) =>
      [serverId, await catalogues.jobLabels({ projectId, serverId })] as const;
    return new Map(await Promise.all([...servers].map(read)));
  };

  return new OpenAPIHono<RestEnv>({ defaultHook: validationHook })
    .openapi(listRoute, async (c) => {
      const { principal } = c.var;
      const { limit, offset, serverId, ...wanted } = c.req.valid('query');
      const { cursor } = wanted;
      noteIgnored(c, listQuery);
      assertAccount(wanted);
      if (serverId !== undefined) await serverOf(store, principal, serverId);
      if (cursor !== undefined && offset > 0) throw invalidField('/offset', 'use either offset or cursor');
      const servers = serverId === undefined ? principal.servers : [serverId];
      const page = await players.list({
        projectId: principal.project.id,
        limit,
        offset,
        ...sentFields({ ...wanted, servers }),
      });
      const labels = await labelsOf(page.rows);
      if (page.next !== null) c.header('Link', nextLink(c.req.url, page.next));
      const bound = page.totalIsLowerBound ? { totalIsLowerBound: true as const } : {};
      return c.json(
        {
          data: page.rows.map((row) => summaryOf(row, labels)),
          pagination: { limit, offset, total: page.total, ...bound, next: page.next },
        },
        200,
      );
    })
    .openapi(identifiersRoute, async (c) => {
      const { principal } = c.var;
      const { serverId, ...wanted } = c.req.valid('query');
      noteIgnored(c, filterQuery);
      assertAccount(wanted);
      if (serverId !== undefined) await serverOf(store, principal, serverId);
      const servers = serverId === undefined ? principal.servers : [serverId];
      const projectId = principal.project.id;
      const data = await players.keys({ projectId, ...sentFields({ ...wanted, servers }) });
      if (data === undefined) {
        throw invalidField('/search', 'over 10,000 players match, and an answer has no more: add a filter');
      }
      return c.json({ data, total: data.length }, 200);
    })
    .openapi(detailRoute, async (c) => {
      const { principal } = c.var;
      const { identifier } = c.req.valid('param');
      const { serverId } = c.req.valid('query');
      noteIgnored(c, detailQuery);
      if (serverId !== undefined) await serverOf(store, principal, serverId);
      if (!IDENTIFIER_PATTERN.test(identifier)) throw new HubError('player_not_found');
      const isFresh = /\bno-cache\b/i.test(c.req.header('cache-control') ?? '');
      const servers = serverId === undefined ? principal.servers : [serverId];
      const found = await (isFresh ? players.findFresh : players.find)({
        projectId: principal.project.id,
        identifier,
        ...sentFields({ servers }),
      });
      return c.json(detailOf(found, await labelsOf([found.player])), 200);
    })
    .openapi(removeRoute, async (c) => {
      const { principal } = c.var;
      const { identifier } = c.req.valid('param');
      const { serverId } = c.req.valid('query');
      await serverOf(store, principal, serverId);
      if (!IDENTIFIER_PATTERN.test(identifier)) throw new HubError('player_not_found');
      await players.remove({ projectId: principal.project.id, serverId, identifier });
      return c.body(null, 204);
    });
};
