import { accessSync, constants, existsSync, readFileSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Command } from 'commander';
import type { Logger } from 'pino';
import { newSetupLink, provisionFirst } from '../admin/projects.ts';
import type { Hub } from '../hub.ts';
import { type Config, ConfigError, readConfig, type Tuning, urlOf, VERSION } from '../platform/config.ts';
import { createLogger } from '../platform/log.ts';
import { seedHistory } from './demo-history.ts';
import { CliError, commandName, print } from './output.ts';
import { preparePanel } from './panel.ts';

const PARENT_CHECK_MS = 250;
/** Read as early as possible, because the parent may end during the start. */
const parent = process.ppid;

/** A signal to npm or npx ends it and the shell between, and does not reach this process: its parent has ended then. */
const whenNpmEnds = (act: () => void): void => {
  if (process.env['npm_package_name'] !== 'causeway') return;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    act();
  }, PARENT_CHECK_MS);
  timer.unref();
};

/** Stops on SIGINT and SIGTERM, and with the npm of this checkout; a second signal ends at once. */
export const stopOnSignal = (stop: () => Promise<void>, log: Logger): void => {
  let isStopping = false;
  const begin = (why: object): void => {
    isStopping = true;
    log.info(why, 'stopping');
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, 'the hub did not stop cleanly');
        process.exit(1);
      },
    );
  };
  const onSignal = (signal: string): void => {
    if (isStopping) process.exit(1);
    begin({ signal });
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  whenNpmEnds(() => {
    if (!isStopping) begin({ reason: 'npm has ended' });
  });
};

/** An address that a browser on this machine can open. */
const reachable = (address: string): string => address.replace(/\/\/(?:0\.0\.0\.0|\[::\]):/, '//127.0.0.1:');

const MARKS = ['.dockerenv', 'run/.containerenv'];
const CGROUP = /docker|kubepods|containerd|libpod|lxc/;

const cgroupOf = (root: string): string => {
  try {
    return readFileSync(join(root, 'proc/1/cgroup'), 'utf8');
  } catch {
    // Windows and macOS have none.
    return '';
  }
};

/** Whether this process runs in a container: then a log is kept of its terminal, too. Podman, LXC and nspawn set `container`. */
export const isInContainer = (environment: NodeJS.ProcessEnv, root = '/'): boolean =>
  (environment['container'] ?? '') !== '' ||
  MARKS.some((mark) => existsSync(join(root, mark))) ||
  CGROUP.test(cgroupOf(root));

/** Standard output is a log, except on a terminal outside of a container. */
const isLog = (): boolean => !process.stdout.isTTY || isInContainer(process.env);

/** Prints the next step. A log gets the link to the setup only on request. */
const lastLineOf = async ({ store }: Hub, at: string, setupLink: boolean): Promise<string> => {
  const [project] = await store.projects.list();
  const isMade = project !== undefined && (await store.setupLinks.isMade());
  if (project !== undefined && !isMade) {
    const make = `${commandName()} key create --project ${project.slug} --name "my key"`;
    return `Open ${at} and sign in with your API key. To make one: ${make}`;
  }
  const state = isMade ? 'The key of the hub was never used.' : 'The hub is empty.';
  if (!setupLink && isLog()) return `${state} For the address of its setup, run: ${commandName()} setup-link`;
  const link = await newSetupLink(store, at);
  return `Set the hub up within 15 minutes, in one browser: ${link}`;
};

/** Backups that never start are noticed when one is needed. @throws ConfigError */
const assertBackupFolder = ({ BACKUP_FOLDER: folder }: Config): void => {
  if (folder === undefined) return;
  const remedy = 'create it, let this user write into it, or change the variable';
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new ConfigError(`BACKUP_FOLDER: ${folder} is not an existing folder; ${remedy}.`);
  }
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    throw new ConfigError(`BACKUP_FOLDER: ${folder} cannot be written; ${remedy}.`);
  }
};

/** Files that the hub opens, and some connections. With fewer, it cannot even build its panel. */
const AT_LEAST = 256;

/** The soft limit of open files of this process; undefined where the system has none, as on Windows. */
const openFilesLimit = (): number | undefined => {
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft: number | 'unlimited' } } };
  const soft = userLimits?.open_files?.soft;
  return typeof soft === 'number' ? soft : undefined;
};

/** Refuses to start if connections would soon fail. @throws CliError */
const assertOpenFiles = (): void => {
  const limit = openFilesLimit();
  if (limit === undefined || limit >= AT_LEAST) return;
  throw new CliError(`only ${limit} files may be open at once, and the hub needs ${AT_LEAST}; run: ulimit -n 65536`);
};

/** Gives memory that only the start needed back to the system. The process stands still for some 50 ms. */
const releaseMemory = (): void => {
  setFlagsFromString('--expose-gc');
  const collect: (how: object) => void = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
};

/** Runs the hub until a signal stops it, and resolves with its address when it listens. */
export const start = async (setupLink: boolean, tuning: Partial<Tuning> = {}): Promise<string> => {
  const config = readConfig(process.env);
  assertBackupFolder(config);
  assertOpenFiles();
  await preparePanel((message) => process.stderr.write(`${message}\n`));
  const { runHub } = await import('./run-hub.ts');
  const { lockForHub } = await import('../../db/sqlite/lock.ts');
  let lock: ReturnType<typeof lockForHub>;
  const claim = (): void => {
    const configured = urlOf(config.HOST, config.PORT);
    lock = lockForHub(config.DATABASE_URL, { pid: process.pid, host: hostname(), address: configured });
  };
  const { hub, log, address } = await runHub(config, { claim, tuning, prepare: releaseMemory });
  // Before the next read: whoever sees the hub ready may stop it at once, and bridges are owed a goodbye.
  let isStopping = false;
  const stop = (): Promise<void> => {
    isStopping = true;
    return hub.stop().finally(() => lock?.release());
  };
  stopOnSignal(stop, log);
  const lastLine = await lastLineOf(hub, config.PUBLIC_URL ?? reachable(address), setupLink).catch((error: unknown) => {
    // A stop closes the database under the reads.
    if (!isStopping) throw error;
  });
  if (isStopping || lastLine === undefined) return address;
  log.info({ address, version: VERSION, node: config.NODE_NAME }, 'hub listens');
  log.flush(() => print(lastLine));
  return address;
};

