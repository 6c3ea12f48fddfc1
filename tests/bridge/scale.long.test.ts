import { describe, expect, it } from 'vitest';
import { fill } from '../fxserver/game.ts';
import { createMysql } from '../fxserver/mysql.ts';
import { eventually } from '../kit/stage.ts';
import { createCrowd } from './crowd.ts';
import { ESX, QBCORE, type World } from './frameworks.ts';
import { openWorld } from './stage.ts';

const STORED = 60;
const PLAYING = 12;
/** Tests of every world. */
const OTHERS = 3;
const TICK_MS = 5;
const NEVER_MS = 1e9;

const openCrowd = async (world: World, options: Parameters<typeof openWorld>[1] = {}, stored = STORED) => {
  const mysql = createMysql();
  await fill(mysql, world);
  const crowd = createCrowd(world);
  await crowd.fill(mysql, stored);
  return { ...(await openWorld(world, { mysql, ...options })), crowd };
};
const total = async (hub: Awaited<ReturnType<typeof openWorld>>['hub']): Promise<unknown> =>
  ((await hub.request('/api/v2/players?limit=1')).body['pagination'] as { total: number }).total;

describe.each([ESX, QBCORE])('a snapshot over $name', (world) => {
  it('has all players of the tables, although each slice has time for one only', async () => {
    const { hub, mysql, server } = await openCrowd(world, { slowness: 1e6 });
    await eventually(() => total(hub)).toBe(STORED + OTHERS);
    const pages = mysql.statements().filter((sql) => sql.includes('ORDER BY'));
    expect(pages.length).toBeGreaterThanOrEqual(STORED);
    expect(server.errors).toEqual([]);
  });

  it('reads many players at once if the thread is fast, each page after the one before', async () => {
    const { hub, mysql } = await openCrowd(world, { slowness: 0 });
    await eventually(() => total(hub)).toBe(STORED + OTHERS);
    const statements = mysql.statements();
    const pages = statements.filter((sql) => sql.includes('ORDER BY'));
    expect(pages.length).toBeLessThan(STORED / 4);
    for (const page of pages) expect(page).toMatch(/WHERE (\w+) > \? ORDER BY \1 LIMIT \?$/);
    expect(statements.join()).not.toContain('OFFSET');
  });
});

describe.each([ESX, QBCORE])('a start with many online players of $name', (world) => {
  it('reads them in slices, and then has all of them', async () => {
    const slow = await openCrowd(world, { slowness: 1e6 }, PLAYING);
    const { crowd, join, mysql, recall, restartBridge, server } = slow;
    const players = Array.from({ length: PLAYING }, (_, nth) => crowd.identifier(nth));
    for (const player of players) await join(player);
    server.run(NEVER_MS);
    server.lines.splice(0);
    await restartBridge();
    let ticks = 0;
    for (; !server.lines.some((line) => line.includes('accounts:')); ticks += 1) {
      server.tick();
      await mysql.quiet();
    }
    expect(ticks).toBeGreaterThanOrEqual(players.length);
    server.run(TICK_MS);
    await eventually(async () => {
      const seen = await Promise.all(players.map(recall));
      return seen.filter((player) => player?.online === true).length;
    }).toBe(players.length);
  });
});

describe('a payday', () => {
  it('is read and told in a few slices, however many play', async () => {
    const { crowd, join, mysql, recall, server } = await openCrowd(ESX, { slowness: 0 });
    const players = Array.from({ length: 40 }, (_, nth) => crowd.identifier(nth));
    const sources: number[] = [];
    for (const player of players) sources.push(await join(player));
    const last = players.at(-1) ?? '';
    await eventually(async () => (await recall(last))?.online).toBe(true);
    mysql.statements();
    for (const source of sources) {
      for (let times = 0; times < 5; times += 1) {
        server.emit('fake:call', '', source, 'addAccountMoney', 'black_money', 10, 'wage');
      }
    }
    await eventually(async () => {
      const seen = await Promise.all(players.map(recall));
      return seen.filter((player) => player?.accounts['black_money'] === 50).length;
    }).toBe(players.length);
    expect(mysql.statements().length).toBeLessThan(players.length / 4);
  });
});
