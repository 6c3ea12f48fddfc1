import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, type TestContext } from 'vitest';
import { ask, openWorkplace, SHIPPED, SLOW } from '../../kit/cli.ts';

type Player = { identifier: string; online: boolean; accounts: Record<string, number> };

const POLL = { timeout: 15_000 };
const STILL = ['--life-every', '0'];

/** A demo in a folder of its own, with a temporary folder of its own in it. */
const openDemo = ({ onTestFinished }: TestContext, env: Record<string, string> = {}) => {
  const place = openWorkplace(onTestFinished, SHIPPED);
  const temporary = join(place.folder, 'tmp');
  mkdirSync(temporary);
  const demo = place.start(['demo'], { TMPDIR: temporary, ...env });
  const left = (): string[] => [
    ...readdirSync(place.folder).filter((name) => name !== 'tmp'),
    ...readdirSync(temporary).filter((name) => name.startsWith('causeway')),
  ];
  return { place, demo, left };
};

/** The lines to paste, with the status that is announced above each. */
const tourOf = (stdout: string) =>
  [...stdout.matchAll(/^# (.+): (\d{3}).*\n(curl .+)$/gm)].map(([, says = '', status = '', line = '']) => ({
    says,
    status: Number(status),
    line,
  }));

describe.concurrent('the demo', SLOW, () => {
  it('prints lines that work when they are pasted, and leaves no files behind', async (context) => {
    const { expect } = context;
    const { place, demo, left } = openDemo(context);
    await demo.line(/Ctrl\+C stops it; nothing is kept\.\n/);
    const { stdout } = demo.output;
    const [, address = ''] = /Causeway runs at (http:\/\/127\.0\.0\.1:\d+) with .* 200 players/.exec(stdout) ?? [];
    const [, key = ''] = /API key +(cw_live_\w{38})\n/.exec(stdout) ?? [];
    const tour = tourOf(stdout);
    expect(tour).toHaveLength(stdout.match(/^curl /gm)?.length ?? 0);
    expect(left()).not.toEqual([]);

    const paste = async ({ line, status }: { line: string; status: number }) => {
      const isStream = line.includes('/events');
      const ended = await place.shell(`${line} --max-time ${isStream ? 12 : 20} -w '\n%{http_code}'`);
      const answered = Number(ended.stdout.slice(-3));
      expect({ line, answered }).toEqual({ line, answered: status });
      return ended.stdout.slice(0, -4);
    };
    const stream = tour.filter(({ line }) => line.includes('/events'));
    expect(stream).toHaveLength(1);
    const streamed = Promise.all(stream.map(paste));
    const answers = new Map<string, string>();
    for (const step of tour) if (!stream.includes(step)) answers.set(step.says, await paste(step));

    expect(JSON.parse(answers.get('three of the players') ?? '').data).toHaveLength(3);
    const gift = tour.find(({ says }) => says === 'give money, once, however often you send it');
    const given = JSON.parse(answers.get(gift?.says ?? '') ?? '');
    expect(given).toMatchObject({ status: 'succeeded', executed: 'yes' });
    expect(gift && JSON.parse(await paste(gift)).id).toBe(given.id);
    expect(JSON.parse(answers.get('take more money than the player has') ?? '').code).toBe('insufficient_funds');
    expect(answers.get('players by a part of their name')).toMatch(/"name":"[^"]*ana/i);
    expect((await streamed).join()).toMatch(/^event: command\.settled$/m);
    expect((await fetch(`${address}/docs`)).status).toBe(200);
    const [, terminal = ''] = /^ {2}terminal +(\S.*)$/m.exec(stdout) ?? [];
    expect((await place.shell(terminal)).stdout).toContain('first key');

    expect(stdout).toContain('The charts begin with a simulated day');
    type Day = { points: { online: number | null; ended: { succeeded: number } | null }[] };
    const { points } = (await ask({ address }, key, '/statistics?range=24h')).body as unknown as Day;
    const online = points.flatMap((point) => point.online ?? []);
    expect(online.length).toBeGreaterThan(90);
    expect(Math.max(...online)).toBeLessThanOrEqual(200);
    expect(Math.max(...online)).toBeGreaterThan(1.1 * Math.min(...online));
    expect(points.reduce((sum, { ended }) => sum + (ended?.succeeded ?? 0), 0)).toBeGreaterThan(50);

    const people = async (): Promise<Player[]> =>
      (await ask({ address }, key, '/players?limit=200')).body['data'] as Player[];
    const lives = async () =>
      (await people()).map(({ identifier, online, accounts }) => [identifier, online, accounts]);
    const before = await lives();
    expect(before).toHaveLength(200);
    await expect.poll(lives, { timeout: 20_000, interval: 500 }).not.toEqual(before);

    const { code, stderr } = await demo.stop('SIGINT');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(left()).toEqual([]);
  });

  it('leaves nothing behind when it is stopped before it is ready', async (context) => {
    const { expect } = context;
    const { demo, left } = openDemo(context, { LOG_LEVEL: 'info', DATABASE_URL: 'mysql://not-used' });
    await demo.line(/"bridge welcomed"/);
    expect(await demo.stop('SIGINT')).toMatchObject({ code: 0, stderr: '' });
    expect(left()).toEqual([]);
  });
});

