import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { installClient } from './client-package.ts';
import { scenarioOf } from './client-scenario.ts';
import { newFolder } from './folder.ts';
import { openStage } from './stage.ts';

const run = promisify(execFile);

/** The packages of the registry that `program` names are for this machine. */
export const HAS_RUNTIMES = process.platform === 'linux' && process.arch === 'x64';

/** A runtime of JavaScript: a program, or one out of a package. */
export type Runtime = { from?: string; program: string; args?: string[] };

const installed = async ({ from, program }: Runtime): Promise<string> => {
  if (from === undefined) return program;
  const folder = newFolder();
  writeFileSync(join(folder, 'package.json'), '{}');
  await run('npm', ['install', '--silent', '--ignore-scripts', '--prefix', folder, from]);
  return join(folder, 'node_modules', program);
};

/** Runs the scenario of the client under a runtime, against a hub with a game server. */
export const playUnder = async (runtime: Runtime) => {
  const program = await installed(runtime);
  const stage = await openStage();
  const folder = newFolder();
  installClient(folder);
  const main = `import process from 'node:process';
    const { HUB, KEY } = process.env;
    console.log((await play(HUB, KEY)).join('\\n'));`;
  writeFileSync(join(folder, 'scenario.js'), `${scenarioOf('@causewayhub/client')}\n${main}\n`);
  const env = { HOME: folder, HUB: stage.hub().address, KEY: stage.hub().key };
  const { stdout } = await run(program, [...(runtime.args ?? []), 'scenario.js'], { cwd: folder, env });
  return { seen: stdout.trim().split('\n'), bank: stage.bank() };
};
