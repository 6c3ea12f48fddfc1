import { readdirSync, statSync } from 'node:fs';
import { afterAll, describe, expect, it, onTestFinished, type TestContext } from 'vitest';
import { SCOPES } from '../../../server/auth/credentials.ts';
import { isInContainer } from '../../../server/cli/start.ts';
import { simulate } from '../../../simulator/simulate.ts';
import { ask, type CliHub, type Ended, openWorkplace, SHIPPED, SLOW, takenPort } from '../../kit/cli.ts';
import { welcomeRaw } from '../../kit/raw-bridge.ts';

const MONEY = { target: 'char1:ana', type: 'bank', amount: 500, action: 'add' };
const SECRET = /cw(?:_live|b|p|s|t)_\w{38}/g;

const secretsIn = ({ stdout, stderr }: Ended): string[] => `${stdout}${stderr}`.match(SECRET) ?? [];

/** A command on its way to a game server that answers when the test says so. */
const inFlight = async (hub: CliHub, { key, token }: { key: string; token: string }) => {
  const bridge = await welcomeRaw(hub.bridgeUrl, token);
  const answer = ask(hub, key, '/bridge/main/money', MONEY);
  return { bridge, answer, command: await bridge.command() };
};

/** Sends SIGTERM while a command is in flight: it ends well, new ones are refused. */
const drained = async (hub: CliHub): Promise<Ended> => {
  const { bridge, answer, command } = await inFlight(hub, hub);
  hub.signal('SIGTERM');
  await bridge.frame('drain');
  expect((await fetch(`${hub.address}/readyz`)).status).toBe(503);
  const refused = await ask(hub, hub.key, '/bridge/main/money', MONEY);
  expect(refused).toMatchObject({ status: 503, body: { code: 'draining', executed: 'no' } });
  const data = { account: 'bank', before: 1, after: 501 };
  bridge.send({ type: 'result', id: command.id, status: 'done', data, sequence: 1 });
  expect(await answer).toMatchObject({ status: 200, body: { id: command.id, executed: 'yes' } });
  expect(await bridge.closed()).toMatchObject({ code: 4000 });
  return hub.ended();
};

/** Sends SIGINT while a game server never answers and a caller reads events: the hub does not wait long for either. */
const interrupted = async (hub: CliHub, secrets: { key: string; token: string }): Promise<Ended> => {
  const { bridge, answer } = await inFlight(hub, secrets);
  const stream = await fetch(`${hub.address}/api/v2/events`, { headers: { 'X-API-Key': secrets.key } });
  const startedAt = performance.now();
  const ended = await hub.stop('SIGINT');
  expect(performance.now() - startedAt).toBeLessThan(9_000);
  expect(await answer).toMatchObject({ status: 202, body: { code: 'in_doubt', executed: 'unknown' } });
  expect(bridge.isClosed()).toBe(true);
  await stream.text().catch(() => undefined);
  return ended;
};

describe('the last line of a start', SLOW, () => {
  const lastLine = (text: string): string | undefined => text.trimEnd().split('\n').at(-1);

  it('says which address to open, and how to make a key', async () => {
    const place = openWorkplace(onTestFinished, SHIPPED);
    const create = `node ${SHIPPED} key create --project default --name "my key"`;
    const make = `sign in with your API key. To make one: ${create}`;
    const first = await place.startHub({ HOST: '0.0.0.0' });
    await first.line(/^Open /m);
    const { port } = new URL(first.address);
    expect(lastLine(first.output.stdout)).toBe(`Open http://127.0.0.1:${port} and ${make}`);
    await first.stop('SIGTERM');
    const second = await place.startHub({ PUBLIC_URL: 'https://hub.example.com/', LOG_LEVEL: 'info' });
    await second.line(/^Open /m);
    expect(lastLine(second.output.stdout)).toBe(`Open https://hub.example.com and ${make}`);
  });
});

