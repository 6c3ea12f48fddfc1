import { openDatabase } from '../db/open.ts';
import { createStore } from '../db/store.ts';
import { createKey } from '../server/admin/keys.ts';
import { createProject } from '../server/admin/projects.ts';
import { createServer as createGameServer } from '../server/admin/servers.ts';
import { hubArguments } from '../tests/testkit/hub-arguments.ts';

/** So many players are paid. */
export const TARGETS = 8;

/** Hubs of this test bear what real ones never see: reconnects at once, and all the time. */
export const IMPATIENT = { LOG_LEVEL: 'warn', ADMISSIONS_PER_SECOND: '1000000' };
export const IMPATIENT_HUB = hubArguments({
  sweepEveryMs: 20,
  connectsPerMinute: 1_000_000,
  receivedProbeMs: 200,
  receivedCloseMs: 500,
});

/** A project with a key and a game server, in a database that is made. */
export const provision = async (databaseUrl: string): Promise<{ key: string; token: string }> => {
  const database = await openDatabase({ url: databaseUrl });
  await database.migrate();
  const store = createStore(database);
  const project = await createProject(store, { slug: 'chaos', name: 'Chaos', rateLimit: 1_000_000 });
  if (project === undefined) throw new Error('the project could not be made');
  const { key } = await createKey(store, project.id, { name: 'chaos' });
  const token = await createGameServer(store, project.id, { id: 'main', name: 'Main' });
  if (token === undefined) throw new Error('the server could not be made');
  await database.close();
  return { key, token };
};
