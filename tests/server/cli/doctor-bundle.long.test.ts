import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { simulate } from '../../../simulator/simulate.ts';
import { ask, SLOW } from '../../kit/cli.ts';
import { examine, withHub } from '../../kit/doctor.ts';

type Known = { identifier: string; name: string; identifiers: string[] };

describe('causeway doctor --bundle', SLOW, () => {
  it('writes a bundle without a secret or a player in it', async () => {
    const { place, hub, port } = await withHub();
    const game = simulate({ url: hub.bridgeUrl, token: hub.token, players: 5, lifeEveryMs: 0 });
    onTestFinished(game.stop);
    await expect
      .poll(async () => (await ask(hub, hub.key, '/players')).body['data'], { timeout: 15_000 })
      .toHaveLength(5);
    const players = (await ask(hub, hub.key, '/players')).body['data'] as Known[];
    const secrets = { METRICS_TOKEN: 'metrics-token-of-this-hub' };
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
      expect(report).not.toContain(secret);
    }
    for (const { identifier, name, identifiers } of players) {
      expect(identifiers.length).toBeGreaterThan(0);
      for (const each of [identifier, name, ...identifiers]) expect(report).not.toContain(each);
    }
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect((await place.run(['doctor', '--bundle', file], { PORT: port })).code).toBe(1);
    const addresses = {
      DATABASE_URL: 'postgres://hub:hunter2-database@127.0.0.1:1/hub',
      NATS_URL: 'nats://hub:hunter2-nats@127.0.0.1:1',
      PUBLIC_URL: 'https://hub:hunter2-public@127.0.0.1:1',
    };
    const second = join(place.folder, 'second.json');
    await examine(place, addresses, ['--bundle', second]);
    const settings = Object.fromEntries(Object.keys(addresses).map((name) => [name, 'set']));
    expect(JSON.parse(readFileSync(second, 'utf8'))).toMatchObject({ settings });
    expect(readFileSync(second, 'utf8')).not.toContain('hunter2');
  });
});
