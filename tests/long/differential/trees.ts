import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { HubProcess } from './hub-client.ts';

const run = promisify(execFile);

/** What the process of a hub needs from a checkout. A checkout that has it elsewhere gets another line here. */
const ENTRY = `
export { runHub } from './server/cli/run-hub.ts';
export { readConfig } from './server/platform/config.ts';
`;
/** They have files of their own beside their code, or are not used. */
const IN_PLACE = ['better-sqlite3', 'swagger-ui-dist', 'pg-native', 'bufferutil', 'utf-8-validate'];
const REQUIRE = `import { createRequire as makeRequire } from 'node:module';
const require = makeRequire(import.meta.url);`;

/** A source finds the files beside it although it runs from the bundle. */
const filesInPlace = {
  name: 'files in place',
  setup: ({ onLoad }: Parameters<NonNullable<Parameters<typeof build>[0]['plugins']>[0]['setup']>[0]): void =>
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8');
      return { loader: 'ts', contents: source.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href)) };
    }),
};

/** The hub of a checkout as one program that starts fast, and the folder to remove afterwards. */
const bundle = async (checkout: string): Promise<{ folder: string; program: string }> => {
  const cache = join(checkout, 'node_modules/.cache');
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, 'differential-'));
  const program = join(folder, 'hub.mjs');
  await build({
    stdin: { contents: ENTRY, resolveDir: checkout, loader: 'ts' },
    absWorkingDir: checkout,
    outfile: program,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node22.21',
    external: IN_PLACE,
    banner: { js: REQUIRE },
    plugins: [filesInPlace],
    logLevel: 'silent',
  });
  return { folder, program: pathToFileURL(program).href };
};

/** What both hubs know alike: the secrets of one project and its game server. */
export type Secrets = { key: string; token: string };

/** A database with one project, one key and one game server, made by the command line of a checkout. */
const makeDatabase = async (checkout: string, file: string): Promise<Secrets> => {
  const causeway = async (...args: string[]): Promise<Record<string, unknown>> => {
    const command = [join(checkout, 'server/cli/causeway.js'), ...args, '--json'];
    const env = { ...process.env, DATABASE_URL: `file:${file}` };
    return JSON.parse((await run(process.execPath, command, { cwd: checkout, env })).stdout);
  };
  await causeway('project', 'create', 'test', '--rate-limit', '1000000');
  const { key } = await causeway('key', 'create', '--project', 'test', '--name', 'differ');
  const { token } = await causeway('server', 'create', 'main', '--project', 'test');
  return { key: String(key), token: String(token) };
};

/** Starts the hub once, so that its migrations have run, and stops it. */
const migrate = async (program: string, file: string): Promise<void> => {
  const hub = new HubProcess(program);
  await hub.open(file, { wall: Date.now(), monotonic: 0 });
  await hub.stop();
  for (let passed = 0; hub.isRunning && passed < 20_000; passed += 100) await hub.ask({ do: 'advance', ms: 100 });
  await hub.kill();
};

/** One of the two checkouts: its program, and the database that each walk begins with. */
export type Tree = { name: 'old' | 'new'; program: string; database: string };

/** The database that both hubs begin with, in base64. */
export type Empty = { database: string; secrets: Secrets };

/**
 * Prepares both checkouts. The new hub gets a copy of the old one's database, so that ids made of a key are equal; `given`
 * is that of a tape.
 */
export const prepareTrees = async (oldCheckout: string, newCheckout: string, given?: Empty) => {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-differential-'));
  const file = join(folder, 'empty.db');
  if (given !== undefined) await writeFile(file, given.database, 'base64');
  const secrets = given?.secrets ?? (await makeDatabase(resolve(oldCheckout), file));
  const empty: Empty = { database: await readFile(file, 'base64'), secrets };
  const folders = [folder];
  const prepare = async (name: Tree['name'], checkout: string): Promise<Tree> => {
    const made = await bundle(resolve(checkout));
    folders.push(made.folder);
    const database = join(folder, `${name}.db`);
    await copyFile(file, database);
    await migrate(made.program, database);
    return { name, program: made.program, database };
  };
  return {
    empty,
    secrets,
    folder,
    trees: [await prepare('old', oldCheckout), await prepare('new', newCheckout)] as const,
    remove: async (): Promise<void> => {
      for (const each of folders) await rm(each, { recursive: true, force: true });
    },
  };
};
export type Trees = Awaited<ReturnType<typeof prepareTrees>>;
