import { existsSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import type { Command } from 'commander';
import type { ProjectRow } from '../../db/queries/projects.ts';
import type { ServerRow } from '../../db/queries/servers.ts';
import { pathOf } from '../../db/sqlite/file.ts';
import { readHolder } from '../../db/sqlite/lock.ts';
import type { Store } from '../../db/store.ts';
import { readZip } from '../http/pages.ts';
import { listBackups } from '../platform/backups.ts';
import { type Config, ConfigError, configSchema, isLoopbackHost, readConfig, VERSION } from '../platform/config.ts';
import { isInClear } from '../platform/seal.ts';
import { inTime } from '../platform/time.ts';
import { RECENT_MS } from '../schedules/runs.ts';
import { isTroubled } from '../webhooks/retries.ts';
import { CliError, commandName, print, printJson } from './output.ts';

const DEADLINE_MS = 5_000;
const LATE = 'no answer in time';

type Status = 'ok' | 'warn' | 'fail';
/** The result of one check, and its remedy. */
type Finding = { check: string; status: Status; text: string };
type Said = [status: Status, text: string];
/** The settings; the file of the database (undefined: PostgreSQL or memory); the command that the user types. */
type Parts = { config: Config; file: string | undefined; command: string };

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : 'it failed');

/** Runs one check; a check that fails or hangs is a finding, too. */
const examine = async (check: string, work: () => Said | Promise<Said>): Promise<Finding> => {
  const attempt = async (): Promise<Said> => {
    try {
      return await work();
    } catch (error) {
      return ['fail', reasonOf(error)];
    }
  };
  const [status, text] = (await inTime(attempt(), 2 * DEADLINE_MS)) ?? ['fail', LATE];
  return { check, status, text };
};

const MIB = 1_048_576;
const HOUR_MS = 3_600_000;

/** `causeway.js` refuses versions that are too old. */
const checkNode = (): Said => {
  const text = `Node.js ${process.versions.node}`;
  return Number.parseInt(process.versions.node, 10) < 24 ? ['warn', `${text} works; 24 is recommended`] : ['ok', text];
};

const statOf = (path: string) => statSync(path, { throwIfNoEntry: false });
const isFolder = (path: string | undefined): path is string =>
  path !== undefined && statOf(path)?.isDirectory() === true;

/** The folders that the hub writes into, one for each disk. */
const disksOf = (file: string, backups: string | undefined): string[] => {
  const folders = [dirname(file), ...(isFolder(backups) ? [backups] : [])];
  const disks = folders.map((folder) => statOf(folder)?.dev);
  return folders.filter((_, n) => disks.indexOf(disks[n]) === n);
};

const checkDisk = ({ file, config: { BACKUP_FOLDER } }: Parts): Said => {
  if (file === undefined) return ['ok', 'the database is on another machine or in its own folder'];
  const used = Math.ceil((statOf(file)?.size ?? 0) / MIB);
  const disks = disksOf(file, BACKUP_FOLDER).map((folder) => {
    const { bavail, bsize } = statfsSync(folder);
    const free = Math.floor((bavail * bsize) / MIB);
    return { free, text: `${free} MiB are free in ${folder}` };
  });
  const full = disks.find(({ free }) => free < 64);
  if (full !== undefined) return ['fail', `${full.text}; make room, or the hub stops writing and backups fail`];
  const scarce = disks.find(({ free }) => free < Math.max(1_024, used));
  if (scarce !== undefined) return ['warn', `${scarce.text}; a backup needs ${used} MiB`];
  return ['ok', disks.map(({ text }) => text).join(', ')];
};

const SECRET_FILE = 0o077;
const WRITABLE_BY_ALL = 0o002;
/** In a folder with this bit, such as /tmp, only the owner of a file can remove it. */
const STICKY = 0o1000;

const octal = (mode: number): string => (mode & 0o777).toString(8).padStart(4, '0');

