import { setTimeout as pause } from 'node:timers/promises';
import type { Launcher } from '../../conformance/stage/launcher.ts';
import { startGame } from '../fxserver/game.ts';
import { createKvp } from '../fxserver/kvp.ts';
import { createMysql } from '../fxserver/mysql.ts';
import type { World } from './frameworks.ts';

/** A resource with a command of its own. */
const GREETER = `exports.causeway:registerCommand('greet', {
  properties = { name = { type = 'string' } }, required = { 'name' }, additionalProperties = false,
}, function(params) return { text = 'Hello, ' .. params.name } end)`;

/** How long txAdmin lets a server go on after it has said that it will stop it. */
const SHUTDOWN_MS = 5_000;
const STEP_MS = 50;
/** How long a statement is on its way at most: long enough to be killed in the middle of. */
const STATEMENT_MS = 4;

/**
 * A game server that can be killed without a process: its framework's memory and unflushed values are lost, tables
 * and stored values stay.
 */
export const launchWorld = (world: World, { speed = 1, players = [world.ana, world.bo] } = {}) => {
  const mysql = createMysql({ turn: () => pause(Math.random() * STATEMENT_MS) });
  const kvp = createKvp();
  let game: ReturnType<typeof startGame> | undefined;
  let framework = world;

  const begin = async (at: { url: string; token: string }) => {
    const started = await startGame({ framework, mysql, kvp, speed, ...at });
    // Some of its statements set rows that exist.
    framework = { ...world, rows: '' };
    await started.server.start({ name: 'greeter', lua: [{ name: 'server.lua', code: GREETER }] });
    for (const who of players) await started.join(who, { identifiers: world.licenses[who] ?? [] });
    return started;
  };
  const launcher: Launcher = {
    start: (at) => {
      game = begin(at);
    },
    kill: async (signal) => {
      const dying = await game;
      game = undefined;
      if (signal === 'SIGTERM') {
        dying?.server.emit('txAdmin:events:serverShuttingDown', '', { delay: SHUTDOWN_MS });
        // In steps: a busy machine gives the bridge fewer ticks in the same time.
        for (let step = 0; step < SHUTDOWN_MS; step += STEP_MS) await pause(STEP_MS / speed);
        await dying?.server.stop('causeway');
      }
      dying?.server.crash();
      mysql.crash();
    },
    ended: () => undefined,
    tail: () => '',
  };
  return { launcher, mysql, game: () => game };
};
