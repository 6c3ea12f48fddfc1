import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../../..');

/** Logs and flushes while the log's own flush, which comes every 200 ms, is under way: writes are slow here. */
const PROGRAM = `
import fs from 'node:fs';
const { write } = fs;
fs.write = (...given) => setTimeout(() => write(...given), 50);
const { createLogger } = await import('./server/platform/log.ts');
const log = createLogger('info');
setTimeout(() => {
  log.info('the line');
  log.flush(() => process.stdout.write('what follows it'));
}, 210);
`;

it('has written every line before flush calls back', () => {
  const args = ['--input-type=module', '--eval', PROGRAM];
  const said = execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
  expect(said.match(/the line|what follows it/g)).toEqual(['the line', 'what follows it']);
});
