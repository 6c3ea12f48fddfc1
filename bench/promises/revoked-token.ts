import Sqlite from 'better-sqlite3';
import { bundled } from '../../tests/kit/bundled.ts';
import { openGames } from './games.ts';
import { type BenchHub, startHub } from './hub.ts';
import { openProcess } from './processes.ts';
import { lineOf, type Measure } from './report.ts';

const SOCKETS = 20;
const BOUND_MS = 1_000;
const REVOKED = 4501;
const AT_ONCE = 2;

/** Revokes a token; resolves with the wall-clock time of the revocation. */
type Revoke = (hub: BenchHub, server: string) => Promise<number>;

const overRest: Revoke = async (hub, server) => {
  const sentAt = Date.now();
  const { status } = await hub.caller.ask('POST', `/api/v2/servers/${server}/token`, {});
  if (status !== 200) throw new Error(`the token was not replaced: ${status}`);
  return sentAt;
};

const onCommandLine: Revoke = async (hub, server) => {
  const args = [await bundled(), 'server', 'rotate', server, '--project', 'promises'];
  await openProcess(args, { logFile: hub.logFile, env: hub.env }).ended();
  const database = new Sqlite(hub.file, { readonly: true });
  const changedAt = database
    .prepare<[string], number>('SELECT updated_at FROM servers WHERE id = ?')
    .pluck()
    .get(server);
  database.close();
  return changedAt ?? 0;
};

const measure = async (revoke: Revoke): Promise<number[]> => {
  const servers = Array.from({ length: SOCKETS }, (_, n) => `s${n}`);
  const hub = await startHub(servers);
  const games = openGames(hub, 'game');
  const samples: number[] = [];
  const queue = servers.values();
  const work = async (): Promise<void> => {
    for (const server of queue) {
      const revokedAt = await revoke(hub, server);
      const { code, wallMs } = await games.closed(server);
      if (code !== REVOKED) throw new Error(`the socket was closed with ${code}`);
      samples.push(wallMs - revokedAt);
    }
  };
  try {
    for (const server of servers) games.open(server);
    for (const server of servers) await games.welcomed(server);
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    return samples;
  } finally {
    await games.kill();
    await hub.close();
  }
};

/** How soon the socket of a revoked token is closed, measured at the bridge. */
export const revokedToken: Measure = async () => [
  lineOf('through REST, from the request', await measure(overRest), { share: 1, ms: BOUND_MS }),
  lineOf('on the command line, from the change of the row', await measure(onCommandLine), { share: 1, ms: BOUND_MS }),
];