/** Each path whose mode lets others read the data or replace a file, and the command that ends it. */
const unsafe = (file: string, backups: string | undefined): string[] => {
  const copies = isFolder(backups) ? listBackups(backups).backups.map(({ name }) => join(backups, name)) : [];
  const files = [file, `${file}-wal`, `${file}-shm`, ...copies];
  const modeOf = (path: string): number => statOf(path)?.mode ?? 0;
  const folders = [dirname(file), ...(isFolder(backups) ? [backups] : [])];
  const unpacked = join(dirname(file), '.causeway');
  const said = (path: string, mode: string) => `${path} has mode ${octal(modeOf(path))}; run: chmod ${mode} ${path}`;
  return [
    ...files.filter((path) => (modeOf(path) & SECRET_FILE) !== 0).map((path) => said(path, '600')),
    ...folders
      .filter((path) => (modeOf(path) & WRITABLE_BY_ALL) !== 0 && (modeOf(path) & STICKY) === 0)
      .map((path) => said(path, 'o-w')),
    ...((modeOf(unpacked) & SECRET_FILE) === 0 ? [] : [said(unpacked, '700')]),
  ];
};

const checkModes = ({ file, config: { BACKUP_FOLDER } }: Parts): Said => {
  if (file === undefined || !existsSync(file) || process.platform === 'win32') return ['ok', 'no file to look at'];
  const found = unsafe(file, BACKUP_FOLDER);
  if (found.length > 0) return ['fail', found.slice(0, 5).join(' · ')];
  return ['ok', `only their owner reads ${file} and its backups`];
};

const checkBackup = ({ config: { BACKUP_FOLDER, BACKUP_EVERY }, file }: Parts): Said => {
  if (file === undefined) return ['ok', 'the hub does not know: PostgreSQL is backed up by pg_dump or its own tools'];
  if (BACKUP_FOLDER === undefined)
    return [
      'warn',
      'the hub makes none by itself, and does not know of those made by hand; set BACKUP_FOLDER to a folder on another disk',
    ];
  if (!isFolder(BACKUP_FOLDER))
    return ['fail', `BACKUP_FOLDER is no folder: ${BACKUP_FOLDER}; make it, and let the user of the hub write there`];
  const { backups, ignored } = listBackups(BACKUP_FOLDER);
  if (ignored.length > 0)
    return ['warn', `empty or from the future, so not counted: ${ignored.join(', ')}; remove them`];
  const [newest] = backups;
  if (newest === undefined) return ['warn', `there is none in ${BACKUP_FOLDER} yet`];
  const hours = Math.round((Date.now() - newest.at) / HOUR_MS);
  const text = `the newest in ${BACKUP_FOLDER} is ${hours} hours old`;
  return Date.now() - newest.at > 2 * BACKUP_EVERY ? ['fail', `${text}; look at the log of the hub`] : ['ok', text];
};

/** Asks an address. Another program than a hub is a number, its status; no answer is the code of the error. */
const readyAt = async (url: string): Promise<'ready' | 'not ready' | number | string> => {
  try {
    const answer = await fetch(`${url}/readyz`, { redirect: 'manual', signal: AbortSignal.timeout(DEADLINE_MS) });
    const text = (await answer.text()).slice(0, 100);
    if (answer.status === 200 && text === 'ok\n') return 'ready';
    return answer.status === 503 && /^(draining|database)\n$/.test(text) ? 'not ready' : answer.status;
  } catch (error) {
    if (error instanceof Error && error.name === 'TimeoutError') return LATE;
    const cause = error instanceof Error ? error.cause : undefined;
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
    return typeof code === 'string' ? code : 'no HTTP';
  }
};

