import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { openWorkplace } from './kit/cli.ts';
import { copyInto, readStages } from './kit/dockerfile.ts';

const ROOT = join(import.meta.dirname, '..');

const emptyFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-image-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

it('builds and runs the hub from the files that the Dockerfile copies, and from no others', {
  timeout: 180_000,
}, async () => {
  const [build, runtime] = readStages();
  if (build === undefined || runtime === undefined) throw new Error('the Dockerfile has no two stages');
  expect(build.runs).toEqual(['npm ci', 'npm run build']);
  const built = emptyFolder();
  copyInto(built, build, new Map());
  // In place of `npm ci`: a checkout has installed the same packages.
  symlinkSync(join(ROOT, 'node_modules'), join(built, 'node_modules'));
  await promisify(execFile)('npm', ['run', 'build'], { cwd: built });

  const image = emptyFolder();
  copyInto(image, runtime, new Map([[build.name, [build.folder, built]]]));
  const hub = await openWorkplace(onTestFinished, join(image, 'server/cli/causeway.js')).startEmptyHub();
  for (const page of ['/readyz', '/', '/docs', '/docs/api', '/api/v2/openapi.json']) {
    expect([page, (await fetch(`${hub.address}${page}`)).status]).toEqual([page, 200]);
  }
  expect(await hub.stop()).toMatchObject({ code: 0 });
});
