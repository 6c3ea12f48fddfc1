import { describe, expect, it } from 'vitest';
import { createGate } from '../../kit/gate.ts';
import { shareHub, startHub, type TestHub } from '../../kit/hub.ts';
import { nodeCount } from '../../kit/hub-database.ts';
import { playerFrame, type RawBridge, welcomeRaw } from '../../kit/raw-bridge.ts';

const newTenant = shareHub();

type Listed = { identifier: string; [field: string]: unknown };

const list = async (hub: TestHub, query = ''): Promise<Listed[]> =>
  (await hub.request(`/api/v2/players?${query}`)).body['data'] as Listed[];
const found = async (hub: TestHub, query: string): Promise<string[]> =>
  (await list(hub, query)).map(({ identifier }) => identifier);
const refusal = async (hub: TestHub, query: string): Promise<unknown> => {
  const answers = ['/api/v2/players', '/api/v2/players/identifiers'].map((path) => hub.request(`${path}?${query}`));
  const [first, second] = await Promise.all(answers);
  expect(second?.body['errors']).toEqual(first?.body['errors']);
  return { status: first?.status, errors: first?.body['errors'] };
};
const snapshot = (bridge: RawBridge, players: object[], revision = 1): void =>
  bridge.send({ type: 'players.snapshot', revision, part: 0, last: true, players });
const changed = (bridge: RawBridge, revision: number, change: object): void =>
  bridge.send({ type: 'players.changed', revision, ...change });

/** A hub with these players, all reported by one bridge. */
const stage = async (players: object[]) => {
  const hub = await newTenant();
  const bridge = await welcomeRaw(hub.bridgeUrl, hub.token, { instance: 'one' });
  snapshot(bridge, players);
  await expect.poll(async () => (await list(hub)).length).toBe(players.length);
  return { hub, bridge };
};
const POLICE = { job: 'police', jobLabel: 'LSPD', jobGrade: 2, group: 'admin', playedMinutes: 90 };

describe('a row of the table', () => {
  it('has job, group, time played and the number in the game, and so has the page of the player', async () => {
    const { hub } = await stage([playerFrame('a', { gameId: 143, metadata: POLICE })]);
    const shown = {
      job: { name: 'police', label: 'LSPD', grade: 2, gradeLabel: null },
      group: 'admin',
      playedMinutes: 90,
      gameId: 143,
    };
    expect(await list(hub)).toMatchObject([shown]);
    expect((await hub.request('/api/v2/players/a')).body).toMatchObject(shown);
  });

  it('has null for what the game does not tell', async () => {
    const { hub } = await stage([playerFrame('a')]);
    expect(await list(hub)).toMatchObject([{ job: null, group: null, playedMinutes: null, gameId: null }]);
  });

  it('has the label of the catalogue where the bridge sent none, also after it has changed, else the name', async () => {
    const job = { metadata: { job: 'police', jobGrade: 1 } };
    const { hub, bridge } = await stage([
      playerFrame('a', job),
      playerFrame('b', { metadata: { job: 'taxi' } }),
      playerFrame('c', { metadata: POLICE }),
    ]);
    const labels = async () => (await list(hub, 'sort=name')).map((row) => (row['job'] as { label: string }).label);
    expect(await labels()).toEqual(['police', 'taxi', 'LSPD']);
    for (const label of ['Police', 'Sheriff']) {
      const entries = [{ name: 'police', label, grades: [{ grade: 1, label: `${label} I` }] }];
      bridge.send({ type: 'catalogue', kind: 'jobs', hash: label, part: 0, last: true, entries });
      await expect.poll(labels).toEqual([label, 'taxi', 'LSPD']);
    }
    expect((await list(hub, 'search=c')).map(({ job }) => job)).toMatchObject([{ grade: 2, gradeLabel: null }]);
    expect((await hub.request('/api/v2/players/a')).body['job']).toEqual({
      name: 'police',
      label: 'Sheriff',
      grade: 1,
      gradeLabel: 'Sheriff I',
    });
  });
});