/** An address of this machine instead of all its addresses. */
const local = (host: string): string =>
  ['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;

/**
 * The address of the hub that uses this database, whatever PORT says here: its lock file has it. Otherwise that of the
 * settings.
 */
export const addressOfHub = async ({ DATABASE_URL, HOST, PORT }: Pick<Config, 'DATABASE_URL' | 'HOST' | 'PORT'>) => {
  const configured = `http://${local(HOST)}:${PORT}`;
  const held = readHolder(DATABASE_URL)?.address.replace(/\/\/(?:0\.0\.0\.0|\[?::\]?):/, '//127.0.0.1:');
  if (held === undefined || held === configured) return configured;
  return ['ready', 'not ready'].includes(String(await readyAt(held))) ? held : configured;
};

const NOT_OURS = /^(ENOTFOUND|EAI_AGAIN|EADDRNOTAVAIL|EHOSTUNREACH|ENETUNREACH)$/;

/** Whether the hub at this port may be that of the file. The record says which port the newest hub of it was given. */
const mayServe = (url: string, port: number): boolean => {
  const given = readHolder(url)?.address;
  return given !== undefined && ['0', String(port)].includes(new URL(given).port || '80');
};

const checkPort = async ({ config, file, command }: Parts): Promise<Said> => {
  const { HOST, DATABASE_URL } = config;
  const address = await addressOfHub(config);
  const found = await readyAt(address);
  const port = Number(new URL(address).port || 80);
  const place = `${HOST}, port ${port}`;
  if (found === 'ready' || found === 'not ready') {
    if (file !== undefined && !mayServe(DATABASE_URL, port)) {
      return ['fail', `a hub answers at ${place}, but not the hub of ${file}; set PORT or DATABASE_URL`];
    }
    if (found === 'ready') return ['ok', `a hub answers at ${place}`];
    return ['warn', `the hub at ${place} is not ready; look at its log`];
  }
  if (found === 'ECONNREFUSED') return ['warn', `no hub runs at ${place}; start it with: ${command} start`];
  if (found === LATE)
    return ['fail', `no answer in time at ${place}; restart the hub, or set PORT if it is another program`];
  if (NOT_OURS.test(String(found)))
    return ['fail', `${HOST} cannot be reached (${found}); set HOST to an address of this machine`];
  return ['fail', `another program answers at ${place} (${found}); set PORT`];
};

const checkPublic = ({ config: { PUBLIC_URL, TRUST_PROXY, HOST } }: Parts): Said => {
  if (PUBLIC_URL === undefined) {
    if (TRUST_PROXY > 0) {
      return ['warn', 'TRUST_PROXY is set without PUBLIC_URL; set PUBLIC_URL to the https address of your proxy'];
    }
    return isLoopbackHost(HOST)
      ? ['ok', 'PUBLIC_URL is not set: for callers and game servers on this machine only']
      : ['warn', 'PUBLIC_URL is not set; set it to the address that game servers use'];
  }
  if (!PUBLIC_URL.startsWith('https:'))
    return ['warn', 'PUBLIC_URL has no TLS: keys and tokens can be read on the way'];
  if (TRUST_PROXY === 0) return ['fail', 'TRUST_PROXY is 0 behind TLS; set it to the number of your proxies'];
  return ['ok', `PUBLIC_URL has TLS, behind ${TRUST_PROXY} of your proxies`];
};

const checkTls = async ({ config: { PUBLIC_URL } }: Parts): Promise<Said> => {
  if (PUBLIC_URL === undefined) return ['ok', 'no PUBLIC_URL to look at'];
  const found = await readyAt(PUBLIC_URL);
  const seen = `seen from this machine, ${PUBLIC_URL}`;
  if (found === 'ready') return ['ok', `${seen} leads to a ready hub`];
  return ['fail', `${seen} answers ${found}; check DNS, certificate and proxy`];
};

/** The first line of a NATS server tells what it is. */
const greeting = (host: string, port: number): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host, port });
    socket.setTimeout(DEADLINE_MS, () => socket.destroy(new Error('late')));
    socket.once('data', (data) => {
      socket.destroy();
      resolve(data.toString('latin1').slice(0, 5));
    });
    socket.once('error', reject);
  });

const checkNats = async ({ config: { NATS_URL } }: Parts): Promise<Said> => {
  if (NATS_URL === undefined) return ['ok', 'not used: this hub is alone'];
  const bad: string[] = [];
  for (const address of NATS_URL.split(',')) {
    const { hostname, port } = new URL(address.trim());
    const said = await greeting(hostname, Number(port === '' ? 4222 : port)).catch(() => '');
    if (said !== 'INFO ') bad.push(`${hostname}:${port === '' ? 4222 : port}`);
  }
  return bad.length === 0 ? ['ok', 'every server answers'] : ['fail', `no NATS server answers at ${bad.join(', ')}`];
};

type Stored = { store: Store; projects: ProjectRow[] };

const checkDatabase = ({ latencyMs, pending }: { latencyMs: number; pending: number }, { command }: Parts): Said =>
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

