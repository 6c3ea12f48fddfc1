import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../../bridge-protocol/index.ts';
import { createEconomy, startGameServer } from '../../kit/game-server.ts';
import { shareHub, startHub, type TestHub } from '../../kit/hub.ts';
import { answerAll, type CommandFrame, type RawBridge, welcomeRaw } from '../../kit/raw-bridge.ts';

const newTenant = shareHub();
const BOTH = ['announce@1', 'announce@2'];
/** The longest list of the longest identifiers. */
const LONGEST = Array.from({ length: LIMITS.announceTargets }, (_, nth) => `${nth}`.padStart(128, 'x'));

const reach =
  (players?: number) =>
  ({ params }: CommandFrame) => ({
    status: 'done',
    data: { confirmedBy: 'server', players: players ?? (params['targets'] as string[] | undefined)?.length ?? 9 },
  });

const connected = async (commands = BOTH, reply: Parameters<typeof answerAll>[1] = reach()) => {
  const hub = await newTenant();
  const bridge = await welcomeRaw(hub.bridgeUrl, hub.token, { commands });
  answerAll(bridge, reply);
  return { hub, bridge };
};

const announce = (hub: TestHub, json: object, more: object = {}) =>
  hub.request('/api/v2/bridge/main/announce', { json: { message: 'The race begins', ...json }, ...more });
const journal = async (hub: TestHub, query = '') =>
  (await hub.request(`/api/v2/commands${query}`)).body as {
    data: { params: { targets?: string[] } }[];
    pagination: { next: string | null };
  };
const sentTo = ({ frames }: RawBridge) => frames.filter(({ type }) => type === 'command');

