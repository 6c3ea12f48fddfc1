import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { bundle } from '../../../server/cli/bundle.js';
import { ask, openWorkplace, SHIPPED, SLOW } from '../../kit/cli.ts';

const root = join(import.meta.dirname, '../../..');

/** Fails at the first line of the command line that uses stdout. */
const FAILING_STDOUT = `--import=data:text/javascript,${encodeURIComponent(
  "process.stdout.on = () => { throw new Error('no stdout'); };",
)}`;

/** The folder that the last stage of the Dockerfile copies together. */
const releaseFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-release-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const [, lastStage = ''] = (await readFile(join(root, 'Dockerfile'), 'utf8')).split(/^FROM .*-slim$/m);
  for (const [, files = ''] of lastStage.matchAll(/^COPY (?:--from=build )?(.*)$/gm)) {
    const [target = '', ...sources] = files.split(' ').toReversed();
    for (const source of sources.map((path) => path.replace('/opt/causeway/', ''))) {
      const isFolder = target.endsWith('/');
      const place = join(
        folder,
        target === './' ? source : isFolder ? join(target, source.split('/').at(-1) ?? '') : target,
      );
      await mkdir(dirname(place), { recursive: true });
      await cp(join(root, source), place, { recursive: true });
    }
  }
  // The output of `npm run build` for the current sources.
  await rm(join(folder, 'dist/program'), { recursive: true, force: true });
  await mkdir(join(root, 'dist'), { recursive: true });
  const program = await mkdtemp(join(root, 'dist/program-'));
  onTestFinished(() => rm(program, { recursive: true }));
  await bundle(program);
  await cp(program, join(folder, 'dist/program'), { recursive: true });
  return folder;
};

/** The line of the source that the error of `FAILING_STDOUT` names as its place. */
const lineNamedIn = async (stderr: string): Promise<string | undefined> => {
  const [, line = ''] = /at main \(.*\/server\/cli\/main\.ts:(\d+):\d+\)/.exec(stderr) ?? [];
  return (await readFile(join(root, 'server/cli/main.ts'), 'utf8')).split('\n')[Number(line) - 1];
};

it('starts from the sources of a checkout, without a word', SLOW, async () => {
  const place = openWorkplace(onTestFinished, SHIPPED);
  expect(await place.run(['--help'])).toMatchObject({ code: 0, stderr: '' });
  const { stderr } = await place.run(['--help'], { NODE_OPTIONS: FAILING_STDOUT });
  expect(await lineNamedIn(stderr)).toContain('process.stdout.on(');
});

it('names itself by words that run it again in the same shell, and never fetch a package', SLOW, async ({ expect }) => {
  const place = openWorkplace(onTestFinished, SHIPPED);
  const project = join(place.folder, 'my bot/node_modules/.bin');
  await mkdir(project, { recursive: true });
  await mkdir(join(place.folder, 'bin'));
  // As npm links the program: in a project, and for the whole machine.
  for (const link of [join(project, 'causeway'), join(place.folder, 'bin/causeway')]) await symlink(SHIPPED, link);
  const places = {
    checkout: `cd '${root}' && npm run -s causeway --`,
    elsewhere: `node ${SHIPPED}`,
    project: `'${join(project, 'causeway')}'`,
    machine: 'PATH="$PWD/bin:$PATH" && causeway',
    // Its own variable, as the image and the Debian package set it.
    image: `CAUSEWAY_COMMAND='docker compose exec hub causeway' node ${SHIPPED}`,
  };
  const usages = Object.entries(places).map(async ([name, line]) => {
    const { stdout } = await place.shell(`${line} key list --help`);
    return [name, /^Usage: (.*) key list/.exec(stdout)?.[1]];
  });
  const told = Object.fromEntries(await Promise.all(usages));
  expect(told).toEqual({
    checkout: 'npm run causeway --',
    elsewhere: `node ${SHIPPED}`,
    project: `"${join(project, 'causeway')}"`,
    machine: 'causeway',
    image: 'docker compose exec hub causeway',
  });
  for (const name of ['elsewhere', 'project'] as const) {
    expect((await place.shell(`${told[name]} --version`)).code, name).toBe(0);
  }
});

it('says its version without the program', async () => {
  const place = openWorkplace(onTestFinished, SHIPPED);
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const ended = await place.run(['--version'], { NODE_OPTIONS: FAILING_STDOUT });
  expect(ended).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
});

it('runs from the files of the image alone: hub, threads, documentation and panel', SLOW, async () => {
  const folder = await releaseFolder();
  const place = openWorkplace(onTestFinished, join(folder, 'server/cli/causeway.js'));
  const hub = await place.startHub();
  expect(await ask(hub, hub.key, '/players?search=ana&online=true')).toMatchObject({ status: 200 });
  for (const path of ['/docs/api', '/docs/guides/run-a-hub', '/']) {
    expect((await fetch(`${hub.address}${path}`)).status, path).toBe(200);
  }
  expect(await hub.stop()).toMatchObject({ code: 0, stderr: '' });

  const { stderr } = await place.run(['--help'], { NODE_OPTIONS: `--enable-source-maps ${FAILING_STDOUT}` });
  expect(await lineNamedIn(stderr)).toContain('process.stdout.on(');
  // Compiled code is kept in this folder, and nowhere else.
  await place.run(['--help'], { NODE_COMPILE_CACHE: '' });
  expect(await readdir(join(folder, 'node_modules/.cache/causeway/compiled'))).not.toEqual([]);
});