export const defineStart = (command: Command): Command =>
  command
    .option('--setup-link', 'also print the link of an empty hub where standard output is a log')
    .action(async ({ setupLink }: { setupLink?: boolean }) => void (await start(setupLink === true)));

const PLAYERS = 200;
const READY_WITHIN_MS = 30_000;
/** The demo's world is the same each time, and this player stays online for more than an hour. */
const STAYS = 'José Muñoz';

const waitForPlayers = async (hub: Hub, projectId: string): Promise<string> => {
  const deadline = Date.now() + READY_WITHIN_MS;
  while (Date.now() < deadline) {
    const page = await hub.players.list({ projectId, online: true, search: STAYS, limit: 1, offset: 0 });
    const [first] = page.rows;
    if (first !== undefined && (await hub.store.projects.totals(projectId)).players >= PLAYERS) return first.identifier;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new CliError('the simulated game server did not connect');
};

/** Commands to try: what each one shows, and the line to paste. */
const tour = (address: string, key: string, player: string): (readonly [says: string, line: string])[] => {
  const header = `-H 'X-API-Key: ${key}'`;
  const get = (path: string): string => `curl -s '${address}/api/v2/${path}' ${header}`;
  const post = (path: string, body: object): string =>
    `curl -s -X POST '${address}/api/v2/bridge/main/${path}' ${header} -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`;
  return [
    ['the health of the hub and its databases: 200', get('health')],
    ['three of the players: 200', get('players?limit=3')],
    ['players by a part of their name: 200', get('players?search=ana')],
    ['one of them with inventory, vehicles and balances: 200', get(`players/${encodeURIComponent(player)}`)],
    [
      'give money, once, however often you send it: 200',
      `${post('money', { target: player, type: 'bank', amount: 500, action: 'add', reason: 'welcome bonus' })} -H 'Idempotency-Key: welcome-1'`,
    ],
    [
      'take more money than the player has: 409',
      `${post('money', { target: player, type: 'cash', amount: 1_000_000_000, action: 'remove' })} -H 'Idempotency-Key: fee-1'`,
    ],
    [
      'kick the player: 200, and 409 after the player has left',
      post('kick', { target: player, reason: 'Testing the kick' }),
    ],
    ['who asked what, and what happened: 200', get('commands?limit=3')],
    ['what happens now, until Ctrl+C: 200', `curl -sN '${address}/api/v2/events' ${header}`],
  ];
};

const demo = async (): Promise<void> => {
  const { runHub } = await import('./run-hub.ts');
  const { simulate } = await import('../../simulator/simulate.ts');
  const closers: (() => Promise<void>)[] = [];
  let stopping: Promise<void> | undefined;
  const closeAll = async (): Promise<void> => {
    for (const close of closers.reverse()) await close();
  };
  const stop = (): Promise<void> => {
    stopping ??= closeAll();
    return stopping;
  };
  // The demo has its own database, also if DATABASE_URL is set.
  const own = { DATABASE_URL: undefined, MIGRATE_ON_START: 'true' };
  const config = readConfig({ LOG_LEVEL: 'warn', ...process.env, ...own });
  stopOnSignal(stop, createLogger(config.LOG_LEVEL));

  await preparePanel(print);
  const folder = await mkdtemp(join(tmpdir(), 'causeway-demo-'));
  closers.push(() => rm(folder, { recursive: true, force: true }));
  try {
    const database = `file:${join(folder, 'causeway.db')}`;
    const { hub, address } = await runHub({ ...config, DATABASE_URL: database });
    closers.push(hub.stop);
    const first = await provisionFirst(hub.store, { name: 'Demo', server: { id: 'main', name: 'Main server' } });
    const project = first && (await hub.store.projects.bySlug(first.project));
    if (first === undefined || project === undefined) throw new CliError('the demo database is not empty');
    const url = `${address.replace('http', 'ws')}/bridge`;
    const simulation = simulate({ url, token: first.token, players: PLAYERS, worldFile: join(folder, 'world.db') });
    closers.push(simulation.stop);
    const player = await waitForPlayers(hub, project.id);
    const { playersOnline: online } = await hub.store.projects.totals(project.id);
    const main = { projectId: project.id, serverId: 'main' };
    await seedHistory(hub.store, main, { now: Date.now(), online, most: PLAYERS });
    print(`Causeway runs at ${address} with a simulated game server of ${PLAYERS} players.\n`);
    print(`  panel      ${address}  (sign in with the key)`);
    print(`  docs       ${address}/docs`);
    print(`  API key    ${first.key}`);
    print(`  terminal   DATABASE_URL='${database}' ${commandName()} key list --project ${first.project}\n`);
    print('The charts begin with a simulated day; its commands are not in the journal.\n');
    print('Paste any of these into another terminal:\n');
    for (const [says, line] of tour(address, first.key, player)) print(`# ${says}\n${line}\n`);
    print('Ctrl+C stops it; nothing is kept.');
  } catch (error) {
    // Errors after a signal come from the stop.
    const isStopped = stopping !== undefined;
    await stop();
    if (!isStopped) throw error;
  }
};

export const defineDemo = (command: Command): Command => command.action(demo);
