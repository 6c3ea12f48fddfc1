import type { Launcher } from '../../conformance/launcher.ts';
import { startGame } from '../fxserver/game.ts';
import { createKvp } from '../fxserver/kvp.ts';
import { createMysql } from '../fxserver/mysql.ts';
import type { World } from './frameworks.ts';

/** A resource with a command of its own. */
const GREETER = `exports.causeway:registerCommand('greet', {
  properties = { name = { type = 'string' } }, required = { 'name' }, additionalProperties = false,
}, function(params) return { text = 'Hello, ' .. params.name } end)`;

/**
 * A game server that can be killed without a process: its framework's memory and what was not flushed are lost, tables
 * and stored values stay.
 */
export const launchWorld = (world: World, { speed = 1 } = {}) => {
  const mysql = createMysql();
  const kvp = createKvp();
  let game: ReturnType<typeof startGame> | undefined;

  const begin = async (at: { url: string; token: string }) => {
    const started = await startGame({ framework: world, mysql, kvp, speed, ...at });
    await started.server.start({ name: 'greeter', lua: [{ name: 'server.lua', code: GREETER }] });
    for (const who of [world.ana, world.bo]) await started.join(who, { identifiers: world.licenses[who] ?? [] });
    return started;
  };
  const launcher: Launcher = {
    start: (at) => {
      game = begin(at);
    },
    kill: async (signal) => {
      const dying = await game;
      game = undefined;
      if (signal === 'SIGTERM') await dying?.server.stop('causeway');
      dying?.server.crash();
    },
    ended: () => undefined,
    tail: () => '',
  };
  return { launcher, mysql, game: () => game };
};
