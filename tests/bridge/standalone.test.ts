import { describe, expect, it, onTestFinished } from 'vitest';
import { startGame } from '../fxserver/game.ts';
import { startHub } from '../kit/hub.ts';
import { eventually } from '../kit/stage.ts';

const LICENSE = 'license:a11a';

/** A game server with nothing in it but the resource, and one player. */
const open = async () => {
  const hub = await startHub();
  const game = await startGame({ url: hub.bridgeUrl, token: hub.token });
  onTestFinished(async () => {
    await game.server.stop('causeway');
    await eventually(() => hub.sizes().sessions).toBe(0);
    game.server.crash();
    await game.mysql.close();
  });
  await game.server.stop('oxmysql');
  await eventually(() => game.server.lines.at(-1)).toContain('connected to the hub');
  const source = game.server.join('Ana', [LICENSE, 'ip:10.0.0.1']);
  const players = async () =>
    (await hub.request('/api/v2/players')).body['data'] as { identifier: string; online: boolean }[];
  await eventually(players).toMatchObject([{ identifier: LICENSE, online: true }]);
  return { hub, server: game.server, source, players };
};

describe('a server without a framework', () => {
  it('shows connected players without their address, and needs no database', async () => {
    const { hub, source } = await open();
    const { body } = await hub.request(`/api/v2/players/${LICENSE}`, { headers: { 'Cache-Control': 'no-cache' } });
    expect(body).toMatchObject({ gameId: Number(source), metadata: {} });
    expect(body).toMatchObject({ name: 'Ana', online: true, identifiers: [LICENSE], accounts: {}, inventory: [] });
    expect((await hub.request('/api/v2/servers/main')).body['bridge']).not.toHaveProperty('database');
  });

  it('throws out, and moves no money', async () => {
    const { hub, server, players } = await open();
    const order = { target: LICENSE, type: 'bank', amount: 1, action: 'add' };
    const paid = await hub.request('/api/v2/bridge/main/money', { json: order, headers: { 'Idempotency-Key': 'one' } });
    expect(paid.body).toMatchObject({ code: 'unsupported', executed: 'no' });
    const kicked = await hub.request('/api/v2/bridge/main/kick', { json: { target: LICENSE, reason: 'test' } });
    expect(kicked).toMatchObject({ status: 200, body: { result: { kicked: true, said: 'test' } } });
    await eventually(players).toMatchObject([{ online: false }]);
    expect(server.players.all()).toEqual([]);
    expect(server.errors).toEqual([]);
  });
});
