import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { LuaFactory } from 'wasmoon';
import { plainLua } from '../fxserver/cfx-lua.ts';
import { findResources, readResource } from '../fxserver/folder.ts';
import { createMysql } from '../fxserver/mysql.ts';
import { createFxServer } from '../fxserver/server.ts';
import { newFolder } from '../kit/folder.ts';
import { eventually } from '../kit/stage.ts';

const checkouts = process.env['CAUSEWAY_FRAMEWORKS'];

/** In the shape of a framework: shared files of its own and of others, folders of server scripts, oxmysql's wrapper. */
const FILES = {
  '[core]/tiny/fxmanifest.lua': `
    fx_version 'cerulean' -- with a comment
    games { 'gta5', 'rdr3' }
    shared_scripts { '@tiny_lib/init.lua', "config.lua" }
    client_scripts { 'client/*.lua' }
    server_scripts {
      '@oxmysql/lib/MySQL.lua',
      'server/main.lua',
      'server/**/*.lua',
    }
    server_script 'last.js'
    my_data 'x' { y = 1 }`,
  '[core]/tiny/config.lua': `Config = { start = Library.start }`,
  '[core]/tiny/client/main.lua': `error('of the client')`,
  '[core]/tiny/server/main.lua': `
    local count = Config.start
    count += 2
    local nobody
    exports('getCount', function() return count end)
    exports('getNothing', function() return nobody?.account?.money end)
    exports('getHash', function() return \`adder\` end)
    exports('getName', function(id) return MySQL.scalar.await('SELECT name FROM people WHERE id = ?', { id }) end)`,
  '[core]/tiny/server/modules/deep.lua': `exports('getOrder', function() return exports.tiny:getCount() + 1 end)`,
  '[core]/tiny/last.js': `exports('getLast', () => 'js');`,
  'tiny_lib/fxmanifest.lua': `fx_version 'cerulean'`,
  'tiny_lib/init.lua': `Library = { start = 40 }`,
  'oxmysql/lib/MySQL.lua': `
    MySQL = { scalar = {} }
    function MySQL.scalar.await(sql, parameters)
      local waiting = promise.new()
      exports.oxmysql:scalar(sql, parameters, function(result) waiting:resolve(result) end, 'tiny', true)
      return Citizen.Await(waiting)
    end`,
};

const unpack = async (): Promise<string> => {
  const root = newFolder();
  for (const [path, content] of Object.entries(FILES)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  return root;
};

const compiles = async (code: string): Promise<string> => {
  const engine = await new LuaFactory().createEngine();
  engine.global.set('code', code);
  const said = engine.doStringSync(`local fn, problem = load(code, '=', 't') return problem or 'ok'`);
  engine.global.close();
  return String(said);
};

describe('a folder of resources', () => {
  it('is read as the game server reads it, and runs', async () => {
    const resources = findResources(await unpack());
    expect([...resources.keys()].sort()).toEqual(['oxmysql', 'tiny', 'tiny_lib']);
    const tiny = await readResource(resources.get('tiny') ?? '', resources);
    expect(tiny.lua.map(({ name }) => name)).toEqual([
      '@tiny_lib/init.lua',
      '@tiny/config.lua',
      '@oxmysql/lib/MySQL.lua',
      '@tiny/server/main.lua',
      '@tiny/server/modules/deep.lua',
    ]);
    expect(tiny.manifest.get('game')).toEqual(['gta5', 'rdr3']);
    const server = createFxServer();
    const mysql = createMysql();
    onTestFinished(async () => {
      server.crash();
      await mysql.close();
    });
    const table = `CREATE TABLE people (id INTEGER PRIMARY KEY, name VARCHAR(9)); INSERT INTO people VALUES (1, 'Ana');`;
    await mysql.create({ simple: table, real: table });
    server.provide('oxmysql', mysql.exports);
    await server.start(tiny);
    server.run(1);
    const heard: unknown[] = [];
    server.hear('told', (...told: never[]) => heard.push(told));
    await server.start({
      name: 'asker',
      lua: [
        {
          name: 'ask.lua',
          code: `CreateThread(function()
            local tiny = exports.tiny
            TriggerEvent('told', tiny:getCount(), tiny:getOrder(), tiny:getNothing() == nil, tiny:getHash(),
              tiny:getName(1), tiny:getLast())
          end)`,
        },
      ],
    });
    await eventually(() => heard).toEqual([[42, 43, true, -1216765807, 'Ana', 'js']]);
    expect(server.errors).toEqual([]);
  });

  it('says which file of which resource is missing', async () => {
    const resources = findResources(await unpack());
    const tiny = resources.get('tiny') ?? '';
    await expect(readResource(tiny)).rejects.toThrow('@tiny_lib/init.lua: there is no resource tiny_lib');
    writeFileSync(join(tiny, 'fxmanifest.lua'), `server_script 'gone.lua'`);
    await expect(readResource(tiny, resources)).rejects.toThrow('gone.lua is not in');
  });

  it.each([
    ['x += 1', 'x = x + (1)'],
    ['if a then b.c -= 2 end', 'if a then b.c = b.c - (2) end'],
    ["t[1].name ..= 'a' -- b += 1", "t[1].name = t[1].name .. ('a') -- b += 1"],
    ["print('x += 1', [[a?.b]])", "print('x += 1', [[a?.b]])"],
    ['return a?.b(1)?.c[2]?.d', 'return (((a or {}).b(1) or {}).c[2] or {}).d'],
    ['return a?[b]?.c', 'return ((a or {})[b] or {}).c'],
    ['while a <= b do end', 'while a <= b do end'],
  ])('has Lua that every version runs: %s', async (dialect, plain) => {
    expect(plainLua(dialect)).toBe(plain);
    expect(await compiles(plainLua(dialect))).toBe('ok');
  });

  it.runIf(checkouts !== undefined).each(['es_extended', 'qb-core', 'qbx_core', 'ox_lib', 'ox_inventory'])(
    'of checkouts: every server script of %s is found and is plain Lua',
    async (name) => {
      const resources = findResources(checkouts ?? '');
      const { lua } = await readResource(resources.get(name) ?? '', resources);
      expect(lua.length).toBeGreaterThan(1);
      for (const { name: file, code } of lua) expect(`${file}: ${await compiles(code)}`).toBe(`${file}: ok`);
    },
  );
});
