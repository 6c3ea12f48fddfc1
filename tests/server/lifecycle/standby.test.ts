import { describe, expect, it, onTestFinished } from 'vitest';
import { playerOf, runOn } from '../../testkit/databases.ts';
import { startHub } from '../../testkit/hub.ts';
import { hasPostgres, startPostgres, startStandby } from '../../testkit/postgres-server.ts';

const ANA = 'char1:ana';

type Listed = { name: string; status: string; latencyMs: number | null; lagMs?: number | null };

/** A hub on a PostgreSQL server, with a hot standby to read players from. */
const openBoth = async () => {
  const primary = await startPostgres();
  onTestFinished(primary.dispose);
  const standby = await startStandby(primary);
  onTestFinished(standby.dispose);
  // Replication must finish first: the hub refuses the standby until it has the tables.
  const first = await startHub({ env: { DATABASE_URL: primary.url } });
  await first.stop();
  const [end] = await runOn(primary.url, 'SELECT pg_current_wal_lsn()::text AS position');
  const arrived = `SELECT pg_last_wal_replay_lsn() >= '${end?.['position']}' AS arrived`;
  await expect.poll(() => runOn(standby.url, arrived), { timeout: 10_000 }).toEqual([{ arrived: true }]);
  const hub = await startHub({ env: { DATABASE_URL: primary.url, DATABASE_READ_URL: standby.url } });
  const rename = (name: string) =>
    hub.store.players.upsert(hub.project.id, 'main', [playerOf(ANA, { name, online: false })], Date.now());
  const nameOf = async () => (await hub.request(`/api/v2/players/${ANA}`)).body['name'];
  const replica = async () => {
    const { body } = await hub.request('/api/v2/health');
    return (body['databases'] as Listed[]).find(({ name }) => name === 'hub:read');
  };
  return { standby, rename, nameOf, replica };
};

describe.runIf(hasPostgres)('a hub with a hot standby', () => {
  it('reads players there, tells how far it is behind, and reads at home while it is away', async () => {
    const { standby, rename, nameOf, replica } = await openBoth();
    await rename('as it was');
    await expect.poll(nameOf).toBe('as it was');
    await expect.poll(replica).toMatchObject({ status: 'pass', lagMs: 0 });

    await runOn(standby.url, 'SELECT pg_wal_replay_pause()');
    await rename('as it is');
    expect(await nameOf()).toBe('as it was');
    const behind = (await replica())?.lagMs ?? 0;
    expect(behind).toBeGreaterThan(0);
    await expect.poll(async () => (await replica())?.lagMs).toBeGreaterThan(behind);
    await runOn(standby.url, 'SELECT pg_wal_replay_resume()');
    await expect.poll(nameOf).toBe('as it is');

    await standby.stop('immediate');
    await rename('as it is now');
    expect(await nameOf()).toBe('as it is now');
    expect(await replica()).toMatchObject({ status: 'fail', latencyMs: null, lagMs: null });
    await standby.start();
    await expect.poll(replica, { timeout: 10_000 }).toMatchObject({ status: 'pass', lagMs: 0 });
  }, 60_000);
});