const sessionsOf = async ({ store, projects }: Stored) =>
  (await Promise.all(projects.map(({ id }) => store.sessions.list(id)))).flat();

const checkBridges = async (stored: Stored, { command }: Parts): Promise<Said> => {
  const ours = /^causeway-bridge-(.+)\.zip$/.exec(readZip()?.name ?? '')?.[1];
  const { store, projects } = stored;
  const servers = (await Promise.all(projects.map(({ id }) => store.servers.list(id)))).flat();
  const expected = servers.filter(({ disabled }) => !disabled);
  const connected = (await sessionsOf(stored)).filter((session) => session.connected);
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
  const secrets = [...(await store.integrations.secrets()), ...(await store.webhooks.secrets())];
  const inClear = secrets.filter(({ sealed }) => isInClear(sealed)).length;
  if (inClear === 0) return ['ok', 'no secret of a shop or webhook is stored in clear'];
  const many = inClear === 1 ? '1 secret of a shop or webhook is' : `${inClear} secrets of shops and webhooks are`;
  return ['warn', `${many} stored in clear; set SECRET_KEY, restart, then replace the secret of each shop and webhook`];
};

/** How many rows of each project a person should look at, of those that have some: in words, and the first project. */
const countedOf = async ({ projects }: Stored, count: (projectId: string) => Promise<number>) => {
  const all = await Promise.all(projects.map(async ({ id, slug }) => ({ slug, rows: await count(id) })));
  const some = all.filter(({ rows }) => rows > 0);
  return { first: some[0]?.slug, words: listed(some.map(({ slug, rows }) => `${rows} of project ${slug}`)) };
};

const checkSchedules = async (stored: Stored, { command }: Parts): Promise<Said> => {
  const since = Date.now() - RECENT_MS;
  const { first, words } = await countedOf(stored, (id) => stored.store.schedules.countNotMade(id, since));
  if (first === undefined) return ['ok', 'every planned run of the last three days happened'];
  return [
    'warn',
    `planned runs of the last three days did not happen, as far as the hub knows: ${words}; the panel says why; run: ${command} schedule list --project ${first}`,
  ];
};

const checkWebhooks = async (stored: Stored, { command }: Parts): Promise<Said> => {
  const { first, words } = await countedOf(
    stored,
    async (id) => (await stored.store.webhooks.list(id)).filter((row) => isTroubled(row)).length,
  );
  if (first === undefined) return ['ok', 'no webhook was switched off by the hub, or fails'];
  return ['warn', `nothing arrives at webhooks: ${words}; run: ${command} webhook list --project ${first}`];
};

/** Game servers that reported far fewer players than the hub knows. */
const checkPlayers = async (stored: Stored): Promise<Said> => {
  const lacking = (await sessionsOf(stored)).filter(({ missingSince }) => missingSince !== null);
  if (lacking.length === 0) return ['ok', 'no game server lacks many of its players'];
  const names = listed(lacking.map(({ serverId, missingPlayers }) => `${serverId} (${missingPlayers})`));
  const next =
    'look into the database of the game; the next list of all players, an hour later or more, takes them off';
  return ['warn', `more than half of the players are missing: ${names}; ${next}`];
};

/** The checks that read the database; one finding if it cannot be opened. */
const examineDatabase = async (parts: Parts): Promise<{ findings: Finding[]; counts: object }> => {
  const { ping } = await import('../../db/database.ts');
  const { openDatabase } = await import('../../db/open.ts');
  const { createStore } = await import('../../db/store.ts');
  const { config, file } = parts;
  if (file !== undefined && statOf(file) === undefined) {
    const text = `there is no file ${file}; set DATABASE_URL, or start the hub`;
    return { findings: [{ check: 'database', status: 'fail', text }], counts: {} };
  }
  const opened = await inTime(
    openDatabase({ url: config.DATABASE_URL }).catch((error: unknown) => reasonOf(error)),
    2 * DEADLINE_MS,
  );
  if (opened === undefined || typeof opened === 'string') {
    return { findings: [{ check: 'database', status: 'fail', text: opened ?? LATE }], counts: {} };
  }
  try {
    const latencyMs = await ping(opened);
    const pending = await opened.pending();
    const database = await examine('database', () => checkDatabase({ pending, latencyMs }, parts));
    if (pending > 0) return { findings: [database], counts: {} };
    const store = createStore(opened);
    const projects = await store.projects.list();
    const stored: Stored = { store, projects };
    const totals = await Promise.all(projects.map(({ id }) => store.projects.totals(id)));
    return {
      findings: [
        database,
        await examine('clock', () => checkClock(stored, parts)),
        await examine('bridges', () => checkBridges(stored, parts)),
        await examine('shops', () => checkShops(stored)),
        await examine('runs', () => checkSchedules(stored, parts)),
        await examine('webhooks', () => checkWebhooks(stored, parts)),
        await examine('players', () => checkPlayers(stored)),
      ],
      counts: { projects: projects.length, totals },
    };
  } finally {
    await opened.close();
  }
};

