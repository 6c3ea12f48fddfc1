import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { atEnd } from '../kit/ends.ts';
import { newFolder } from '../kit/folder.ts';
import { startHub, type TestHub } from '../kit/hub.ts';
import { mountSmallDisk } from '../kit/small-disk.ts';
import { until } from '../kit/until.ts';
import { createLua, INTERPRETERS, type Interpreter, LEDGER } from './lua.ts';
import { openTlsDoor } from './tls-door.ts';
import { nextAfterOutcomes, syncedIn, tracedInto } from './trace.ts';

const HOST = "local host = require 'causeway.host.luasocket' {}";
const START = 'bridge:start()';

type BridgeOptions = {
  hub: TestHub;
  folder: string;
  /** The line that replaces the line of the example that makes the host. */
  host?: string;
  /** More lines of the program, before it starts. */
  more?: string;
  url?: string;
  args?: readonly string[];
};

/** The example of the library as it is, or with another host. */
const openBridge = (lua: Interpreter, options: BridgeOptions) => {
  const { hub, folder, host = HOST, more = '', url = hub.bridgeUrl, args = [] } = options;
  const source = readFileSync(LEDGER, 'utf8');
  for (const line of [HOST, START]) expect(source).toContain(line);
  const program = join(newFolder(), 'ledger.lua');
  writeFileSync(program, source.replace(HOST, host).replace(START, `${more}\n${START}`));
  const journal = join(folder, 'journal');
  const log: string[] = [];
  const env = { CAUSEWAY_URL: url, CAUSEWAY_TOKEN: hub.token, CAUSEWAY_JOURNAL: journal };
  const bridge = createLua(lua, program, { env, args, hear: (line) => void log.push(line) });
  atEnd(() => bridge.kill());
  bridge.start();
  return { ...bridge, log, journal };
};

const stageOf = (hub: TestHub) => ({
  connected: () => until(() => hub.sizes().sessions === 1, 'the bridge is connected', { withinMs: 15_000 }),
  journalClass: async () =>
    ((await hub.request('/api/v2/servers/main')).body['bridge'] as { journalClass: string }).journalClass,
  pay: (amount: number, headers: Record<string, string> = {}) =>
    hub.request('/api/v2/bridge/main/money', {
      json: { target: 'char1:ana', type: 'bank', action: 'add', amount },
      headers: { Prefer: 'wait=8', ...headers },
    }),
  balance: async () => {
    const answer = await hub.request('/api/v2/players/char1:ana', { headers: { 'Cache-Control': 'no-cache' } });
    return (answer.body['accounts'] as Record<string, number>)['bank'];
  },
  rows: async () => (await hub.request('/api/v2/commands?limit=200')).body['data'] as { status: string }[],
});

describe.each(INTERPRETERS)('the Lua bridge under %s', (lua) => {
  it('R2: sends its token only to a hub whose certificate it can check', async () => {
    const hub = await startHub();
    const { url, heard, certificate } = await openTlsDoor(hub.port);
    const folder = newFolder();
    const distrustful = openBridge(lua, { hub, folder, url });
    await until(() => distrustful.log.some((line) => /certificate/i.test(line)), 'it says why', { withinMs: 15_000 });
    expect(heard()).toBe(0);
    await distrustful.kill('SIGTERM');
    const ca = join(folder, 'ca.pem');
    writeFileSync(ca, certificate);
    openBridge(lua, { hub, folder, url, host: HOST.replace('{}', `{ ca_file = '${ca}' }`) });
    await stageOf(hub).connected();
  });

  it('R36, R37: pays nothing that a full disk does not take, and says only what is written', async () => {
    const disk = mountSmallDisk(atEnd);
    if (disk === undefined) throw new Error('this user cannot mount a disk');
    const hub = await startHub();
    const { connected, pay, balance, rows } = stageOf(hub);
    const bridge = openBridge(lua, { hub, folder: disk.folder });
    await connected();
    expect(await pay(10)).toMatchObject({ status: 200 });
    disk.fill();
    // The rest of the last block takes some payments, and ends before a record does.
    const refused = async (): Promise<number | undefined> => {
      for (let n = 0; n < 40; n += 1) {
        const { status } = await pay(10, { Prefer: 'wait=1', 'Idempotency-Key': `full-${n}` });
        if (status !== 200) return status;
      }
      return undefined;
    };
    expect([501, 202]).toContain(await refused());
    disk.empty();
    const isOpen = async (): Promise<boolean> =>
      (await rows()).some(({ status }) => /accepted|dispatched/.test(status));
    await until(async () => !(await isOpen()), 'every command has ended', { withinMs: 40_000 });
    const paid = (await rows()).filter(({ status }) => status === 'succeeded').length;
    expect(await balance()).toBe(10 * paid);
    await expect.poll(() => pay(10), { timeout: 10_000 }).toMatchObject({ status: 200 });
    await bridge.kill();
    bridge.start();
    await until(async () => (await balance()) === 10 * (paid + 1), 'the killed bridge has the balance', {
      withinMs: 15_000,
    });
  });

  it('R33: refuses new commands while it stops', async () => {
    const hub = await startHub();
    const { connected, pay } = stageOf(hub);
    const more = "bridge:register { name = 'hold', run = function() return causeway.later end }";
    const bridge = openBridge(lua, { hub, folder: newFolder(), more });
    await connected();
    const act = (name: string) =>
      hub.request(`/api/v2/bridge/main/actions/${name}`, { json: {}, headers: { Prefer: 'wait=8' } });
    const held = act('hold');
    await until(async () => (await stageOf(hub).rows()).some(({ status }) => status === 'dispatched'), 'it runs');
    void bridge.kill('SIGTERM');
    await expect.poll(() => pay(5)).toMatchObject({ status: 503, body: { code: 'server_restarting' } });
    // It waits up to five seconds for what runs, then says goodbye.
    await until(() => hub.sizes().sessions === 0, 'it has left', { withinMs: 15_000 });
    expect(await held).toMatchObject({ body: { executed: 'unknown' } });
  });

  it('R42: says atomic, and syncs each line of the journal before it answers', async () => {
    const hub = await startHub();
    const { connected, journalClass, pay } = stageOf(hub);
    const folder = newFolder();
    const trace = join(newFolder(), 'trace');
    const { journal, kill } = openBridge(lua, { hub, folder, args: tracedInto(trace) });
    await connected();
    expect(await journalClass()).toBe('atomic');
    for (const amount of [5, 6, 7]) expect(await pay(amount)).toMatchObject({ status: 200 });
    await kill('SIGTERM');
    expect(syncedIn(trace)).toContain(journal);
    expect(syncedIn(trace)).toContain(folder);
    const next = nextAfterOutcomes(trace, journal);
    expect(next.length).toBeGreaterThanOrEqual(6);
    expect(next.filter((what) => what !== 'sync')).toEqual([]);
  });

  it.each(['fsync', 'fsync_folder'])('R42: says volatile without %s, and takes no money', async (missing) => {
    const hub = await startHub();
    const { connected, journalClass, pay } = stageOf(hub);
    openBridge(lua, { hub, folder: newFolder(), host: `${HOST} host.${missing} = nil` });
    await connected();
    expect(await journalClass()).toBe('volatile');
    expect(await pay(5)).toMatchObject({ status: 501, body: { code: 'journal_required' } });
  });
});
