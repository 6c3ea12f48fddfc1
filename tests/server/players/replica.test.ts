import { describe, expect, it, onTestFinished } from 'vitest';
import { newServerDatabase, playerOf, runOn, serverUrl } from '../../testkit/databases.ts';
import { createEconomy, startGameServer } from '../../testkit/game-server.ts';
import { startHub } from '../../testkit/hub.ts';
import { newFolder } from '../../testkit/stage.ts';

const ANA = 'char1:ana';

/** A database with Ana in it, and a copy of it that nothing is written to any more. */
const openBoth = async () => {
  const server = serverUrl ?? '';
  const { url, drop } = await newServerDatabase(server);
  const first = await startHub({ env: { DATABASE_URL: url } });
  const player = playerOf(ANA, { name: 'as it was', online: false });
  await first.store.players.upsert(first.project.id, 'main', [player], 1_000);
  await first.stop();
  const name = new URL(url).pathname.slice(1);
  await runOn(server, `CREATE DATABASE ${name}_read TEMPLATE ${name}`);
  const readUrl = new URL(url);
  readUrl.pathname = `/${name}_read`;
  const dropReplica = () => runOn(server, `DROP DATABASE IF EXISTS ${name}_read WITH (FORCE)`);
  onTestFinished(async () => {
    await dropReplica();
    await drop();
  });
  const hub = await startHub({ env: { DATABASE_URL: url, DATABASE_READ_URL: readUrl.href } });
  const token = await hub.newServer('second');
  onTestFinished(hub.stop);
  return { hub, token, key: first.key, dropReplica };
};

describe.skipIf(serverUrl === undefined)('a hub with a replica', () => {
  it('reads players from the replica, and recent writes from the primary', async () => {
    const { hub } = await openBoth();
    const player = playerOf(ANA, { name: 'as it is', online: false });
    await hub.store.players.upsert(hub.project.id, 'main', [player], 2_000);
    const list = await hub.request('/api/v2/players?search=as+it');
    expect(list.body['data']).toMatchObject([{ name: 'as it was' }]);
    expect((await hub.request(`/api/v2/players/${ANA}`)).body).toMatchObject({ name: 'as it was' });
    const fresh = { headers: { 'Cache-Control': 'no-cache' } };
    expect((await hub.request(`/api/v2/players/${ANA}`, fresh)).body).toMatchObject({ name: 'as it is' });
  });

  it('shows it in its health, and reads players at home when it is gone', async () => {
    const { hub, token, dropReplica } = await openBoth();
    startGameServer({
      url: () => hub.bridgeUrl,
      token,
      folder: await newFolder(),
      economy: createEconomy({ [ANA]: 5 }),
    });
    const health = async () => (await hub.request('/api/v2/health')).body;
    expect((await health())['databases']).toMatchObject([
      { name: 'hub' },
      { name: 'hub:read', status: 'pass', lagMs: null },
    ]);
    await expect.poll(async () => (await hub.request('/api/v2/project')).body['totals']).toMatchObject({ players: 2 });
    expect((await hub.request('/api/v2/players')).body['data']).toHaveLength(1);
    await dropReplica();
    expect((await hub.request('/api/v2/players')).body['data']).toHaveLength(2);
    expect(await health()).toMatchObject({
      status: 'warn',
      databases: [
        { name: 'hub', status: 'pass' },
        { name: 'hub:read', status: 'fail', latencyMs: null },
      ],
    });
  });
});
