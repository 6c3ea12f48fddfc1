import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { writeZip } from '../bridge/build.ts';
import { stageClient } from './client.ts';
import { makeDeb } from './deb.ts';
import { makeExecutable } from './executable.ts';
import { filesIn, OUT, ROOT, sha256, WORK } from './files.ts';
import { pack, stageHub } from './hub.ts';
import { stageProtocol } from './protocol.ts';
import { run } from './run.ts';
import { TARGETS, type TargetName } from './runtimes.ts';
import { makeSbom } from './sbom.ts';

const isTarget = (name: string): name is TargetName => Object.hasOwn(TARGETS, name);

const { values, positionals } = parseArgs({
  options: { only: { type: 'string', default: Object.keys(TARGETS).join(',') } },
  allowPositionals: true,
});
if (positionals.some((name) => name !== 'client')) throw new Error('release: all files, or only "client"');
const wanted = values.only.split(',').filter((name) => name !== '');
const unknown = wanted.filter((name) => !isTarget(name));
if (unknown.length > 0) throw new Error(`--only: no executable ${unknown.join(', ')}; use ${Object.keys(TARGETS)}`);

const say = (text: string): void => void process.stdout.write(`${text}\n`);

rmSync(WORK, { recursive: true, force: true });
mkdirSync(WORK, { recursive: true });
if (positionals.length > 0) {
  mkdirSync(OUT, { recursive: true });
  say(`Written to ${join(OUT, pack(stageClient(), OUT))}.`);
  rmSync(WORK, { recursive: true });
  process.exit();
}
rmSync(OUT, { recursive: true, force: true });
mkdirSync(OUT, { recursive: true });
run('npm', ['run', 'build'], { cwd: ROOT });
const hub = await stageHub();
pack(hub, OUT);
pack(stageProtocol(), OUT);
pack(stageClient(), OUT);
await writeZip(OUT);
for (const name of wanted.filter(isTarget)) {
  const file = await makeExecutable(hub, TARGETS[name]);
  if (name === 'linux-x64') makeDeb(file);
}
makeSbom();
const names = filesIn(OUT);
const sums = names.map((name) => `${sha256(readFileSync(join(OUT, name)))}  ${name}\n`).join('');
writeFileSync(join(OUT, 'SHA256SUMS'), sums);
rmSync(WORK, { recursive: true });
for (const name of names) say(`${String(statSync(join(OUT, name)).size).padStart(11)}  ${basename(name)}`);
say(`Written to ${OUT}.`);
