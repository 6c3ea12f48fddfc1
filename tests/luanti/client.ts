import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createVictim } from '../kit/processes.ts';
import { until } from '../kit/until.ts';
import { storedRecords } from './database.ts';

export const CLIENT_PROGRAM = '/usr/games/minetest';

/** The driver `null` draws nothing, so the client needs no screen; it is the one of the engine's own tests. */
const CONFIG = `video_driver = null
enable_sound = false
enable_minimap = false
enable_shaders = false
viewing_range = 10
fps_max = 10
fps_max_unfocused = 10
`;

/** A real client without a screen, which joins a server as this player. */
export const createClient = ({ folder, port, name }: { folder: string; port: number; name: string }) => {
  const home = join(folder, `client-${name}`);
  mkdirSync(home, { recursive: true });
  const config = join(home, 'client.conf');
  writeFileSync(config, CONFIG);
  const args = ['--config', config, '--go', '--address', '127.0.0.1', '--port', String(port)];
  return createVictim([...args, '--name', name, '--password', 'secret'], { HOME: home }, { program: CLIENT_PROGRAM });
};
export type Client = ReturnType<typeof createClient>;

/** Lets players join a running server once, so that its world knows them, and leave again. */
export const populate = async ({ args, folder, count }: { args: readonly string[]; folder: string; count: number }) => {
  const port = Number(args[args.indexOf('--port') + 1]);
  const world = args[args.indexOf('--world') + 1] ?? '';
  const names = Array.from({ length: count }, (_, n) => `player${n + 1}`);
  const clients = names.map((name) => createClient({ folder, port, name }));
  for (const client of clients) client.start();
  await until(() => storedRecords(world) === count, `${count} players are in the storage of the mod`);
  await Promise.all(clients.map((client) => client.kill('SIGTERM')));
};
