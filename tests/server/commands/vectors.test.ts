import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { startHub, type TestHub } from '../../testkit/hub.ts';
import { answerAll, type CommandFrame, playerFrame, welcomeRaw } from '../../testkit/raw-bridge.ts';
import { eventually } from '../../testkit/stage.ts';

const ANA = 'char1:ana';
const KINDS = ['kick', 'money', 'items', 'vehicles', 'job', 'announce', 'message', 'revive', 'freeze', 'teleport'];
const CUSTOM = {
  name: 'give_item',
  description: 'Puts items into the inventory of a player',
  params: { type: 'object', properties: { whom: { type: 'string' }, item: { type: 'string' } } },
  roles: { player: 'whom' },
};
const PAY = { type: 'bank', amount: 500, action: 'add' };

/**
 * Bridges keep fingerprints in their journals for weeks, and refuse a command that comes back with another one. So each of
 * these values must stay what it is in every later version. They were printed by version 1.0.0-rc.1.
 */
const VECTORS: readonly (readonly [path: string, name: string, body: object, fingerprint: string])[] = [
  ['bridge/main/money', 'money', { target: ANA, ...PAY }, ''],
  ['bridge/main/money', 'money', { target: ANA, ...PAY, action: 'remove' }, ''],
  ['bridge/main/money', 'money', { target: ANA, ...PAY, action: 'deduct' }, ''],
  ['bridge/main/money', 'money', { target: ANA, ...PAY, reason: 'Lottery ✨' }, ''],
  ['bridge/main/money', 'money', { target: ANA, ...PAY, reason: null, allowNegative: true }, ''],
  ['bridge/main/money', 'money', { action: 'add', amount: 1, type: 'cash', target: 'discord:1' }, ''],
  ['bridge/main/money', 'money', { target: ANA, ...PAY, deliver: 'when_online' }, ''],
  ['bridge/main/kick', 'kick', { target: ANA }, ''],
  ['bridge/main/kick', 'kick', { target: 'discord:1', reason: 'AFK' }, ''],
  ['bridge/main/items', 'items', { target: ANA, item: 'bread', count: 3, action: 'add' }, ''],
  [
    'bridge/main/items',
    'items',
    { target: ANA, item: 'id', count: 1, action: 'remove', metadata: { b: [1, { d: 2, c: 1 }], a: 'x' }, allowPartial: true },
    '',
  ],
  ['bridge/main/vehicles', 'vehicles', { target: ANA, action: 'give', model: 'adder', garage: 'legion' }, ''],
  ['bridge/main/vehicles', 'vehicles', { target: ANA, action: 'take', plate: ' abc 123' }, ''],
  ['bridge/main/job', 'job', { target: ANA, job: 'police', grade: 2, reason: 'Hired' }, ''],
  ['bridge/main/announce', 'announce', { message: 'Restart in 5 minutes' }, ''],
  ['bridge/main/message', 'message', { target: ANA, message: 'Hello' }, ''],
  ['bridge/main/revive', 'revive', { target: ANA }, ''],
  ['bridge/main/freeze', 'freeze', { target: ANA, frozen: true }, ''],
  ['bridge/main/teleport', 'teleport', { target: ANA, to: { z: 3, x: 1, y: 2 } }, ''],
  ['bridge/main/actions/give_item', 'custom:give_item', { item: 'gold', whom: 'discord:1' }, ''],
];
/** Of the command that a batch makes of the first vector for one player. */
const OF_BATCH = '';

const digest = (...parts: string[]): string => createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 40);

const openBridge = async (hub: TestHub) => {
  const bridge = await welcomeRaw(hub.bridgeUrl, hub.token, { commands: KINDS.map((kind) => `${kind}@1`) });
  const sent: CommandFrame[] = [];
  answerAll(bridge, (command) => {
    sent.push(command);
    return { status: 'rejected', error: { code: 'refused', message: 'no' } };
  });
  bridge.send({ type: 'commands.custom', commands: [CUSTOM] });
  const players = [playerFrame(ANA, { identifiers: ['discord:1'] })];
  bridge.send({ type: 'players.snapshot', revision: 1, part: 0, last: true, players });
  await eventually(async () => (await hub.request(`/api/v2/players/${ANA}`)).status).toBe(200);
  return sent;
};

it('gives a command the fingerprint and the id of earlier versions', async () => {
  const hub = await startHub();
  const sent = await openBridge(hub);
  for (const [n, [path, , json]] of VECTORS.entries()) {
    await hub.request(`/api/v2/${path}`, { json, headers: { 'Idempotency-Key': `vector-${n}` } });
    await eventually(() => sent.length).toBe(n + 1);
  }
  const { id: project } = hub.project;
  expect(sent.map(({ id, fingerprint }) => [id, fingerprint])).toEqual(
    VECTORS.map(([, name, , fingerprint], n) => [`cmd_${digest(project, 'main', name, `vector-${n}`)}`, fingerprint]),
  );
});

it('makes the ids of a batch of its key and its players', async () => {
  const hub = await startHub();
  const sent = await openBridge(hub);
  const json = { serverId: 'main', name: 'money', params: PAY, targets: ['discord:1'] };
  await hub.request('/api/v2/batches', { json, headers: { 'Idempotency-Key': 'payday' } });
  await eventually(() => sent.length).toBe(1);
  const { id: project } = hub.project;
  const key = `batch/bat_${digest(project, 'main', 'payday')}/${ANA}`;
  expect(sent.map(({ id, fingerprint }) => [id, fingerprint])).toEqual([
    [`cmd_${digest(project, 'main', 'money', key)}`, OF_BATCH],
  ]);
});
