import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { openDatabase } from '../../db/open.ts';
import { postgresIdentity } from '../../db/postgres/database.ts';
import { createStore } from '../../db/store.ts';
import { connectNats } from '../../server/cluster/bus-nats.ts';
import { createHub } from '../../server/hub.ts';
import { readConfig, type Tuning } from '../../server/platform/config.ts';
import { createLogger } from '../../server/platform/log.ts';
import { breakableDatabase } from './breakable-database.ts';
import { countedDatabase } from './counted-database.ts';
import { preparedDatabase } from './hub-database.ts';

/** Enough for a test; several clusters share one PostgreSQL server. */
const CONNECTIONS = 4;

/** Short times, so that tests need not wait, and no rate limit. */
const TEST_TUNING = {
  sweepEveryMs: 20,
  lookEveryMs: 100,
  revocationCheckMs: 50,
  noticedWithinMs: 100,
  shopCheckMs: 50,
  connectsPerMinute: 100_000,
  wrongKeysPerMinute: 100_000,
  keylessPerMinute: 100_000,
  shutdownNoticeMs: 0,
  // Raw bridges do not confirm what they get; tests of that set their own times.
  receivedProbeMs: 3_600_000,
  receivedCloseMs: 3_600_000,
};

type NodeOptions = {
  env: Record<string, string>;
  tuning: Partial<Tuning>;
  databaseUrl: string;
  /** Undefined: it is alone. */
  natsUrl: string | undefined;
  logTo: string[] | undefined;
  /** Whether it serves the built panel and docs: to give each file its route is half of a hub's start. */
  panel: boolean | undefined;
};

/** A folder that is not there, so that a hub serves no panel. */
const NO_PANEL = join(import.meta.dirname, 'no-panel');
/** The tests of a browser set it: all their hubs serve the panel. */
const alwaysPanel = process.env['TEST_PANEL'] !== undefined;

/** One process of a hub inside this one: it can break, and die. It does not listen yet. */
export const openHubNode = async ({ env, tuning, databaseUrl, natsUrl, logTo, panel = alwaysPanel }: NodeOptions) => {
  const config = readConfig({
    PORT: '0',
    ADMISSIONS_PER_SECOND: '100000',
    SHUTDOWN_GRACE_MS: '1000',
    LOG_LEVEL: logTo === undefined ? 'silent' : 'debug',
    ...(natsUrl !== undefined && { NATS_URL: natsUrl }),
    DATABASE_CONNECTIONS: String(CONNECTIONS),
    ...env,
    DATABASE_URL: databaseUrl,
  });
  const log = createLogger(config.LOG_LEVEL, { write: (line) => logTo?.push(line) });
  const limits = natsUrl === undefined ? {} : { connections: CONNECTIONS };
  const file = databaseUrl.startsWith('file:') ? databaseUrl.slice('file:'.length) : undefined;
  const isNew = file !== undefined && !existsSync(file);
  if (isNew) await writeFile(file, await preparedDatabase());
  const database = await openDatabase({ url: config.DATABASE_URL, limits });
  if (!isNew) await database.migrate();
  const counted = countedDatabase(database);
  const breakable = breakableDatabase(counted.database);
  const { NATS_URL: busUrl } = config;
  const join = async (url: string) =>
    connectNats({ url, cluster: await postgresIdentity(database), name: 'test', log });
  const bus = busUrl === undefined ? undefined : await join(busUrl);
  const hub = createHub({
    database: breakable.database,
    ...(bus && { bus }),
    config,
    tuning: { ...TEST_TUNING, ...tuning },
    log,
    ...(!panel && { panelFolder: NO_PANEL }),
  });
  const sockets = new Set<Socket>();
  hub.server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  return {
    hub,
    store: createStore(database),
    breakable,
    counted,
    /** Ends it as a SIGKILL does: sockets, timers and database end at once, and nothing more is sent or written. */
    kill: async (): Promise<void> => {
      breakable.kill();
      hub.server.close();
      for (const socket of sockets) socket.destroy();
      await bus?.close();
      await hub.commands.settled(0);
      await hub.background.drain();
      await database.close();
    },
  };
};
export type HubNode = Awaited<ReturnType<typeof openHubNode>>;
