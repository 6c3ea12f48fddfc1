import { statSync } from 'node:fs';
import type { ServerRow } from '../../../db/queries/servers.ts';
import type { Store } from '../../../db/store.ts';
import { inTime } from '../../platform/deadline.ts';
import { readZip } from '../../rest/pages/bridge-zip.ts';
import { isInClear } from '../../shops/seal.ts';
import { DEADLINE_MS, examine, type Finding, type Parts, reasonOf, type Said } from './finding.ts';

type Stored = { store: Store; pending: number; latencyMs: number };

const checkDatabase = ({ latencyMs, pending }: Pick<Stored, 'latencyMs' | 'pending'>, { command }: Parts): Said =>
  pending > 0
    ? ['warn', `${pending} migrations are pending; start the hub, or run: ${command} migrate`]
    : ['ok', `it answers in ${latencyMs.toFixed(1)} ms and is up to date`];

/** Against the clock of the database; of an SQLite file that is this machine's, so only its jumps can be seen. */
const checkClock = async ({ store }: Stored, { file }: Parts): Promise<Said> => {
  const newest = await store.commands.newestAt();
  const aheadMs = Math.max(newest ?? 0, 0) - Date.now();
  if (aheadMs > 1_000) return ['fail', 'the newest command is from the future: the clock was set back; correct it'];
  if (file !== undefined) return ['ok', 'no command is from the future; compare the clock itself with timedatectl'];
  const offMs = Math.abs((await store.nodes.now()) - Date.now());
  if (offMs > 1_000) return ['fail', `it differs from the database's clock by ${offMs} ms; run a time service on both`];
  return ['ok', `it differs from the database's clock by ${Math.round(offMs)} ms`];
};

const MAX_LISTED = 10;
const listed = (names: string[]): string =>
  names.length > MAX_LISTED
    ? `${names.slice(0, MAX_LISTED).join(', ')} and ${names.length - MAX_LISTED} more`
    : names.join(', ');

const checkBridges = async ({ store }: Stored, { command }: Parts): Promise<Said> => {
  const ours = /^causeway-bridge-(.+)\.zip$/.exec(readZip()?.name ?? '')?.[1];
  const projects = await store.projects.list();
  const servers = (await Promise.all(projects.map(({ id }) => store.servers.list(id)))).flat();
  const expected = servers.filter(({ disabled }) => !disabled);
  const sessions = (await Promise.all(projects.map(({ id }) => store.sessions.list(id)))).flat();
  const connected = sessions.filter((session) => session.connected);
  const other = connected.filter(
    ({ software }) => ours !== undefined && software.name === 'causeway-bridge' && software.version !== ours,
  );
  const isThere = ({ projectId, id }: ServerRow): boolean =>
    connected.some((session) => session.projectId === projectId && session.serverId === id);
  const absent = expected.filter((server) => !isThere(server)).map(({ id }) => id);
  if (other.length === 0 && absent.length === 0) return ['ok', `all ${expected.length} are connected`];
  if (other.length === 0)
    return ['warn', `not connected: ${listed(absent)}; start these game servers, or run: ${command} server disable ID`];
  const names = listed(other.map(({ serverId, software }) => `${serverId} (${software.version})`));
  return ['warn', `${names}: not the version of this hub, ${ours}; install the zip of the page "How to connect it"`];
};

const checkShops = async ({ store }: Stored): Promise<Said> => {
  const secrets = await store.integrations.secrets();
  const inClear = secrets.filter(({ sealed }) => isInClear(sealed)).length;
  if (inClear === 0) return ['ok', 'no secret of a shop is stored in clear'];
  const many = inClear === 1 ? '1 secret of a shop is' : `${inClear} secrets of shops are`;
  return ['warn', `${many} stored in clear; set SECRET_KEY, restart, then replace the secret of each shop`];
};

/** Runs that did not happen are told for as long as a weekend. */
const RECENT_MS = 3 * 86_400_000;

const checkSchedules = async ({ store }: Stored, { command }: Parts): Promise<Said> => {
  const since = Date.now() - RECENT_MS;
  const found = await Promise.all(
    (await store.projects.list()).map(async ({ id, slug }) => ({
      slug,
      count: await store.schedules.countNotMade(id, since),
    })),
  );
  const missing = found.filter(({ count }) => count > 0).map(({ slug, count }) => `${count} of project ${slug}`);
  if (missing.length === 0) return ['ok', 'every planned run of the last three days happened'];
  const [first] = found.filter(({ count }) => count > 0);
  return [
    'warn',
    `planned runs of the last three days did not happen, as far as the hub knows: ${listed(missing)}; the panel says why; run: ${command} schedule list --project ${first?.slug}`,
  ];
};

/** Game servers that reported far fewer players than the hub knows. */
const checkPlayers = async ({ store }: Stored): Promise<Said> => {
  const projects = await store.projects.list();
  const sessions = (await Promise.all(projects.map(({ id }) => store.sessions.list(id)))).flat();
  const lacking = sessions.filter(({ missingSince }) => missingSince !== null);
  if (lacking.length === 0) return ['ok', 'no game server lacks many of its players'];
  const names = listed(lacking.map(({ serverId, missingPlayers }) => `${serverId} (${missingPlayers})`));
  const next =
    'look into the database of the game; the next list of all players, an hour later or more, takes them off';
  return ['warn', `more than half of the players are missing: ${names}; ${next}`];
};

/** The checks that read the database; one finding if it cannot be opened. */
export const examineDatabase = async (parts: Parts): Promise<{ findings: Finding[]; counts: object }> => {
  const { openDatabase } = await import('../../../db/open.ts');
  const { createStore } = await import('../../../db/store.ts');
  const { config, file } = parts;
  if (file !== undefined && statSync(file, { throwIfNoEntry: false }) === undefined) {
    const text = `there is no file ${file}; set DATABASE_URL, or start the hub`;
    return { findings: [{ check: 'database', status: 'fail', text }], counts: {} };
  }
  const opened = await inTime(
    openDatabase({ url: config.DATABASE_URL }).catch((error: unknown) => reasonOf(error)),
    2 * DEADLINE_MS,
  );
  if (opened === undefined || typeof opened === 'string') {
    return { findings: [{ check: 'database', status: 'fail', text: opened ?? 'no answer in time' }], counts: {} };
  }
  try {
    const latencyMs = await opened.ping();
    const pending = await opened.pending();
    const database = await examine('database', () => checkDatabase({ pending, latencyMs }, parts));
    if (pending > 0) return { findings: [database], counts: {} };
    const store = createStore(opened);
    const stored: Stored = { store, pending, latencyMs };
    const projects = await store.projects.list();
    const totals = await Promise.all(projects.map(({ id }) => store.projects.totals(id)));
    return {
      findings: [
        database,
        await examine('clock', () => checkClock(stored, parts)),
        await examine('bridges', () => checkBridges(stored, parts)),
        await examine('shops', () => checkShops(stored)),
        await examine('runs', () => checkSchedules(stored, parts)),
        await examine('players', () => checkPlayers(stored)),
      ],
      counts: { projects: projects.length, totals },
    };
  } finally {
    await opened.close();
  }
};
