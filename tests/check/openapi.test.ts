import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { readApiDocument } from '../kit/api-document.ts';
import { API_TYPES_FILE, generateApiTypes } from '../kit/generate-api-types.ts';
import { startHub } from '../kit/hub.ts';

const run = promisify(execFile);
const REDOCLY = new URL('../node_modules/.bin/redocly', import.meta.url).pathname;

describe('the OpenAPI document', () => {
  it('passes the linter without an error or a warning', async () => {
    const hub = await startHub();
    const file = join(hub.folder, 'openapi.json');
    await writeFile(file, await readApiDocument());
    const env = { PATH: process.env['PATH'], REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
    const { stdout } = await run(REDOCLY, ['lint', '--extends=recommended-strict', '--format=json', file], {
      cwd: hub.folder,
      env,
    });
    expect(JSON.parse(stdout)).toMatchObject({ totals: { errors: 0, warnings: 0, ignored: 0 }, problems: [] });
  });

  it('matches the committed types', async () => {
    const committed = await readFile(API_TYPES_FILE, 'utf8');
    const isCurrent = committed === (await generateApiTypes(await readApiDocument()));
    expect(isCurrent, 'the API has changed: npm run openapi:types').toBe(true);
  });
});
