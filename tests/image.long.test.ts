import { execFile } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { openWorkplace } from './kit/cli.ts';
import { copyInto, readStages } from './kit/dockerfile.ts';
import { newFolder } from './kit/folder.ts';

const ROOT = join(import.meta.dirname, '..');

it('builds and runs the hub from the files that the Dockerfile copies, and from no others', {
  timeout: 180_000,
}, async () => {
  const [build, runtime] = readStages();
  if (build === undefined || runtime === undefined) throw new Error('the Dockerfile has no two stages');
  expect(build.runs).toEqual(['npm ci', 'npm run build']);
  const built = newFolder();
  copyInto(built, build, new Map());
  // In place of `npm ci`: a checkout has installed the same packages.
  symlinkSync(join(ROOT, 'node_modules'), join(built, 'node_modules'));
  await promisify(execFile)('npm', ['run', 'build'], { cwd: built });

  const image = newFolder();
  copyInto(image, runtime, new Map([[build.name, [build.folder, built]]]));
  const hub = await openWorkplace(onTestFinished, join(image, 'server/cli/causeway.js')).startEmptyHub();
  for (const page of ['/readyz', '/', '/docs', '/docs/api', '/api/v2/openapi.json']) {
    expect([page, (await fetch(`${hub.address}${page}`)).status]).toEqual([page, 200]);
  }
  expect(await hub.stop()).toMatchObject({ code: 0 });
});
