import { sql } from 'drizzle-orm';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { GrantRequest } from '../../../db/database.ts';
import { DatabaseError } from '../../../db/errors.ts';
import { postgresColumns } from '../../../db/schema/columns.ts';
import { createSharedRateLimit } from '../../../server/auth/limits.ts';
import { Background } from '../../../server/platform/background.ts';
import { engines, newServerDatabase, projectOf, serverUrl, useStore } from '../../kit/databases.ts';
import { startHub } from '../../kit/hub.ts';
import { silentLog } from '../../kit/silent-log.ts';

const LIMIT = 100;
const rateLimits = postgresColumns.table('rate_limits', { buckets: postgresColumns.json('buckets') });
const background = new Background(silentLog());

describe.each(engines.filter(({ name }) => name !== 'SQLite'))(
  'the project limit of three nodes on $name',
  ({ open }) => {
    const db = useStore(open);

    /** Nodes on one database, and the statements that they cost. */
    const startNodes = async (count = 3) => {
      await db.store.projects.create(projectOf('p'));
      const asked: GrantRequest[] = [];
      const nodes = Array.from({ length: count }, () =>
        createSharedRateLimit({
          background,
          grant: (request) => {
            asked.push(request);
            return db.database.grant?.(request) ?? Promise.reject(new Error('It counts nothing.'));
          },
        }),
      );
      const askAll = async (times: number, limit = LIMIT): Promise<number> => {
        const all = Array.from({ length: times }, (_, n) => nodes[n % count]?.admit('p', limit));
        return (await Promise.all(all)).filter((admission) => admission?.admitted === true).length;
      };
      return { nodes, asked, askAll };
    };

    /** As if so much time had passed. */
    const pass = async (ms: number): Promise<void> => {
      const earlier = sql`(select jsonb_object_agg(key::bigint - ${sql.raw(String(ms))}, value) from jsonb_each(buckets))`;
      await db.database.commit(() => db.database.handle.update(rateLimits).set({ buckets: earlier }));
    };

    it('lets exactly the limit in, however many ask at the same time, and no other project pays', async () => {
      const { askAll } = await startNodes();
      expect(await askAll(300)).toBe(LIMIT);
      expect(await askAll(30)).toBe(0);
      await db.store.projects.create(projectOf('q'));
      expect(await db.database.grant?.({ projectId: 'q', limit: 3, want: 2 })).toMatchObject({ granted: 2, free: 1 });
    });

    it('admits no request before 60 s are over, and all of them after 61', async () => {
      const { askAll } = await startNodes();
      await askAll(LIMIT);
      await pass(58_000);
      expect(await (await startNodes()).askAll(3)).toBe(0);
      await pass(3_000);
      expect(await (await startNodes()).askAll(300)).toBe(LIMIT);
    });

    it('is asked only once by a refused node, until requests leave the window', async () => {
      const { nodes, asked, askAll } = await startNodes(1);
      expect(await askAll(LIMIT + 1)).toBe(LIMIT);
      const before = asked.length;
      expect(await askAll(50)).toBe(0);
      expect(asked).toHaveLength(before);
      const refused = await nodes[0]?.admit('p', LIMIT);
      expect(refused).toMatchObject({ admitted: false, remaining: 0, limit: LIMIT });
      expect(refused?.resetMs).toBeGreaterThan(55_000);
      expect(refused?.resetMs).toBeLessThanOrEqual(61_000);
      expect(await askAll(1, LIMIT + 1)).toBe(1);
    });

    it('costs a statement for many requests where it is high, and is still never passed', async () => {
      const { asked, askAll } = await startNodes();
      const limit = 20_000;
      let admitted = 0;
      for (let round = 0; round < 90; round += 1) admitted += await askAll(300, limit);
      expect(admitted).toBeLessThanOrEqual(limit);
      expect(admitted).toBeGreaterThan(limit * 0.97);
      expect(asked.length).toBeLessThan(600);
    });

    it('tells how much is left, request by request', async () => {
      const { nodes } = await startNodes(1);
      for (let left = LIMIT - 1; left > LIMIT - 5; left -= 1) {
        expect(await nodes[0]?.admit('p', LIMIT)).toMatchObject({ admitted: true, remaining: left });
        expect(nodes[0]?.peek('p', LIMIT)).toMatchObject({ remaining: left });
      }
    });
  },
);

describe('the project limit while the database is gone', () => {
  it('is counted by each node alone', async () => {
    const gone = new DatabaseError('unavailable', 'It is gone.');
    const node = createSharedRateLimit({ background, grant: () => Promise.reject(gone) });
    const all = await Promise.all(Array.from({ length: 105 }, () => node.admit('p', LIMIT)));
    expect(all.filter(({ admitted }) => admitted)).toHaveLength(LIMIT);
  });

  it('is no reason to hide a defect', async () => {
    const node = createSharedRateLimit({ background, grant: () => Promise.reject(new Error('a defect')) });
    await expect(node.admit('p', LIMIT)).rejects.toThrow('a defect');
  });
});

describe.skipIf(serverUrl === undefined)('three hubs on one PostgreSQL server', () => {
  it('let exactly 100 of 150 requests in together', async () => {
    const { url, drop } = await newServerDatabase(serverUrl ?? '');
    const env = { DATABASE_URL: url };
    const hubs = [await startHub({ env, rateLimit: LIMIT }), await startHub({ env }), await startHub({ env })];
    onTestFinished(async () => {
      for (const hub of hubs) await hub.stop();
      await drop();
    });
    const answers = await Promise.all(
      Array.from({ length: 150 }, (_, n) => hubs[n % hubs.length]?.request('/api/v2/project')),
    );
    const statuses = answers.map((answer) => answer?.status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(LIMIT);
    expect(statuses.filter((status) => status === 429)).toHaveLength(50);
  });
});