const NAMES = Object.keys(configSchema.shape);

/** The settings. Those that cannot be used are a finding, and their defaults stand in for them. */
const examineSettings = (environment: NodeJS.ProcessEnv): { config: Config; finding: Finding } => {
  const check = 'settings';
  try {
    return { config: readConfig(environment), finding: { check, status: 'ok', text: 'every setting can be used' } };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const text = error.message;
    const wrong = NAMES.filter((name) => new RegExp(`(^|; )${name}: `).test(text));
    if (wrong.length === 0) throw error;
    const rest = Object.fromEntries(Object.entries(environment).filter(([name]) => !wrong.includes(name)));
    return { config: examineSettings(rest).config, finding: { check, status: 'fail', text } };
  }
};

/** Settings without secrets: addresses may have passwords in them, so only these values are shown. */
const SHOWN = [
  ...['PORT', 'HOST', 'TRUST_PROXY', 'LOG_LEVEL', 'MIGRATE_ON_START', 'BACKUP_EVERY', 'BACKUP_KEEP'],
  'EVENTS_KEEP_DAYS',
];

const settingsOf = (environment: NodeJS.ProcessEnv): object =>
  Object.fromEntries(
    NAMES.map((name) => {
      const value = environment[name];
      return [name, value === undefined || value === '' ? 'default' : SHOWN.includes(name) ? value : 'set'];
    }),
  );

const doctor = async ({ json, bundle }: { json?: boolean; bundle?: string }): Promise<void> => {
  const { config, finding: settingsFinding } = examineSettings(process.env);
  const file = config.DATABASE_URL.startsWith('file:') ? pathOf(config.DATABASE_URL) : undefined;
  const parts: Parts = { config, file, command: commandName() };
  const [ofDatabase, before, after] = await Promise.all([
    examineDatabase(parts),
    Promise.all([
      examine('node', checkNode),
      examine('disk', () => checkDisk(parts)),
      examine('files', () => checkModes(parts)),
    ]),
    Promise.all([
      examine('port', () => checkPort(parts)),
      examine('address', () => checkPublic(parts)),
      examine('tls', () => checkTls(parts)),
      examine('nats', () => checkNats(parts)),
      examine('backup', () => checkBackup(parts)),
    ]),
  ]);
  const findings = [settingsFinding, ...before, ...ofDatabase.findings, ...after];
  if (json === true) printJson({ findings });
  else for (const { check, status, text } of findings) print(`${status.padEnd(4)}  ${check.padEnd(8)}  ${text}`);
  if (bundle !== undefined) {
    const { platform, arch, versions } = process;
    const report = { version: VERSION, node: versions.node, platform, arch, findings, counts: ofDatabase.counts };
    const settings = settingsOf(process.env);
    writeFileSync(bundle, `${JSON.stringify({ ...report, settings }, null, 2)}\n`, { flag: 'wx', mode: 0o600 });
    if (json !== true) print(`Written to ${bundle}: no secrets and no players are in it. Read it before you send it.`);
  }
  const failed = findings.filter(({ status }) => status === 'fail').length;
  if (failed > 0) throw new CliError(`${failed} ${failed === 1 ? 'check' : 'checks'} failed`);
};

export const defineDoctor = (command: Command): Command =>
  command
    .option('--json', 'print one JSON document')
    .option('--bundle <file>', 'also write a report without secrets and players, for support')
    .action(doctor);