describe('an empty hub', SLOW, () => {
  const place = openWorkplace(afterAll, SHIPPED);

  it('prints no link where standard output is a log, and setup-link and init are refused once it is set up', async () => {
    const hub = await place.startEmptyHub();
    await hub.line(/^The hub is empty\. For the address of its setup, run: node \/.*causeway\.js setup-link$/m);
    const first = await place.run(['setup-link']);
    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(first.stdout).toMatch(/^http:\/\/127\.0\.0\.1:0\/setup#cws_\w{38}\n$/);
    const token = first.stdout.trim().split('#')[1];
    const open = await fetch(`${hub.address}/setup/open`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ token }),
    });
    expect(open.status).toBe(204);
    const made = await place.json<Record<string, string>>('init', '--name', 'Liberty RP', '--server', 'west');
    expect(made).toEqual({
      project: 'liberty-rp',
      key: expect.stringMatching(/^cw_live_\w{38}$/),
      server: 'west',
      token: expect.stringMatching(/^cwb_\w{38}$/),
    });
    expect(await ask(hub, made['key'] ?? '', '/project')).toMatchObject({ status: 200, body: { name: 'Liberty RP' } });
    for (const args of [['init'], ['setup-link']]) {
      expect(await place.run(args)).toMatchObject({ code: 1, stderr: expect.stringContaining('is set up already') });
    }
    const ended = await hub.stop();
    expect(secretsIn(ended)).toEqual([]);
  });

  const link =
    /^Set the hub up within 15 minutes, in one browser: (http:\/\/127\.0\.0\.1:\d+)\/setup#(cws_\w{38})\r?$/m;
  const inContainer = { container: 'podman' };

  it('prints a link to a terminal', async () => {
    const other = openWorkplace(onTestFinished, SHIPPED);
    // Where these tests run in a container themselves, its terminal is a log.
    const hub = other.startInTerminal(isInContainer(process.env) ? ['start', '--setup-link'] : ['start']);
    await hub.line(link);
    await hub.stop();
    expect(secretsIn({ code: 0, ...hub.output })).toHaveLength(1);
  });

  it('prints no link to the terminal of a container, because that is a log, too', async () => {
    const other = openWorkplace(onTestFinished, SHIPPED);
    const hub = other.startInTerminal(['start'], inContainer);
    await hub.line(/^The hub is empty\. For the address of its setup, run: node \/.*causeway\.js setup-link\r?$/m);
    await hub.stop();
    expect(secretsIn({ code: 0, ...hub.output })).toEqual([]);
  });

  it('prints another link at the next start when it was killed in the middle of the setup', async () => {
    const other = openWorkplace(onTestFinished, SHIPPED);
    const open = (address: string, token: string) =>
      fetch(`${address}/setup/open`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ token }),
      });
    const killed = other.start(['start', '--setup-link'], inContainer);
    const [, first = '', firstToken = ''] = await killed.line(link);
    expect((await open(first, firstToken)).status).toBe(204);
    await killed.stop('SIGKILL');
    const next = other.start(['start', '--setup-link'], inContainer);
    const [, address = '', token = ''] = await next.line(link);
    expect((await open(address, firstToken)).status).toBe(410);
    expect((await open(address, token)).status).toBe(204);
    await next.stop();
  });
});

