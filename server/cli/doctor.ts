import { statfsSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname } from 'node:path';
import type { Command } from 'commander';
import { pathOf } from '../../db/sqlite/file.ts';
import type { Store } from '../../db/store.ts';
import { listBackups } from '../platform/backups.ts';
import { type Config, configSchema, readConfig } from '../platform/config.ts';
import { inTime } from '../platform/deadline.ts';
import { VERSION } from '../platform/version.ts';
import { readZip } from '../rest/pages/bridge-zip.ts';
import { CliError, print, printJson } from './output.ts';

const DEADLINE_MS = 5_000;
const MIB = 1_048_576;
const HOUR_MS = 3_600_000;

type Status = 'ok' | 'warn' | 'fail';
/** What one check has found, and what to do. */
type Finding = { check: string; status: Status; text: string };
type Said = [status: Status, text: string];
type Parts = { config: Config; file: string | undefined };

const checkNode = (): Said => {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const text = `Node.js ${process.versions.node}`;
  if (major < 22 || (major === 22 && minor < 14)) return ['fail', `${text} is too old; install 24`];
  return major < 24 ? ['warn', `${text} works; 24 is recommended`] : ['ok', text];
};

const checkDisk = ({ file }: Parts): Said => {
  if (file === undefined) return ['ok', 'the database is on another machine or in its own folder'];
  const folder = dirname(file);
  const { bavail, bsize } = statfsSync(folder);
  const free = Math.floor((bavail * bsize) / MIB);
  const used = Math.ceil((statSync(file, { throwIfNoEntry: false })?.size ?? 0) / MIB);
  const text = `${free} MiB are free in ${folder}`;
  if (free < 64) return ['fail', `${text}; make room, or the hub stops writing`];
  return free < Math.max(1_024, used) ? ['warn', `${text}; a backup needs ${used} MiB`] : ['ok', text];
};

const checkModes = ({ file }: Parts): Said => {
  const found = file === undefined ? undefined : statSync(file, { throwIfNoEntry: false });
  if (file === undefined || found === undefined || process.platform === 'win32') return ['ok', 'no file to look at'];
  const mode = (found.mode & 0o777).toString(8).padStart(4, '0');
  if ((found.mode & 0o077) !== 0) return ['fail', `${file} has mode ${mode}; run: chmod 600 ${file}`];
  return ['ok', `${file} has mode ${mode}`];
};

type Stored = { store: Store; pending: number; latencyMs: number };

const checkDatabase = ({ latencyMs, pending }: Pick<Stored, 'latencyMs' | 'pending'>): Said =>
  pending > 0
    ? ['warn', `${pending} migrations are pending; start the hub, or run: causeway migrate`]
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

const readyAt = async (url: string): Promise<number | string> => {
  try {
    const { status } = await fetch(`${url}/readyz`, { redirect: 'manual', signal: AbortSignal.timeout(DEADLINE_MS) });
    return status;
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
    return typeof code === 'string' ? code : 'no answer in time';
  }
};

const checkPort = async ({ config: { HOST, PORT } }: Parts): Promise<Said> => {
  const host = ['0.0.0.0', '::'].includes(HOST) ? '127.0.0.1' : HOST.includes(':') ? `[${HOST}]` : HOST;
  const found = await readyAt(`http://${host}:${PORT}`);
  const place = `${HOST}, port ${PORT}`;
  if (found === 200) return ['ok', `a hub answers at ${place}`];
  if (found === 503) return ['warn', `the hub at ${place} is not ready; look at its log`];
  if (found === 'ECONNREFUSED') return ['warn', `no hub runs at ${place}; start it with: causeway start`];
  return ['fail', `another program answers at ${place} (${found}); set PORT`];
};

