import { appendFileSync, cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeMod } from '../../bridge-luanti/build.ts';
import { freePort } from '../kit/free-port.ts';
import { createVictim } from '../kit/processes.ts';
import { until } from '../kit/until.ts';

/** The program itself: the command of the same name on the PATH is a shell script that starts it. */
export const SERVER_PROGRAM = '/usr/lib/minetest/minetestserver';

const WORLD = `gameid = minetest_game
backend = sqlite3
player_backend = sqlite3
auth_backend = sqlite3
mod_storage_backend = sqlite3
`;

export type WorldOptions = {
  folder: string;
  /** Settings of minetest.conf. */
  settings?: Record<string, string>;
  /** Mods of Debian's packages that this world loads. */
  mods?: readonly string[];
  withBridge?: boolean;
  isTrusted?: boolean;
};

export type ServerOptions = WorldOptions & {
  env?: Record<string, string>;
  /** A program that starts the server, with its arguments. */
  under?: readonly string[];
};

const lines = (settings: Record<string, string>): string =>
  Object.entries(settings)
    .map(([name, value]) => `${name} = ${value}\n`)
    .join('');

/** Writes a world with the mod, and returns the arguments of a server for it. */
export const writeWorld = async (options: WorldOptions): Promise<{ args: string[]; port: number; world: string }> => {
  const { folder, settings = {}, mods = [], withBridge = true, isTrusted = true } = options;
  const world = join(folder, 'world');
  mkdirSync(join(world, 'worldmods'), { recursive: true });
  writeFileSync(
    join(world, 'world.mt'),
    WORLD + lines(Object.fromEntries(mods.map((mod) => [`load_mod_${mod}`, 'true']))),
  );
  cpSync(join(import.meta.dirname, 'mods'), join(world, 'worldmods'), { recursive: true });
  rmSync(join(world, 'worldmods/causeway'), { recursive: true, force: true });
  if (withBridge) writeMod(join(world, 'worldmods/causeway'));
  const port = await freePort();
  const config = join(folder, 'minetest.conf');
  writeFileSync(
    config,
    lines({
      bind_address: '127.0.0.1',
      server_announce: 'false',
      mg_name: 'singlenode',
      server_map_save_interval: '1',
      ...(isTrusted && { 'secure.trusted_mods': 'causeway' }),
      ...settings,
    }),
  );
  return { args: ['--world', world, '--config', config, '--port', String(port)], port, world };
};

/** A server for a world. Its log is read line by line; `said` are the lines that the witness wrote. */
export const createServer = async (options: ServerOptions) => {
  const { args, port, world } = await writeWorld(options);
  const log: string[] = [];
  const [program = SERVER_PROGRAM, ...words] = [...(options.under ?? []), SERVER_PROGRAM];
  const wishes = join(world, 'wishes.lua');
  let asked = 0;
  /** The difference between the clock of this process and that of the game. */
  let offsetMs = Number.POSITIVE_INFINITY;
  const hear = (line: string): void => {
    log.push(line);
    const [, us] = /WITNESS (?:start|join|leave) \[.*?"(\d+)"\]$/.exec(line) ?? [];
    // A line arrives late and never early, so the smallest difference is the best.
    if (us !== undefined) offsetMs = Math.min(offsetMs, performance.now() - Number(us) / 1_000);
  };
  const victim = createVictim(
    [...words, ...args],
    { HOME: options.folder, ...options.env },
    {
      program,
      hear,
    },
  );

  const told = (kind: string): unknown[][] =>
    log.flatMap((line) => {
      const [, found, json = '[]'] = /WITNESS (\w+) (.*)$/.exec(line) ?? [];
      return found === kind ? [JSON.parse(json) as unknown[]] : [];
    });

  // The last line of the engine's main thread. Its handler of signals writes to the log, too: one that comes in the
  // middle of a line of this thread waits forever for the thread that it has interrupted.
  const isUp = (): boolean => log.some((line) => / listening on /.test(line));

  return {
    ...victim,
    args,
    port,
    world,
    log,
    told,
    /** When the join callbacks of a player ran last, as `performance.now()` counts. */
    joinedAt: (name: string): number => {
      const [, us] = told('join').findLast(([who]) => who === name) ?? [];
      return Number(us) / 1_000 + offsetMs;
    },
    start: async (): Promise<void> => {
      log.length = 0;
      asked = 0;
      rmSync(wishes, { force: true });
      victim.start();
      await until(() => isUp() && told('start').length > 0, `the server starts; it said: ${victim.said()}`, {
        withinMs: 30_000,
      });
    },
    /** Ends it as an operator does. */
    stop: (): Promise<void> => victim.kill('SIGINT'),
    /** Runs Lua inside of the game and resolves with what it returns. */
    run: async (lua: string): Promise<unknown> => {
      asked += 1;
      const mine = asked;
      appendFileSync(wishes, `${lua}\n---\n`);
      const find = () => told('answer').find(([nth]) => nth === mine);
      await until(() => find() !== undefined, `the game answers ${lua}`, { withinMs: 30_000 });
      const [, ok, answer] = find() ?? [];
      if (ok !== true) throw new Error(`the game failed: ${String(answer)}`);
      return answer;
    },
  };
};
