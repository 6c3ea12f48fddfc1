import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import { type Database, ping } from '../../../db/database.ts';
import { DatabaseError } from '../../../db/errors.ts';
import type { Principal } from '../../auth/credentials.ts';
import type { SessionView } from '../../cluster/router.ts';
import { sentFields } from '../../platform/fields.ts';
import { inTime } from '../../platform/time.ts';
import { validationHook } from '../answer.ts';
import { needs } from '../middleware.ts';
import type { RestDeps, RestEnv } from '../request.ts';
import { at, instant, json, noteIgnored, problemSchema, problems } from '../schemas.ts';

const check = z.enum(['pass', 'warn', 'fail']);

const healthSchema = z
  .object({
    status: check,
    api: z.object({ status: check, version: z.string(), uptimeSeconds: z.int(), node: z.string() }),
    databases: z.array(
      z.object({
        name: z.string().openapi({ example: 'hub' }),
        engine: z.string().openapi({ example: 'sqlite' }),
        status: check,
        latencyMs: z.number().nullable(),
        reportedAt: instant.optional(),
      }),
    ),
    bus: z.object({ engine: z.string(), status: check }),
    bridges: z.object({ connected: z.int(), total: z.int() }),
    backup: z
      .object({
        status: z.enum(['pass', 'warn']),
        lastGoodAt: instant.nullable().openapi({ description: 'When the last good backup was made; null: none yet.' }),
        detail: z.string().nullable().openapi({ description: 'What is wrong, and the action to take.' }),
      })
      .optional()
      .openapi({ description: 'The regular backups of this hub; absent without BACKUP_FOLDER.' }),
  })
  .openapi('Health');

/** Health has no parameters; unknown ones are ignored. */
const healthQuery = z.object({});

const healthRoute = createRoute({
  ...at('get', '/health', 'getHealth'),
  tags: ['Health'],
  summary: 'Status of the API and of its database connections',
  ...needs([]),
  request: { query: healthQuery },
  responses: {
    200: json(healthSchema, 'Usable. warn: a bridge or a game database is down, or a backup failed.'),
    ...problems(),
    503: {
      description:
        'The hub’s own database is down, or takes no writes. A problem, if that kept the key from being looked up.',
      content: { 'application/json': { schema: healthSchema }, 'application/problem+json': { schema: problemSchema } },
    },
  },
});

/** Deadline of each step; a hanging database is reported within three of them. */
const DEADLINE_MS = 2_000;

const withDeadline = <T>(work: Promise<T>): Promise<T | undefined> => inTime(work, DEADLINE_MS);

const round = (ms: number): number => Math.round(ms * 100) / 100;

const shown = (name: string, engine: string, latencyMs: number | undefined, isUsable = latencyMs !== undefined) => ({
  name,
  engine,
  status: isUsable ? ('pass' as const) : ('fail' as const),
  latencyMs: latencyMs === undefined ? null : round(latencyMs),
});

/** On a full disk a small write may succeed between two that fail: it proves nothing for this long. */
const FULL_MS = 5_000;

/** Wraps a database and notes whether its last write failed: on a full disk, reads still work. */
export const watchWrites = (database: Database, { now = () => performance.now() }: { now?: () => number } = {}) => {
  let isFailing = false;
  let fullAt = Number.NEGATIVE_INFINITY;
  const succeeded = <T>(value: T): T => {
    if (now() - fullAt >= FULL_MS) isFailing = false;
    return value;
  };
  const failed = (error: unknown): never => {
    if (error instanceof DatabaseError && error.code === 'unavailable') {
      isFailing = true;
      if (error.isFull) fullAt = now();
    }
    throw error;
  };
  const commit: Database['commit'] = (work, options) => database.commit(work, options).then(succeeded, failed);
  const together: Database['together'] = (...all) => database.together(...all).then(succeeded, failed);
  return { database: { ...database, commit, together }, areWritesFailing: (): boolean => isFailing };
};

const NOTHING = { rows: [], views: new Map<string, SessionView>() };

/** Health of the API, of the hub's database and of the game servers' databases. */
export const healthRoutes = (deps: RestDeps) => {
  const { store, database, areWritesFailing, router, config, version, startedAt, phase, backups } = deps;

  /** After a failed write, tries another one. */
  const canWrite = async (keyId: string): Promise<boolean> => {
    if (!areWritesFailing()) return true;
    const written = store.apiKeys.touch([{ id: keyId, at: Date.now() }]).then(() => true);
    return (await withDeadline(written)) === true && !areWritesFailing();
  };

  /** The servers of a project and their sessions; undefined from a database that does not answer in time. */
  const readAll = ({ project }: Principal) =>
    withDeadline(
      (async () => {
        const rows = await store.servers.list(project.id);
        const ids = rows.map(({ id }) => id);
        return { rows, views: await router.views(project.id, ids) };
      })(),
    );

  return new OpenAPIHono<RestEnv>({ defaultHook: validationHook }).openapi(healthRoute, async (c) => {
    noteIgnored(c, healthQuery);
    const { key, servers: allowed } = c.var.principal;
    const latencyMs = await withDeadline(ping(database));
    const [canBeWritten, read] =
      latencyMs === undefined ? [] : await Promise.all([canWrite(key.id), readAll(c.var.principal)]);
    const isUsable = canBeWritten === true && read !== undefined;
    const { rows, views } = read ?? NOTHING;
    const visible = rows.filter((row) => !row.disabled && (allowed === undefined || allowed.includes(row.id)));
    const ids = visible.map(({ id }) => id);
    const sessions = ids.map((id) => ({ id, session: views.get(id) }));
    const games = sessions.flatMap(({ id, session }) => {
      const reported = session?.state.database;
      if (session === undefined || reported === undefined) return [];
      return {
        name: `game:${id}`,
        engine: reported.engine,
        status: reported.status,
        latencyMs: reported.latencyMs ?? null,
        reportedAt: new Date(session.state.reportedAt).toISOString(),
      };
    });
    const backup = backups?.health();
    const connected = sessions.filter(({ session }) => session !== undefined).length;
    const isComplete =
      connected === visible.length && games.every((game) => game.status === 'pass') && backup?.status !== 'warn';
    const bus = { engine: router.engine, status: router.isUp() ? ('pass' as const) : ('fail' as const) };
    const isWhole = isComplete && !phase.isLeaving && bus.status === 'pass';
    const status = !isUsable ? 'fail' : isWhole ? 'pass' : 'warn';
    const hub = shown('hub', database.engine, latencyMs, isUsable);
    const uptimeSeconds = Math.floor((Date.now() - startedAt) / 1000);
    return c.json(
      {
        status,
        api: {
          status: phase.isLeaving ? ('warn' as const) : ('pass' as const),
          version,
          uptimeSeconds,
          node: config.NODE_NAME,
        },
        databases: [hub, ...games],
        bus,
        bridges: { connected, total: visible.length },
        ...sentFields({ backup }),
      },
      status === 'fail' ? 503 : 200,
    );
  });
};