const checkPublic = ({ config: { PUBLIC_URL, TRUST_PROXY, HOST } }: Parts): Said => {
  if (PUBLIC_URL === undefined) {
    return HOST.startsWith('127.') || HOST === '::1'
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
  if (found === 200) return ['ok', `${seen} leads to a ready hub`];
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

const checkBridges = async ({ store }: Stored): Promise<Said> => {
  const ours = /^causeway-bridge-(.+)\.zip$/.exec(readZip()?.name ?? '')?.[1];
  const sessions = (await Promise.all((await store.projects.list()).map(({ id }) => store.sessions.list(id)))).flat();
  const connected = sessions.filter((session) => session.connected);
  const other = connected.filter(
    ({ software }) => ours !== undefined && software.name === 'causeway-bridge' && software.version !== ours,
  );
  if (other.length === 0) return ['ok', `${connected.length} of ${sessions.length} are connected`];
  const names = other.map(({ serverId, software }) => `${serverId} (${software.version})`).join(', ');
  return ['warn', `${names}: not the version of this hub, ${ours}; install the zip of the page "How to connect it"`];
};

const checkBackup = ({ config: { BACKUP_FOLDER, BACKUP_EVERY }, file }: Parts): Said => {
  if (file === undefined) return ['ok', 'the hub does not know: PostgreSQL is backed up by pg_dump or its own tools'];
  if (BACKUP_FOLDER === undefined) return ['warn', 'none is made; set BACKUP_FOLDER to a folder on another disk'];
  if (statSync(BACKUP_FOLDER, { throwIfNoEntry: false })?.isDirectory() !== true)
    return ['fail', `BACKUP_FOLDER is no folder: ${BACKUP_FOLDER}; make it, and let the user of the hub write there`];
  const [newest] = listBackups(BACKUP_FOLDER);
  if (newest === undefined) return ['warn', `there is none in ${BACKUP_FOLDER} yet`];
  const hours = Math.round((Date.now() - newest.at) / HOUR_MS);
  const text = `the newest in ${BACKUP_FOLDER} is ${hours} hours old`;
  return Date.now() - newest.at > 2 * BACKUP_EVERY ? ['fail', `${text}; look at the log of the hub`] : ['ok', text];
};

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
  const [status, text] = (await inTime(attempt(), 2 * DEADLINE_MS)) ?? ['fail', 'no answer in time'];
  return { check, status, text };
};

/** The checks that read the database; one finding if it cannot be opened. */
const examineDatabase = async (parts: Parts): Promise<{ findings: Finding[]; counts: object }> => {
  const { openDatabase } = await import('../../db/open.ts');
  const { createStore } = await import('../../db/store.ts');
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
    const database = await examine('database', () => checkDatabase({ pending, latencyMs }));
    if (pending > 0) return { findings: [database], counts: {} };
    const store = createStore(opened);
    const stored: Stored = { store, pending, latencyMs };
    const projects = await store.projects.list();
    const totals = await Promise.all(projects.map(({ id }) => store.projects.totals(id)));
    return {
      findings: [
        database,
        await examine('clock', () => checkClock(stored, parts)),
        await examine('bridges', () => checkBridges(stored)),
      ],
      counts: { projects: projects.length, totals },
    };
  } finally {
    await opened.close();
  }
};

/** Settings without secrets: addresses may have passwords in them, so only these values are shown. */
const SHOWN = ['PORT', 'HOST', 'TRUST_PROXY', 'LOG_LEVEL', 'MIGRATE_ON_START', 'BACKUP_EVERY', 'BACKUP_KEEP'];

const settingsOf = (environment: NodeJS.ProcessEnv): object =>
  Object.fromEntries(
    Object.keys(configSchema.shape).map((name) => {
      const value = environment[name];
      return [name, value === undefined || value === '' ? 'default' : SHOWN.includes(name) ? value : 'set'];
    }),
  );

const doctor = async ({ json, bundle }: { json?: boolean; bundle?: string }): Promise<void> => {
  const config = readConfig(process.env);
  const file = config.DATABASE_URL.startsWith('file:') ? pathOf(config.DATABASE_URL) : undefined;
  const parts: Parts = { config, file };
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
  const findings = [...before, ...ofDatabase.findings, ...after];
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

export const addDoctorCommand = (program: Command): void => {
  program
    .command('doctor')
    .description('check this installation, and say what to do')
    .option('--json', 'print one JSON document')
    .option('--bundle <file>', 'also write a report without secrets and players, to send to somebody')
    .action(doctor);
};
