import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { atEnd } from '../kit/ends.ts';
import { newFolder } from '../kit/folder.ts';
import { startHub } from '../kit/hub.ts';
import { until } from '../kit/until.ts';
import { createLua, INTERPRETERS } from './lua.ts';

const README = readFileSync(join(import.meta.dirname, '../../bridge-lua/README.md'), 'utf8');

const bridgeOfReadme = (): string => {
  const [, section = ''] = README.split('\n## A bridge in ten lines\n');
  const [, code = ''] = /^```lua\n([\s\S]*?)^```$/m.exec(section) ?? [];
  return code;
};

it('shows a bridge of ten lines', () => {
  expect(bridgeOfReadme().trim().split('\n')).toHaveLength(10);
});

it.each(INTERPRETERS)('shows a bridge that works under %s', async (lua) => {
  const program = join(newFolder(), 'my-bridge.lua');
  writeFileSync(program, bridgeOfReadme());
  const hub = await startHub();
  const bridge = createLua(lua, program, { env: { CAUSEWAY_URL: hub.bridgeUrl, CAUSEWAY_TOKEN: hub.token } });
  atEnd(() => bridge.kill());
  bridge.start();
  const players = async () => (await hub.request('/api/v2/players')).body['data'] as { name: string }[];
  await until(async () => (await players()).length === 1, `Ana is listed; the bridge said ${bridge.said()}`, {
    withinMs: 15_000,
  });
  expect(await players()).toMatchObject([{ name: 'Ana Souza', online: true, accounts: { bank: 5000 } }]);
  const kick = (target: string) =>
    hub.request('/api/v2/bridge/main/kick', { json: { target }, headers: { Prefer: 'wait=8' } });
  expect(await kick('char1:5f3a9c')).toMatchObject({
    status: 200,
    body: { executed: 'yes', result: { kicked: true } },
  });
  expect(await kick('char1:nobody')).toMatchObject({ status: 404, body: { code: 'player_not_found' } });
});