describe('the number in the game', () => {
  it('finds an online player, until they leave, their server starts again or its bridge goes', async () => {
    const ana = playerFrame('ana', { gameId: 7 });
    const { hub, bridge } = await stage([ana, playerFrame('bob', { gameId: 8 })]);
    const byNumber = (number: number) => found(hub, `search=${encodeURIComponent(`#${number}`)}`);
    expect(await byNumber(7)).toEqual(['ana']);
    expect(await found(hub, 'search=7')).toEqual([]);

    changed(bridge, 2, { players: [], offline: ['ana'] });
    await expect.poll(() => byNumber(7)).toEqual([]);
    expect(await list(hub, 'search=ana')).toMatchObject([{ online: false, gameId: null }]);
    changed(bridge, 3, { players: [{ ...ana, gameId: 9 }] });
    await expect.poll(() => byNumber(9)).toEqual(['ana']);

    const next = await welcomeRaw(hub.bridgeUrl, hub.token, { instance: 'two' });
    await expect.poll(() => byNumber(9)).toEqual([]);
    snapshot(next, [{ ...ana, gameId: 1 }, playerFrame('bob')]);
    await expect.poll(() => byNumber(1)).toEqual(['ana']);
    expect(await byNumber(8)).toEqual([]);

    next.kill();
    await expect.poll(() => byNumber(1)).toEqual([]);
    expect(await list(hub, 'online=true')).toEqual([]);
  });

  it('is no target of a command', async () => {
    const { hub, bridge } = await stage([playerFrame('ana', { gameId: 7 })]);
    const kick = (target: string) => hub.request('/api/v2/bridge/main/kick', { json: { target, reason: 'x' } });
    expect((await kick('#7')).body).toMatchObject({ code: 'invalid_request' });
    const sent = kick('7');
    const { id, params } = await bridge.command();
    expect(params).toMatchObject({ target: '7' });
    bridge.send({ type: 'result', id, status: 'done', data: { kicked: true } });
    await sent;
  });

  it('must be a whole number of at least 0: the frame is refused otherwise', async () => {
    const { hub, bridge } = await stage([]);
    for (const [n, gameId] of [-1, 1.5, '7'].entries()) {
      snapshot(bridge, [playerFrame('a', { gameId })], 2 + n);
      expect(await bridge.frame('error', 1 + n)).toMatchObject({ code: 'invalid_message' });
    }
    expect(await list(hub)).toEqual([]);
  });
});

describe('the filters of the table', () => {
  const people = [
    playerFrame('a', { accounts: { bank: 50, cash: 1 }, metadata: POLICE }),
    playerFrame('b', { accounts: { bank: -20 }, metadata: { job: 'taxi', group: 'user' } }),
    playerFrame('c', { accounts: { cash: 900 }, metadata: POLICE, online: false }),
  ];

  it('hold for the list and for its identifiers', async () => {
    const { hub } = await stage(people);
    const queries: [string, string[]][] = [
      ['job=police', ['a', 'c']],
      ['job=police&online=true', ['a']],
      ['group=user', ['b']],
      ['account=cash', ['c', 'a']],
      ['account=bank&minBalance=0', ['a']],
      ['account=bank&maxBalance=-20', ['b']],
      ['account=cash&minBalance=1&maxBalance=899&group=admin', ['a']],
      ['job=police&search=name', ['a', 'c']],
      ['job=none', []],
    ];
    for (const [query, expected] of queries) {
      expect((await found(hub, query)).sort(), query).toEqual([...expected].sort());
      const { body } = await hub.request(`/api/v2/players/identifiers?${query}`);
      const named = (body['data'] as Listed[]).map(({ identifier }) => identifier);
      expect(named, query).toEqual([...expected].sort());
    }
    expect(await found(hub, 'sort=balance&account=cash')).toEqual(['c', 'a']);
    expect(await found(hub, 'sort=job')).toEqual(['a', 'c', 'b']);
  });

  it('lead from page to page by the header Link', async () => {
    const { hub } = await stage(people);
    const pages: string[] = [];
    let next: string | undefined = '/api/v2/players?sort=balance&account=cash&limit=1';
    while (next !== undefined) {
      const { body, headers }: Awaited<ReturnType<TestHub['request']>> = await hub.request(next);
      pages.push(...(body['data'] as Listed[]).map(({ identifier }) => identifier));
      next = /<(.*)>/.exec(headers.get('link') ?? '')?.[1];
    }
    expect(pages).toEqual(['c', 'a']);
  });

  it('that cannot be meant are refused by name', async () => {
    const { hub } = await stage(people);
    const at = (pointer: string, detail: unknown) => ({ status: 422, errors: [{ pointer, detail }] });
    expect(await refusal(hub, 'minBalance=5')).toEqual(at('/account', 'a balance needs the account that it is of'));
    expect(await refusal(hub, 'account=bank&minBalance=5&maxBalance=4')).toEqual(
      at('/maxBalance', 'must be at least minBalance'),
    );
    for (const bad of ['1e3', '9007199254740993', '1.5', '']) {
      expect(await refusal(hub, `account=bank&minBalance=${bad}`)).toEqual(
        at('/minBalance', expect.stringContaining('must be a whole number from -9007199254740991')),
      );
    }
    expect(await refusal(hub, 'account=a%20b')).toEqual(at('/account', expect.stringContaining('must be 1 to 64 of')));
    expect(await refusal(hub, `job=${'x'.repeat(129)}`)).toEqual(at('/job', 'must have at most 128 characters'));
    const { status, body } = await hub.request('/api/v2/players?sort=balance');
    expect([status, body['errors']]).toMatchObject([422, [{ pointer: '/account' }]]);
  });
});

// The limit is one of each node.
it.skipIf(nodeCount > 1)(
  'of two searches through all players, the second one waits, and is refused in the end',
  async () => {
    const hub = await startHub({ tuning: { scanWaitMs: 20 } });
    const query = '/api/v2/players?sort=job';
    const gate = createGate();
    const isBegun = hub.holdAnswersOf('players.total undefined undefined', gate.opened);
    const first = hub.request(query);
    await isBegun;
    for (const other of [query, '/api/v2/players?job=police', '/api/v2/players/identifiers']) {
      const { body, headers } = await hub.request(other);
      expect(body).toMatchObject({ code: 'rate_limited', executed: 'no', retryable: true });
      expect(body['detail']).toContain('Another search through all players of the project is under way.');
      expect(headers.get('retry-after')).toBe('2');
    }
    expect((await hub.request('/api/v2/players?search=%237')).status).toBe(200);
    gate.open();
    expect((await first).status).toBe(200);
    expect((await hub.request(query)).status).toBe(200);
  },
);