describe('start', SLOW, () => {
  const place = openWorkplace(afterAll, SHIPPED);
  let secrets = { key: '', token: '' };

  it('takes callers and game servers, shows no secret, and ends well at SIGTERM', async () => {
    const hub = await place.startHub({ LOG_LEVEL: 'trace' });
    secrets = { key: hub.key, token: hub.token };
    expect(statSync(place.file).mode & 0o777).toBe(0o600);
    expect(await ask(hub, hub.key, '/project')).toMatchObject({ status: 200, body: { slug: 'default' } });
    expect((await ask(hub, hub.key, '/servers/main')).body).toMatchObject({ serverId: 'main' });
    const [made] = (await ask(hub, hub.key, '/keys')).body['data'] as { scopes: string[] }[];
    expect(made?.scopes.toSorted()).toEqual([...SCOPES].sort());
    const game = simulate({ url: hub.bridgeUrl, token: hub.token, players: 3, lifeEveryMs: 0 });
    onTestFinished(game.stop);
    await expect.poll(async () => (await ask(hub, hub.key, '/players')).body['data']).toHaveLength(3);
    expect((await ask(hub, `${hub.key.slice(0, -1)}_`, '/project')).status).toBe(401);
    await game.stop();

    const ended = await drained(hub);
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(secretsIn(ended)).toEqual([]);
  });

  it('ends in time at SIGINT', async () => {
    const hub = await place.startHub({ LOG_LEVEL: 'trace', SHUTDOWN_GRACE_MS: '300' });
    const ended = await interrupted(hub, secrets);
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(secretsIn(ended)).toEqual([]);
  });
});

type Refusal = { args?: readonly string[]; env?: Record<string, string>; code: number; says: RegExp };

/** Runs a command line that must be refused: one line on stderr, nothing else, and no new file. */
const refused = async (
  { expect, onTestFinished }: TestContext,
  { args = ['start'], env = {}, code, says }: Refusal,
) => {
  const place = openWorkplace(onTestFinished, SHIPPED);
  const ended = await place.run(args, env);
  expect(ended).toMatchObject({ code, stdout: '' });
  expect(ended.stderr).toMatch(/^causeway: [^\n]+\n$/);
  expect(ended.stderr).toMatch(says);
  expect(readdirSync(place.folder)).toEqual([]);
  return ended;
};

describe.concurrent('a setting that cannot be used stops the start with one line that names it:', SLOW, () => {
  const settings: [variable: string, value: string, says: RegExp][] = [
    ['PORT', 'abc', /PORT: must be a whole number from 0 to 65535; without it 8080 is used/],
    ['TRUST_PROXY', '1.5', /TRUST_PROXY: must be a whole number from 0 to 10/],
    ['MIGRATE_ON_START', 'maybe', /MIGRATE_ON_START: must be true or false/],
    ['NATS_URL', 'nats://127.0.0.1', /NATS_URL: .*set DATABASE_URL to postgres/],
  ];
  it.for(settings)('%s=%s', async ([variable, value, says], context) => {
    await refused(context, { env: { [variable]: value }, code: 1, says });
  });

  it('names every wrong one at once, with its bounds and without a password', async (context) => {
    const env = {
      PORT: '99999',
      LOG_LEVEL: 'x',
      DATABASE_URL: 'mysql://root:hunter2@db/causeway',
      COMMAND_WAIT_MS: 'soon',
      SHUTDOWN_GRACE_MS: '0',
      METRICS_TOKEN: 'short',
    };
    const { stderr } = await refused(context, { env, code: 1, says: /PORT: .*65535.*LOG_LEVEL: .*info/ });
    context.expect(stderr).toMatch(/DATABASE_URL: must begin with file: or postgres:\/\//);
    context.expect(stderr).toMatch(/COMMAND_WAIT_MS: .*number from 1.*SHUTDOWN_GRACE_MS: .*number from 1/);
    context.expect(stderr).toMatch(/METRICS_TOKEN: .*16/);
    context.expect(stderr).not.toContain('hunter2');
  });
});

describe.concurrent('wrong usage is one line and exit code 2:', SLOW, () => {
  const usages: [line: string, says: RegExp][] = [
    ['launch', /unknown command 'launch'/],
    ['start --port 80', /unknown option '--port'/],
  ];
  it.for(usages)('causeway %s', async ([line, says], context) => {
    await refused(context, { args: line.split(' '), code: 2, says });
  });
});

describe('a port', SLOW, () => {
  it('in use is named before the database is touched', async (context) => {
    const port = await takenPort();
    const says = new RegExp(`port ${port} on 127\\.0\\.0\\.1 is in use; .*set PORT`);
    await refused(context, { env: { PORT: String(port) }, code: 1, says });
  });
});