describe('npm', SLOW, () => {
  /** A program under npm, in a folder of its own; ended with the test, whatever is left of it. */
  const underNpm = (args: readonly string[], settings: (folder: string) => Record<string, string>) => {
    const folder = mkdtempSync(join(tmpdir(), 'causeway-npm-'));
    const env = { ...process.env, PORT: '0', LOG_LEVEL: 'info', ...settings(folder) };
    const npm = spawn('npm', args, { env, stdio: ['ignore', 'pipe', 'ignore'], detached: true });
    let text = '';
    npm.stdout.on('data', (data: Buffer) => {
      text += data.toString();
    });
    onTestFinished(() => {
      if (isRunning()) process.kill(-(npm.pid ?? 0), 'SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    });
    /** Whether any process of its group is left. */
    const isRunning = (): boolean => {
      try {
        return process.kill(-(npm.pid ?? 0), 0);
      } catch {
        return false;
      }
    };
    return { folder, npm, said: () => text, isRunning };
  };

  it('ends the demo with itself, and nothing is left', async () => {
    const { folder, npm, said, isRunning } = underNpm(['run', 'demo'], (TMPDIR) => ({ TMPDIR }));
    const left = () => readdirSync(folder).filter((name) => name.startsWith('causeway-demo-'));
    await expect.poll(said, { timeout: 60_000 }).toContain('Ctrl+C stops it');
    expect(left()).toHaveLength(1);
    npm.kill('SIGTERM');
    await expect.poll(isRunning, { timeout: 20_000 }).toBe(false);
    expect(left()).toEqual([]);
  });

  it.each([
    ['npm start', ['start']],
    ['npx causeway start', ['exec', '--', 'causeway', 'start']],
  ])('ends the hub of %s with itself', async (_how, args) => {
    const { npm, said, isRunning } = underNpm(args, (folder) => ({ DATABASE_URL: `file:${join(folder, 'hub.db')}` }));
    await expect.poll(said, { timeout: 60_000 }).toContain('The hub is empty.');
    npm.kill('SIGTERM');
    await expect.poll(isRunning, { timeout: 20_000 }).toBe(false);
    expect(said()).toContain('"reason":"npm has ended"');
  });
});

describe.concurrent('a simulated game server', SLOW, () => {
  it('keeps payments in its world file, and ends with one line when the hub refuses it', async ({
    expect,
    onTestFinished,
  }) => {
    const place = openWorkplace(onTestFinished);
    const hub = await place.startHub();
    const simulate = (token: string, ...args: string[]) =>
      place.start(['bridge', 'simulate', '--url', hub.bridgeUrl, ...STILL, ...args], { CAUSEWAY_TOKEN: token });
    const online = async (): Promise<Player[]> =>
      (await ask(hub, hub.key, '/players?online=true&limit=200')).body['data'] as Player[];
    const some = async (): Promise<boolean> => (await online()).length > 0;

    const game = simulate(hub.token, '--players', '30', '--world', 'world.db');
    await expect.poll(some, POLL).toBe(true);
    expect((await ask(hub, hub.key, '/players')).body['pagination']).toMatchObject({ total: 30 });
    const [{ identifier, accounts } = { identifier: '', accounts: { bank: 0 } }] = await online();
    const pay = { target: identifier, type: 'bank', amount: 4321, action: 'add' };
    expect(await ask(hub, hub.key, '/bridge/main/money', pay)).toMatchObject({ status: 200 });
    expect(await game.stop('SIGINT')).toMatchObject({ code: 0, stderr: '' });
    await expect.poll(some, POLL).toBe(false);

    const again = simulate(hub.token, '--world', 'world.db');
    await expect.poll(some, POLL).toBe(true);
    const fresh = await fetch(`${hub.address}/api/v2/players/${encodeURIComponent(identifier)}`, {
      headers: { 'X-API-Key': hub.key, 'Cache-Control': 'no-cache' },
    });
    expect(await fresh.json()).toMatchObject({ accounts: { bank: (accounts['bank'] ?? 0) + 4321 } });

    const refused = await simulate(`${hub.token.slice(0, -1)}_`).ended();
    const reason = 'Send a valid bridge token: Authorization: Bearer cwb_…';
    expect(refused.code).toBe(1);
    expect(refused.stderr).toBe(`causeway: the hub at ${hub.bridgeUrl} refused this bridge: ${reason}\n`);

    await place.json('server', 'rotate', 'main', '--project', 'default');
    // A simulator that was welcomed goes on: its server may be enabled again.
    await again.line(/closed with 4501 .*start it again with the new token; it tries again every ten minutes/);
    const ended = await again.stop('SIGINT');
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(`${refused.stdout}${ended.stdout}`).not.toContain(hub.token.slice(0, -1));
  });

  it('says in one line why it cannot begin', async ({ expect, onTestFinished }) => {
    const { verb } = openWorkplace(onTestFinished);
    const simulate = (url: string, ...args: string[]) => verb(['bridge', 'simulate', '--url', url, ...args]);
    const [addressless, tokenless] = await Promise.all([
      simulate('ws://', '--token', 'cwb_x'),
      simulate('ws://127.0.0.1:1/bridge'),
    ]);
    expect(addressless.stderr).toMatch(/^causeway: option '--url <url>' .* Use an address such as ws:\/\/\S+\n$/);
    expect(tokenless.stderr).toBe('causeway: give --token, or set CAUSEWAY_TOKEN\n');
    expect([addressless.code, tokenless.code]).toEqual([2, 2]);
  });
});
