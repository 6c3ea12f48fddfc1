import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import vm from 'node:vm';
import { plainLua } from './cfx-lua.ts';
import { readManifest } from './manifest.ts';
import type { Resource } from './server.ts';

const MANIFEST = 'fxmanifest.lua';

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort();

/** Resources whose manifest is made by their build: a checkout has only these files of them. */
const UNBUILT = ['oxmysql/lib/MySQL.lua'];

const resourceOf = (file: string): string | undefined => {
  if (basename(file) === MANIFEST) return dirname(file);
  const unbuilt = UNBUILT.find((path) => `/${file}`.endsWith(`/${path}`));
  return unbuilt === undefined ? undefined : file.slice(0, file.length - unbuilt.length + unbuilt.indexOf('/'));
};

/** The folders of all resources below one, by their names, in whatever `[category]`. */
export const findResources = (root: string): ReadonlyMap<string, string> =>
  new Map(
    filesIn(root)
      .flatMap((file) => resourceOf(file) ?? [])
      .map((folder) => [basename(folder), join(root, folder)]),
  );

/** `*` is anything in one folder, `**` any folders. */
const patternOf = (glob: string): RegExp => {
  const source = glob
    .split(/(\*\*\/|\*)/)
    .map((part) => ({ '**/': '(?:.*/)?', '*': '[^/]*' })[part] ?? part.replace(/[\\^$+?.()|[\]{}]/g, '\\$&'))
    .join('');
  return new RegExp(`^${source}$`);
};

/** The manifest of a resource in a folder. */
export const manifestIn = (folder: string) => readManifest(readFileSync(join(folder, MANIFEST), 'utf8'));

type ReadResource = Resource & {
  lua: { name: string; code: string }[];
  js: vm.Script[];
  manifest: ReadonlyMap<string, readonly string[]>;
};

/**
 * Reads a resource as FXServer does: shared scripts first, then server scripts, each in the order of the manifest;
 * `@name/file` is a file of another resource.
 * @throws Error when a script that is named without a `*` is not there, or is of a resource that is not
 */
export const readResource = async (
  folder: string,
  others: ReadonlyMap<string, string> = new Map(),
): Promise<ReadResource> => {
  const manifest = await manifestIn(folder);
  const named = new Map<string, string>();
  const resolve = (entry: string): string[] => {
    const [, other = basename(folder), path = entry] = /^@([^/]+)\/(.+)$/.exec(entry) ?? [];
    const home = other === basename(folder) ? folder : others.get(other);
    if (home === undefined) throw new Error(`${entry}: there is no resource ${other}`);
    const found = filesIn(home).filter((file) => patternOf(path).test(file));
    if (found.length === 0 && !path.includes('*')) throw new Error(`${entry} is not in ${home}`);
    for (const file of found) named.set(join(home, file), `@${other}/${file}`);
    return found.map((file) => join(home, file));
  };
  const entries = ['shared_script', 'server_script'].flatMap((kind) => manifest.get(kind) ?? []);
  const scripts = [...new Set(entries.flatMap(resolve))];
  const codeOf = (path: string) => readFileSync(path, 'utf8');
  return {
    name: basename(folder),
    manifest,
    lua: scripts
      .filter((path) => path.endsWith('.lua'))
      .map((path) => ({ name: named.get(path) ?? path, code: plainLua(codeOf(path)) })),
    js: scripts.filter((path) => path.endsWith('.js')).map((path) => new vm.Script(codeOf(path), { filename: path })),
  };
};
