import { describe, expect, it, onTestFinished } from 'vitest';
import { type GameOptions, startGame } from '../fxserver/game.ts';
import { createMysql } from '../fxserver/mysql.ts';
import { createFakeHub, serveFakeHub, until } from '../kit/fake-hub.ts';
import { eventually } from '../kit/stage.ts';
import { ESX, OX, QBCORE, RSG, WORLDS, type World } from './frameworks.ts';

/** A game server whose bridge talks to an imitated hub, which keeps all frames. */
const open = async (framework?: World, prepare: (mysql: ReturnType<typeof createMysql>) => void = () => undefined) => {
  const hub = createFakeHub();
  const { url } = await serveFakeHub(hub, onTestFinished);
  const mysql = createMysql();
  prepare(mysql);
  const options: GameOptions = { url, token: 'token', mysql, ...(framework === undefined ? {} : { framework }) };
  const game = await startGame(options);
  onTestFinished(async () => {
    await game.server.stop('causeway');
    game.server.crash();
    await mysql.close();
  });
  const socket = await hub.socket(0);
  return {
    ...game,
    socket,
    /** The last part of a snapshot with this revision, or of a later one. */
    lastPart: (revision = 1) =>
      until(() => socket.of('players.snapshot').find((part) => part.last && part.revision >= revision)),
    removed: (): string[] => socket.of('players.changed').flatMap(({ removed }) => removed),
  };
};

describe('a snapshot', () => {
  it.each(WORLDS)('of $name has every player of the game, and says so', async (world) => {
    const { lastPart, socket, mysql } = await open(world);
    expect(await lastPart()).toMatchObject({ complete: true });
    const all = socket.of('players.snapshot').flatMap(({ players }) => players.map(({ identifier }) => identifier));
    expect(all.sort()).toEqual([world.ana, world.bo, world.cy].sort());
    socket.send({ type: 'players.read', id: 'read', identifier: world.nobody });
    expect((await socket.hears('players.record')).error).toMatchObject({ code: 'player_not_found' });
    await mysql.quiet();
  });

  it('without a framework knows the connected players only', async () => {
    const { lastPart, socket } = await open();
    expect(await lastPart()).not.toHaveProperty('complete');
    socket.send({ type: 'players.read', id: 'read', identifier: 'license:a' });
    expect((await socket.hears('players.record')).error?.code).not.toBe('player_not_found');
  });

  it('that leaves a row out does not say that it is complete, nor does a read of that row', async () => {
    const odd: World = {
      ...ESX,
      rows: `${ESX.rows} INSERT IGNORE INTO users (identifier, accounts) VALUES ('x y', '{}');`,
    };
    const { lastPart } = await open(odd);
    expect(await lastPart()).not.toHaveProperty('complete');
  });
});

describe('a deleted character', () => {
  it('of ox_core is reported once its row says so', async () => {
    const { server, mysql, lastPart, removed } = await open(OX);
    await lastPart();
    server.emit('ox:deletedCharacter', '', 1, 2, 2);
    await mysql.run('UPDATE characters SET deleted = ? WHERE stateId = ?', ['2026-11-27', OX.cy]);
    server.emit('ox:deletedCharacter', '', 1, 3, 3);
    await eventually(removed).toEqual([OX.cy]);
  });

  it.each([
    { world: QBCORE, event: 'qb-log:server:CreateLog' },
    { world: RSG, event: 'rsg-log:server:CreateLog' },
  ])(
    'of $world.name is reported once its row is gone, whatever the player calls themselves',
    async ({ world, event }) => {
      const { server, mysql, lastPart, removed } = await open(world);
      await lastPart();
      const log = (title: string, text: string): void => server.emit(event, '', 'joinleave', title, 'red', text);
      const own = (name: string, citizenid: string): string => `**${name}** license:x deleted **${citizenid}**..`;
      log('Character Deleted', own('Bo', world.bo));
      await mysql.run('DELETE FROM players WHERE citizenid = ?', [world.cy]);
      log('Character Deleted', own(`** deleted **${world.bo}**..`, world.cy));
      await eventually(removed).toEqual([world.cy]);
      await mysql.run('DELETE FROM players WHERE citizenid = ?', [world.bo]);
      log('Character Force Deleted', `Character **${world.bo}** got deleted`);
      await eventually(removed).toEqual([world.cy, world.bo]);
    },
  );
});
