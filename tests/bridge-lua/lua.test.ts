import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { LuaFactory } from 'wasmoon';

const TESTS = import.meta.dirname;
const LIBRARY = join(TESTS, '../../bridge-lua');
const factory = new LuaFactory();

const luaFilesOf = (folder: string): string[] =>
  readdirSync(folder, { encoding: 'utf8', recursive: true }).filter((path) => path.endsWith('.lua'));
const NAMES = luaFilesOf(TESTS).flatMap((path) => /^test_(\w+)\.lua$/.exec(path)?.[1] ?? []);

beforeAll(async () => {
  for (const [place, folder] of Object.entries({ tests: TESTS, library: LIBRARY })) {
    for (const path of luaFilesOf(folder)) {
      await factory.mountFile(`/causeway/${place}/${path}`, readFileSync(join(folder, path)));
    }
  }
});

/** Runs one file of tests in a Lua 5.4 of its own: the report of failures, and the names of all files that there are. */
const run = async (name: string): Promise<{ report: string; files: string }> => {
  const engine = await factory.createEngine({ injectObjects: false, enableProxy: false });
  try {
    engine.global.set('CAUSEWAY_TESTS', '/causeway/tests');
    engine.global.set('CAUSEWAY_LIBRARY', '/causeway/library');
    engine.global.set('CAUSEWAY_ONLY', name);
    engine.doStringSync("REPORT, PASSED, FILES = dofile '/causeway/tests/main.lua'");
    expect(engine.global.get('PASSED')).toBeGreaterThan(0);
    return { report: engine.global.get('REPORT'), files: engine.global.get('FILES') };
  } finally {
    engine.global.close();
  }
};

it.each([...luaFilesOf(join(LIBRARY, 'causeway')).map((path) => join('causeway', path)), 'examples/ledger.lua'])(
  'turns the compiler of LuaJIT off: %s',
  (path) => {
    const [first] = readFileSync(join(LIBRARY, path), 'utf8')
      .split('\n')
      .filter((line) => !line.startsWith('--'));
    expect(first).toBe('if jit then jit.off(true, true) end');
  },
);

it.each(NAMES)('keeps its promises under Lua 5.4: %s', async (name) => {
  const { report, files } = await run(name);
  expect(report).toBe('');
  expect(files.split(' ').sort()).toEqual(NAMES.toSorted());
});
