import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { strFromU8, unzipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { zipResource } from '../../bridge/build.ts';
import { VERSION } from '../../bridge/version.ts';
import { readResource } from '../fxserver/folder.ts';
import { scriptsOf } from '../fxserver/game.ts';
import type { FxServer, Resource } from '../fxserver/server.ts';
import { newFolder } from '../kit/folder.ts';
import { eventually } from '../kit/stage.ts';
import { ESX } from './frameworks.ts';
import { openWorld } from './stage.ts';

const unpacked = async (): Promise<Map<string, string>> =>
  new Map(Object.entries(unzipSync(await zipResource())).map(([path, bytes]) => [path, strFromU8(bytes)]));

const unpack = async () => {
  const folder = newFolder();
  for (const [path, content] of await unpacked()) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return readResource(join(folder, 'causeway'));
};

/** Carries out the lines of a server.cfg, as far as the guides use them. */
const carryOut = async (server: FxServer, config: string, resources: readonly Resource[]): Promise<void> => {
  for (const line of config.split('\n')) {
    const [verb, first = '', ...rest] = line.trim().split(/\s+/);
    const value = rest.join(' ').replace(/^"(.*)"$/, '$1');
    if (verb === 'set') server.convars.set(first, value);
    else if (verb === 'add_convar_permission') server.convarReaders.set(rest[1] ?? '', [first]);
    else if (verb === 'ensure') await server.start(resources.find(({ name }) => name === first) as Resource);
    else expect(line.trim()).toBe('');
  }
};
const configOf = (page: string): string => /```cfg\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
const INSTALL = readFileSync(join(import.meta.dirname, '../../docs/guides/fivem/install.md'), 'utf8');

describe('the zip', () => {
  it('has the same hash each time', async () => {
    const hash = async (): Promise<string> =>
      createHash('sha256')
        .update(await zipResource())
        .digest('hex');
    expect(await hash()).toBe(await hash());
  });

  it('unpacks into files that every user of the game server may read', async () => {
    const zip = Buffer.from(await zipResource());
    const modes: string[] = [];
    for (let at = zip.indexOf('PK\x01\x02'); at >= 0; at = zip.indexOf('PK\x01\x02', at + 1)) {
      expect(zip.readUInt8(at + 5)).toBe(3);
      modes.push((zip.readUInt32LE(at + 38) >>> 16).toString(8));
    }
    expect(modes).toEqual([...(await unpacked()).keys()].map(() => '100644'));
  });

  it('moves money when it is unpacked into an empty folder and nothing else is there', async () => {
    const bridge = await unpack();
    const { pay, stored } = await openWorld(ESX, { bridge });
    expect(await pay({ target: ESX.ana })).toMatchObject({ status: 200 });
    expect(await stored(ESX.ana)).toMatchObject({ bank: 5050 });
  });

  it('starts nothing from a folder with another name, and says what to do', async () => {
    const bridge = await unpack();
    const { server, hub } = await openWorld(ESX, { bridge });
    await server.stop('causeway');
    const isConnected = async () => (await hub.request('/api/v2/servers/main')).body['connected'];
    await eventually(isConnected).toBe(false);
    const before = server.lines.length;
    await server.start({ ...bridge, name: 'causeway-1.0.0' });
    await eventually(() => server.lines.slice(before).join('\n')).toContain(
      '[causeway] the folder is called causeway-1.0.0: rename it to causeway and write "ensure causeway".',
    );
    expect(await isConnected()).toBe(false);
  });

  it.each(['README.md', 'docs/guides/fivem/install.md'])(
    'is installed by the lines of %s, as they stand there',
    async (page) => {
      const bridge = await unpack();
      const { server, hub, pay } = await openWorld(ESX, { bridge });
      await server.stop('causeway');
      for (const name of ['causeway_url', 'causeway_token']) server.convars.delete(name);
      server.convarReaders.clear();
      const before = server.lines.length;
      const text = page === 'README.md' ? ((await unpacked()).get('causeway/README.md') ?? '') : INSTALL;
      const config = configOf(text)
        .replace('wss://hub.example.com/bridge', hub.bridgeUrl)
        .replace('cwb_...', hub.token);
      await carryOut(server, config, [bridge]);
      await eventually(() => server.lines.slice(before).join()).toContain('[causeway] connected to the hub');
      expect(await pay({ target: ESX.ana })).toMatchObject({ status: 200 });
      await server.start({
        name: 'curious',
        lua: [{ name: 'a.lua', code: "print(GetConvar('causeway_token', 'none'))" }],
      });
      expect(server.lines.at(-1)).toBe('[curious] none');
    },
  );

  it('contains every script of its manifest, and no Lua that no manifest names', async () => {
    const files = await unpacked();
    const scripts = scriptsOf(files.get('causeway/fxmanifest.lua') ?? '').map((path) => `causeway/${path}`);
    const others = ['README.md', 'LICENSES.txt', 'fxmanifest.lua'].map((path) => `causeway/${path}`);
    expect([...files.keys()].sort()).toEqual([...scripts, ...others].sort());
  });

  it('is one small file of JavaScript that needs nothing but Node.js', async () => {
    const code = (await unpacked()).get('causeway/dist/server.js') ?? '';
    expect(code.length).toBeGreaterThan(10_000);
    const required = [...code.matchAll(/require\("([^"]+)"\)/g)].map((match) => match[1] ?? '');
    const { builtinModules } = await import('node:module');
    const optional = ['bufferutil', 'utf-8-validate'];
    expect(required.filter((name) => !builtinModules.includes(name) && !optional.includes(name))).toEqual([]);
  });

  it('can be read: no long line, the names of the sources, and where it comes from', async () => {
    expect((await zipResource()).length).toBeLessThan(400 * 1024);
    const files = await unpacked();
    const lines = [...files.values()].flatMap((content) => content.split('\n'));
    expect(lines.filter((line) => line.length > 200)).toEqual([]);
    const code = files.get('causeway/dist/server.js') ?? '';
    expect(code).toContain(`Causeway bridge ${VERSION}`);
    expect(code).toMatch(/\bvar createDialer = /);
  });

  it('unpacks nothing when the download was cut off', async () => {
    const zip = await zipResource();
    for (const bytes of [0, 1_000, zip.length / 2, zip.length - 1]) {
      expect(() => unzipSync(zip.subarray(0, bytes))).toThrow('invalid zip data');
    }
  });

  it('names no path of the machine it was made on, and nothing outside of itself', async () => {
    for (const [path, content] of await unpacked()) {
      expect(path).toMatch(/^causeway\/[\w./-]+$/);
      expect(path).not.toContain('..');
      expect(content).not.toContain(process.cwd());
      if (path.endsWith('.lua')) expect(content).not.toMatch(/'[^']*\.\.\//);
    }
  });

  it('gives no other resource a way in', async () => {
    for (const [path, content] of await unpacked()) {
      expect(content, path).not.toMatch(/RegisterNetEvent|RegisterServerEvent|\bonNet\(/);
    }
  });
});