describe('an announcement to some players', () => {
  it('is one command and one row, and says how many it reached', async () => {
    const { hub, bridge } = await connected(BOTH, reach(1));
    const targets = ['char1:ana', 'char1:bob'];
    const answer = await announce(hub, { targets }, { headers: { 'Idempotency-Key': 'race' } });
    expect(answer).toMatchObject({
      status: 200,
      body: { target: null, executed: 'yes', params: { targets }, result: { players: 1 } },
    });
    expect((await bridge.command()).params).toEqual({ message: 'The race begins', targets });
    expect(sentTo(bridge)).toHaveLength(1);
    expect((await journal(hub)).data).toHaveLength(1);
    const again = await announce(hub, { targets }, { headers: { 'Idempotency-Key': 'race' } });
    expect(again.headers.get('Idempotency-Replayed')).toBe('true');
    const others = await announce(hub, { targets: ['char1:ana'] }, { headers: { 'Idempotency-Key': 'race' } });
    expect(others.body['code']).toBe('idempotency_mismatch');
  });

  it('goes to the ones who are online of a real bridge', async () => {
    const hub = await startHub();
    const economy = createEconomy({ 'char1:ana': 100 });
    startGameServer({ url: () => hub.bridgeUrl, token: hub.token, folder: hub.folder, economy });
    await expect
      .poll(async () => announce(hub, { targets: ['char1:ana', 'char1:bob'] }))
      .toMatchObject({ status: 200, body: { result: { players: 2 } } });
  });

  it('is refused by a bridge that would show it to all, and nothing is sent or stored', async () => {
    const { hub, bridge } = await connected(['announce@1']);
    const { status, body } = await announce(hub, { targets: ['char1:ana'] });
    expect([status, body['code'], body['executed']]).toEqual([501, 'unsupported', 'no']);
    expect(body['detail']).toBe(
      'The bridge of this server has announce@1, and "targets" needs announce@2: update the bridge, or leave it out.',
    );
    expect((await announce(hub, {})).body).toMatchObject({ result: { players: 9 } });
    expect(sentTo(bridge)).toHaveLength(1);
    expect((await journal(hub)).data).toHaveLength(1);
  });

  it('is not sent if an older bridge comes while it waits for its turn', async () => {
    const { hub, bridge } = await connected(BOTH, () => undefined);
    const first = announce(hub, {}, { headers: { Prefer: 'respond-async' } });
    await bridge.command();
    expect((await first).status).toBe(202);
    const waits = await announce(hub, { targets: ['char1:ana'] }, { headers: { Prefer: 'respond-async' } });
    expect(waits.body['status']).toBe('accepted');
    bridge.kill();
    const old = await welcomeRaw(hub.bridgeUrl, hub.token, { commands: ['announce@1'], instance: 'old' });
    const look = async () => (await hub.request(`/api/v2/commands/${waits.body['id']}`)).body;
    await expect.poll(look).toMatchObject({
      status: 'voided',
      executed: 'no',
      error: { code: 'unsupported', message: expect.stringContaining('announce@2') },
    });
    expect(sentTo(old)).toEqual([]);
  });

  it.each([
    [[], '/targets', 'must have at least 1 entry'],
    [[...LONGEST, 'char1:ana'], '/targets', 'must have at most 1000 entries'],
    [['char1:ana', 'a b'], '/targets/1', 'must be 1 to 128 of A-Z a-z 0-9 : _ . @ -'],
    [['a', 'b', 'a'], '/targets/2', 'is in the list already, at 0: send each player once'],
    ['char1:ana', '/targets', 'must be a list, not text'],
  ])('refuses a list that is none of players, each once', async (targets, pointer, detail) => {
    const { hub } = await connected();
    const { status, body } = await announce(hub, { targets });
    expect([status, body['errors']]).toEqual([422, [{ pointer, detail }]]);
  });

  it('may have 1,000 of the longest identifiers and the longest text, in one frame', async () => {
    const { hub, bridge } = await connected();
    const sizes: number[] = [];
    bridge.socket.on('message', (data) => sizes.push(data.toString().length));
    // A control character takes six bytes as JSON.
    const message = '\u0001'.repeat(LIMITS.messageLength);
    expect(await announce(hub, { message, targets: LONGEST })).toMatchObject({ body: { result: { players: 1000 } } });
    expect((await bridge.command()).params).toEqual({ message, targets: LONGEST });
    expect(Math.max(...sizes)).toBeLessThan(LIMITS.frameBytes * 0.6);
    const padded = await hub.request('/api/v2/bridge/main/announce', { body: `{${' '.repeat(160 * 1024)}}` });
    expect([padded.status, padded.body['detail']]).toEqual([413, 'Send at most 160 KiB here.']);
  });

  it('leaves the journal its bounds: pages of 2 MiB, and a number in the table', async () => {
    const { hub } = await connected();
    for (let nth = 0; nth < 20; nth += 1) await announce(hub, { targets: LONGEST });
    const { data, pagination } = await journal(hub, '?limit=20');
    expect(data.length).toBeLessThan(20);
    expect(JSON.stringify(data).length).toBeLessThan(2.3 * 1024 * 1024);
    const rest = await journal(hub, `?limit=20&cursor=${encodeURIComponent(pagination.next ?? '')}`);
    expect(data.length + rest.data.length).toBe(20);
    const { text } = await hub.request('/api/v2/commands.csv');
    const [head = '', row = ''] = text.split('\r\n');
    expect(row.split(',')[head.split(',').indexOf('count')]).toBe('1000');
    expect(text.length).toBeLessThan(10_000);
  });

  it('is in doubt if more players were reached than were named', async () => {
    const { hub } = await connected(BOTH, reach(2));
    expect((await announce(hub, { targets: ['char1:ana'] })).body).toMatchObject({
      code: 'bridge_error',
      executed: 'unknown',
    });
  });

  it('needs the scope and the server of the key, as one to all does', async () => {
    const { hub } = await connected();
    const targets = ['char1:ana'];
    const other = await hub.newKey(['commands:announce'], ['west']);
    expect((await announce(hub, { targets }, { key: other })).body['code']).toBe('server_not_allowed');
    const reader = await hub.newKey(['commands:kick']);
    expect((await announce(hub, { targets }, { key: reader })).body['code']).toBe('insufficient_scope');
  });

  it.each(['announce', 'message'])('is no batch: %s is refused there', async (name) => {
    const { hub } = await connected();
    const answer = await hub.request('/api/v2/batches', {
      json: { serverId: 'main', name, params: { message: 'hi' }, targets: ['char1:ana'] },
      headers: { 'Idempotency-Key': 'batch' },
    });
    expect(answer.body['errors']).toMatchObject([{ pointer: '/name' }]);
  });
});
