import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { startHub, type TestHub } from '../../kit/hub.ts';
import { answerAll, type CommandFrame, playerFrame, reportPlayers, welcomeRaw } from '../../kit/raw-bridge.ts';
import { eventually } from '../../kit/stage.ts';

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
const VECTORS: readonly (readonly [name: string, body: Record<string, unknown>, fingerprint: string])[] = [
  ['money', { target: ANA, ...PAY }, 'gcqAduenH5NGsEtXt3TVnzEbrIvzKvx5ngj9rLUjL7g'],
  ['money', { target: ANA, ...PAY, action: 'remove' }, 'qGwfBaRZ0Lf4c2lZKKB6Np1Y9yyJnlvjH71O2R5NvtA'],
  ['money', { target: ANA, ...PAY, action: 'deduct' }, 'qGwfBaRZ0Lf4c2lZKKB6Np1Y9yyJnlvjH71O2R5NvtA'],
  ['money', { target: ANA, ...PAY, reason: 'Lottery ✨' }, 'NyMX1YvghR4FLQBo9IlsyBv1Y8tmJkiiXtFRuPUh9DE'],
  ['money', { target: ANA, ...PAY, reason: null, allowNegative: true }, '4LMlIcDPtJX67ExPxUNQv0UB9AFmFn1PF3edgRqRabU'],
  [
    'money',
    { action: 'add', amount: 1, type: 'cash', target: 'discord:1' },
    '2RfTiVJSylm0CBZECFShIPqhhNTH-7HOXRlMKMk73xo',
  ],
  ['money', { target: ANA, ...PAY, deliver: 'when_online' }, 'gcqAduenH5NGsEtXt3TVnzEbrIvzKvx5ngj9rLUjL7g'],
  ['kick', { target: ANA }, 'mN2X05s2w723tmJS0m8w4A8qmh6vwLCQ8pSF16Vmtt8'],
  ['kick', { target: 'discord:1', reason: 'AFK' }, 'rJ9Xi6Ni1MixichJndnpT7bm9I5T2Uk5qCFlYNfrgGg'],
  ['items', { target: ANA, item: 'bread', count: 3, action: 'add' }, 'y9ocCX_J_xS5nAbfQj03haGUyT_InDGqlxlk3Rqm0Nk'],
  [
    'items',
    {
      target: ANA,
      item: 'id',
      count: 1,
      action: 'remove',
      metadata: { b: [1, { d: 2, c: 1 }], a: 'x' },
      allowPartial: true,
    },
    'ulQzQoP8DXcGOY7f6Vfe8IDoLhRL-s8cP2Aw2LhwRDU',
  ],
  [
    'vehicles',
    { target: ANA, action: 'give', model: 'adder', garage: 'legion' },
    'NdkAtRmfzdvT-dz961n27e7JrvwwLnKLmIED-kFHC4I',
  ],
  ['vehicles', { target: ANA, action: 'take', plate: ' abc 123' }, 'cUDHRJfp4DjoLXAKvJqzfgPgX7xaspYzrAfkchvhrTY'],
  ['job', { target: ANA, job: 'police', grade: 2, reason: 'Hired' }, '-Gzc13JMMxrsUIISfxZqMGYluUZo38WOindMjeo5tu0'],
  ['announce', { message: 'Restart in 5 minutes' }, 'HmYa5AJTj25hEXrm8YUCsk5Ya8u7Ab0kbIKBum81BoM'],
  ['message', { target: ANA, message: 'Hello' }, 'AJynCzA88tsW0J5vIFA7yfHvaXuCxObo4znI1_hG4fE'],
  ['revive', { target: ANA }, 'YbNZTn8R9aJsJBBFv-6vHrktj-rnTdPbl70xY77FLVo'],
  ['freeze', { target: ANA, frozen: true }, 'EWzmEw86hum4SvTH8LHDh5orfCJHCaGqoZPwiX5qZuY'],
  ['teleport', { target: ANA, to: { z: 3, x: 1, y: 2 } }, '1BYHq-sPyd7NsnZEIOSTxWieruh0sYVzkbgGY-UzTeE'],
  ['custom:give_item', { item: 'gold', whom: 'discord:1' }, '2L538ZiKfhQPu7gpH6DIWTRJFuLmUDVn8NpmeRUflkI'],
];
/** Of the command that a batch makes of the first vector for one player. */
const OF_BATCH = 'ryIC8c2YeofpXCMr-biThl0qDYdomwCJQ0R4zxUSvn8';

const digest = (...parts: string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 40);

const openBridge = async (hub: TestHub) => {
  const bridge = await welcomeRaw(hub.bridgeUrl, hub.token, { commands: KINDS.map((kind) => `${kind}@1`) });
  const sent: CommandFrame[] = [];
  answerAll(bridge, (command) => {
    sent.push(command);
    return { status: 'rejected', error: { code: 'refused', message: 'no' } };
  });
  bridge.send({ type: 'commands.custom', commands: [CUSTOM] });
  await reportPlayers(hub, bridge, playerFrame(ANA, { identifiers: ['discord:1'] }));
  return sent;
};

it('gives a command the fingerprint and the id of earlier versions', async () => {
  const hub = await startHub();
  const sent = await openBridge(hub);
  for (const [n, [name, json]] of VECTORS.entries()) {
    const path = `bridge/main/${name.replace('custom:', 'actions/')}`;
    await hub.request(`/api/v2/${path}`, { json, headers: { 'Idempotency-Key': `vector-${n}` } });
    await eventually(() => sent.length).toBe(n + 1);
  }
  const { id: project } = hub.project;
  expect(sent.map(({ id, fingerprint }) => [id, fingerprint])).toEqual(
    VECTORS.map(([name, { deliver }, fingerprint], n) => [
      `cmd_${digest(project, 'main', name, `vector-${n}`)}${deliver === undefined ? '' : '.1'}`,
      fingerprint,
    ]),
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
    [`cmd_${digest(project, 'main', 'money', key)}.1`, OF_BATCH],
  ]);
});
