import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { simulate } from '../../simulator/simulate.ts';
import { ask, openWorkplace, SLOW, takenPort } from '../testkit/cli.ts';

type Finding = { check: string; status: 'ok' | 'warn' | 'fail'; text: string };
type Place = ReturnType<typeof openWorkplace>;

const examine = async (place: Place, env: Record<string, string> = {}, more: string[] = []) => {
  const { code, stdout, stderr } = await place.run(['doctor', '--json', ...more], env);
  const { findings } = JSON.parse(stdout) as { findings: Finding[] };
  const of = (name: string): Finding | undefined => findings.find(({ check }) => check === name);
  return { code, stdout, stderr, findings, of };
};

/** A workplace with a database, and the port of a hub that runs there. */
const withHub = async (env: Record<string, string> = {}) => {
  const place = openWorkplace(onTestFinished);
  const hub = await place.startHub(env);
  return { place, hub, port: new URL(hub.address).port };
};

describe('causeway doctor', SLOW, () => {
  it('says what is well, and ends with 0 where nothing fails', async () => {
    const { place, port } = await withHub();
    mkdirSync(join(place.folder, 'backups'));
    const { code, findings, of } = await examine(place, { PORT: port, BACKUP_FOLDER: join(place.folder, 'backups') });
    const names = ['node', 'disk', 'files', 'database', 'clock', 'bridges', 'port', 'address', 'tls', 'nats', 'backup'];
    expect(findings.map(({ check }) => check)).toEqual(names);
    expect(findings.filter(({ status }) => status === 'fail')).toEqual([]);
    expect(of('port')).toMatchObject({ status: 'ok', text: `a hub answers at 127.0.0.1, port ${port}` });
    expect(of('backup')).toMatchObject({ status: 'warn', text: expect.stringContaining('there is none in') });
    expect(code).toBe(0);
    const missing = await examine(place, { PORT: port, BACKUP_FOLDER: join(place.folder, 'nowhere') });
    expect(missing.of('backup')).toMatchObject({ status: 'fail', text: expect.stringContaining('make it') });
    const { stdout } = await place.run(['doctor'], { PORT: port });
    expect(stdout).toMatch(/^(ok {4}|warn {2})node {6}Node\.js /m);
  });

  it('finds what is wrong, says what to do, and ends with 1', async () => {
    const { place } = await withHub();
    chmodSync(place.file, 0o644);
    const taken = await takenPort();
    const folder = join(place.folder, 'backups');
    mkdirSync(folder);
    writeFileSync(join(folder, 'causeway-20200101T000000Z.db'), 'old');
    const { code, stderr, of } = await examine(place, {
      PORT: String(taken),
      PUBLIC_URL: `https://127.0.0.1:${taken}`,
      BACKUP_FOLDER: folder,
    });
    expect(of('files')).toMatchObject({ status: 'fail', text: expect.stringContaining(`chmod 600 ${place.file}`) });
    expect(of('port')).toMatchObject({ status: 'fail', text: expect.stringContaining('set PORT') });
    expect(of('address')).toMatchObject({ status: 'fail', text: expect.stringContaining('set it to the number') });
    expect(of('tls')).toMatchObject({
      status: 'fail',
      text: expect.stringContaining('check DNS, certificate and proxy'),
    });
    expect(of('backup')).toMatchObject({ status: 'fail', text: expect.stringContaining('hours old') });
    expect([code, stderr]).toEqual([1, 'causeway: 5 checks failed\n']);
  });

  it('is done in time with a NATS server that says nothing, and a database that is not there', async () => {
    const silent = createServer();
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void silent.close());
    const address = silent.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const place = openWorkplace(onTestFinished);
    const url = 'postgres://hub:secret-word@127.0.0.1:1/hub';
    const { code, of, stdout } = await examine(place, {
      DATABASE_URL: url,
      NATS_URL: `nats://u:secret-word@127.0.0.1:${port}`,
    });
    expect(of('nats')).toMatchObject({ status: 'fail', text: `no NATS server answers at 127.0.0.1:${port}` });
    expect(of('database')).toMatchObject({ status: 'fail' });
    expect(stdout).not.toContain('secret-word');
    expect(code).toBe(1);
    const missing = await examine(openWorkplace(onTestFinished));
    expect(missing.of('database')).toMatchObject({ status: 'fail', text: expect.stringContaining('there is no file') });
  });

  it('writes a bundle without a secret or a player in it', async () => {
    const { place, hub, port } = await withHub();
    const game = simulate({ url: hub.bridgeUrl, token: hub.token, players: 5, lifeEveryMs: 0 });
    onTestFinished(game.stop);
    await expect.poll(async () => (await ask(hub, hub.key, '/players')).body['data']).toHaveLength(5);
    const players = (await ask(hub, hub.key, '/players')).body['data'] as { identifier: string; name: string }[];
    const secrets = { METRICS_TOKEN: 'metrics-token-of-this-hub', NATS_URL: '' };
    const file = join(place.folder, 'report.json');
    await examine(place, { PORT: port, ...secrets }, ['--bundle', file]);
    const report = readFileSync(file, 'utf8');
    expect(JSON.parse(report)).toMatchObject({
      settings: { METRICS_TOKEN: 'set', PORT: port },
      counts: { projects: 1 },
    });
    for (const secret of [
      hub.key,
      hub.token,
      ...Object.values(secrets),
      hub.key.slice(0, 12),
      hub.token.slice(0, 12),
    ]) {
      if (secret !== '') expect(report).not.toContain(secret);
    }
    for (const { identifier, name } of players) {
      expect(report).not.toContain(identifier);
      expect(report).not.toContain(name);
    }
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect((await place.run(['doctor', '--bundle', file], { PORT: port })).code).toBe(1);
  });
});
