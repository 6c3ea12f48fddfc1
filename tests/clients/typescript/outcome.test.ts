import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createCore, HubProblem, type Outcome } from '../../../clients/typescript/core.ts';
import { createGate } from '../../kit/gate.ts';
import { shareHub } from '../../kit/hub.ts';
import { openLine } from '../../kit/line.ts';
import { ANA, eventually, openStage, PAY } from '../../kit/stage.ts';

const payment = { serverId: 'main', target: ANA, type: 'bank', amount: PAY, action: 'add' } as const;

const start = shareHub();

/** A hub with Ana's game server, and a client whose line to the hub can break. */
const openClient = async ({ gate = undefined as ReturnType<typeof createGate> | undefined } = {}) => {
  const stage = await openStage({ start, ...(gate !== undefined && { before: gate.pass }) });
  const line = await openLine(() => stage.hub().port);
  const apiKey = stage.hub().key;
  return { stage, line, apiKey, hub: createCore({ url: line.address, apiKey }) };
};

/** A fetch that asks the hub to wait for one second only. */
const hastyFetch = (request: Request): Promise<Response> => {
  request.headers.set('Prefer', 'wait=1');
  return fetch(request);
};

/** A fetch whose requests the hub gets, and whose first answer is lost after `meanwhile`. */
const losingFetch = (meanwhile: () => Promise<unknown>) => {
  let isFirst = true;
  return async (request: Request): Promise<Response> => {
    const response = await fetch(request);
    if (!isFirst) return response;
    isFirst = false;
    await meanwhile();
    throw new TypeError('fetch failed');
  };
};

/** Something before the hub that gives these answers to the first requests, and passes the others. */
const openProxy = async (target: () => string, ...answers: ((response: ServerResponse) => void)[]) => {
  let requests = 0;
  const server = createServer(async (request, response) => {
    requests += 1;
    const answer = answers.shift();
    if (answer !== undefined) return answer(response);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const headers = Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)]);
    const kept = headers.filter(([name]) => !['host', 'connection', 'content-length'].includes(name));
    const passed = await fetch(target() + request.url, {
      method: request.method ?? 'GET',
      headers: kept,
      body: Buffer.concat(chunks),
    });
    response.writeHead(passed.status, [...passed.headers].flat()).end(Buffer.from(await passed.arrayBuffer()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests: () => requests };
};

const text = (status: number, type: string, body: string, headers: Record<string, string> = {}) => {
  return (response: ServerResponse): void =>
    void response.writeHead(status, { 'Content-Type': type, ...headers }).end(body);
};

describe('the outcome of a payment', () => {
  it('is yes when the game server has paid, with the command and the key', async () => {
    const { hub, stage } = await openClient();
    const outcome = await hub.command('money', { ...payment, key: 'vote-1' });
    expect(outcome).toMatchObject({
      happened: 'yes',
      key: 'vote-1',
      command: { status: 'succeeded', executed: 'yes' },
    });
    expect(stage.bank()).toBe(PAY);
  });

  it('is the first one for the same key, and a new payment without one', async () => {
    const { hub, stage } = await openClient();
    const first = await hub.command('money', { ...payment, key: 'vote-1' });
    const again = await hub.command('money', { ...payment, key: 'vote-1' });
    expect(again).toEqual(first);
    const keys = [(await hub.command('money', payment)).key, (await hub.command('money', payment)).key];
    expect(new Set(keys).size).toBe(2);
    expect(stage.bank()).toBe(3 * PAY);
  });

  it('is no when the game server refused, with the balance', async () => {
    const { hub } = await openClient();
    const outcome = await hub.command('money', { ...payment, action: 'remove', key: 'fine' });
    expect(outcome).toMatchObject({
      happened: 'no',
      key: 'fine',
      reason: 'insufficient_funds',
      command: { status: 'rejected' },
      problem: { balance: 0, executed: 'no' },
    });
  });

  it('is no when no player has the identifier', async () => {
    const { hub } = await openClient();
    const outcome = await hub.command('money', { ...payment, target: 'char1:bob' });
    expect(outcome).toMatchObject({ happened: 'no', reason: 'player_not_found' });
  });

  it('is no at once when the game server is away, and waiting when it may wait', async () => {
    const { hub, stage } = await openClient();
    expect((await hub.command('money', payment)).happened).toBe('yes');
    await stage.game().stop();
    const isConnected = async () => (await stage.hub().request('/api/v2/servers/main')).body['connected'];
    await eventually(isConnected).toBe(false);
    expect(await hub.command('money', payment)).toMatchObject({ happened: 'no', reason: 'bridge_offline' });
    const outcome = await hub.command('money', { ...payment, deliver: 'when_connected' });
    expect(outcome).toMatchObject({ happened: 'waiting', reason: 'server', command: { status: 'waiting' } });
    if (outcome.happened !== 'waiting') throw new Error('unreachable');
    expect(await hub.until(outcome.command, { timeoutMs: 0 })).toMatchObject({ happened: 'waiting' });
    const waiting = hub.until(outcome.command);
    await stage.nextGame();
    expect(await waiting).toMatchObject({ happened: 'yes' });
    expect(stage.bank()).toBe(2 * PAY);
  });

  it('is unknown when the game server does not know it', async () => {
    const stage = await openStage({ start, before: () => Promise.reject(new Error('the game broke')) });
    const hub = createCore({ url: stage.hub().address, apiKey: stage.hub().key });
    const outcome = await hub.command('money', payment);
    expect(outcome).toMatchObject({
      happened: 'unknown',
      reason: 'indeterminate',
      command: { status: 'indeterminate' },
    });
  });

  it('is unknown while the game server has not answered, and until waits for it', async () => {
    const gate = createGate();
    const { hub, stage, apiKey } = await openClient({ gate });
    const hasty = createCore({ url: stage.hub().address, apiKey, fetch: hastyFetch });
    const outcome = await hasty.command('money', payment, { timeoutMs: 0 });
    expect(outcome).toMatchObject({ happened: 'unknown', reason: 'in_doubt', command: { status: 'dispatched' } });
    if (outcome.happened !== 'unknown' || outcome.command === undefined) throw new Error('unreachable');
    const early = await hub.until(outcome.command, { timeoutMs: 0 });
    expect(early).toMatchObject({ happened: 'unknown', reason: 'in_doubt' });
    const waiting = [hub.until(outcome.command), hub.until(outcome.command.id, { by: 'stream' })];
    gate.open();
    for (const happened of await Promise.all(waiting)) expect(happened).toMatchObject({ happened: 'yes' });
    expect(stage.bank()).toBe(PAY);
  });

  it('is unknown while the command is in the queue, although the hub says that it is not executed yet', async () => {
    const gate = createGate();
    const { hub, stage, apiKey } = await openClient({ gate });
    const hasty = createCore({ url: stage.hub().address, apiKey, fetch: hastyFetch });
    const first = hub.command('money', payment);
    await eventually(() => gate.reached()).toBe(1);
    const second = await hasty.command('money', { ...payment, key: 'second' }, { timeoutMs: 0 });
    expect(second).toMatchObject({ happened: 'unknown', reason: 'accepted', command: { executed: 'no' } });
    gate.open();
    expect((await first).happened).toBe('yes');
    expect((await hub.command('money', { ...payment, key: 'second' })).happened).toBe('yes');
    expect(stage.bank()).toBe(2 * PAY);
  });
});

describe('the outcome of an undo', () => {
  it('is yes, once, and its request id tells who has undone the command', async () => {
    const { hub, stage } = await openClient();
    const { command } = await hub.command('money', payment);
    const undo = (id: string) =>
      hub.outcome('/api/v2/commands/{id}/undo', {
        path: { id: String(command?.id) },
        headers: { 'X-Request-Id': id },
        body: {},
      });
    const first = await undo('mine');
    expect(first).toMatchObject({ happened: 'yes', command: { undoes: command?.id, requestId: 'mine' } });
    expect(await undo('theirs')).toEqual(first);
    expect(stage.bank()).toBe(0);
  });
});

describe('a lost answer', () => {
  it('is asked for again under the same key when the connection broke before the hub got the request', async () => {
    const { hub, line, stage } = await openClient();
    line.break();
    const paying = hub.command('money', { ...payment, key: 'vote-1' });
    setTimeout(line.mend, 100);
    expect(await paying).toMatchObject({ happened: 'yes', key: 'vote-1' });
    expect(stage.economy.applied).toHaveLength(1);
  });

  it.each(['HTTP/1.1 200', 'cmd_'])(
    'is asked for again when the connection broke inside of the answer, at %s',
    async (part) => {
      const { hub, line, stage } = await openClient();
      line.cutInside('down', part);
      expect(await hub.command('money', { ...payment, key: 'vote-1' })).toMatchObject({
        happened: 'yes',
        key: 'vote-1',
      });
      expect(stage.economy.applied).toHaveLength(1);
    },
  );

  it('is asked for again when the connection broke inside of the request', async () => {
    const { hub, line, stage } = await openClient();
    line.cutInside('up', '/money');
    expect((await hub.command('money', { ...payment, key: 'vote-1' })).happened).toBe('yes');
    expect(stage.economy.applied).toHaveLength(1);
  });

  it('is unknown with its key, and no exception, when nobody answers in time; the key finds the outcome later', async () => {
    const gate = createGate();
    const { hub, line, stage } = await openClient({ gate });
    const paying = hub.command('money', { ...payment, key: 'vote-1' }, { timeoutMs: 2_000 });
    await eventually(() => gate.reached()).toBe(1);
    line.break();
    gate.open();
    const outcome = await paying;
    expect(outcome).toMatchObject({
      happened: 'unknown',
      key: 'vote-1',
      reason: 'no_answer',
      detail: expect.any(String),
    });
    line.mend();
    expect(await hub.command('money', { ...payment, key: outcome.key })).toMatchObject({ happened: 'yes' });
    expect(stage.economy.applied).toHaveLength(1);
  });

  it('is unknown with its key when the hub cannot be reached at all', async () => {
    const hub = createCore({ url: 'http://127.0.0.1:1', apiKey: 'cw_live_none' });
    const outcome = await hub.command('money', payment, { timeoutMs: 0 });
    expect(outcome).toMatchObject({
      happened: 'unknown',
      reason: 'no_answer',
      key: expect.stringMatching(/^\d+(-\d+){3}$/),
    });
  });

  it('stays unknown when the key of the caller is revoked before the next request', async () => {
    const gate = createGate();
    gate.open();
    const { stage } = await openClient({ gate });
    const { body } = await stage.hub().request('/api/v2/keys', {
      json: { name: 'bot', scopes: ['commands:money'], servers: null },
    });
    const revoke = () => stage.hub().request(`/api/v2/keys/${body['id']}`, { method: 'DELETE' });
    const hub = createCore({ url: stage.hub().address, apiKey: String(body['key']), fetch: losingFetch(revoke) });
    const outcome = await hub.command('money', { ...payment, key: 'vote-1' });
    expect(outcome).toMatchObject({
      happened: 'unknown',
      key: 'vote-1',
      reason: 'no_answer',
      problem: { code: 'invalid_api_key', executed: 'no' },
    });
    expect(stage.bank()).toBe(PAY);
  });

  it('is no if the answer under the same key says so, with its command', async () => {
    const { stage } = await openClient();
    const { address: url, key: apiKey } = stage.hub();
    const hub = createCore({ url, apiKey, fetch: losingFetch(async () => undefined) });
    const outcome = await hub.command('money', { ...payment, action: 'remove' });
    expect(outcome).toMatchObject({ happened: 'no', reason: 'insufficient_funds', command: { status: 'rejected' } });
  });
});

describe('the time of a hub', () => {
  it('counts for each call that names none: 0 is one request', async () => {
    const { stage, apiKey } = await openClient();
    const lost = text(502, 'text/html', '');
    const { url, requests } = await openProxy(() => stage.hub().address, lost, lost, lost);
    const hub = createCore({ url, apiKey, timeoutMs: 0 });
    expect(await hub.command('money', payment)).toMatchObject({ happened: 'unknown', reason: 'no_answer' });
    await expect(hub.request('get', '/api/v2/servers')).rejects.toThrow('HTTP 502');
    expect(await hub.until('cmd_1')).toMatchObject({ happened: 'unknown', reason: 'no_answer' });
    expect(requests()).toBe(3);
    expect((await hub.command('money', payment, { timeoutMs: 20_000 })).happened).toBe('yes');
  });
});

describe('a caller that gives up', () => {
  it('gets unknown and the key; the payment goes on', async () => {
    const gate = createGate();
    const { hub, stage } = await openClient({ gate });
    const caller = new AbortController();
    const paying = hub.command('money', { ...payment, key: 'vote-1' }, { signal: caller.signal });
    await eventually(() => gate.reached()).toBe(1);
    caller.abort();
    expect(await paying).toMatchObject({ happened: 'unknown', key: 'vote-1', reason: 'aborted' });
    gate.open();
    expect(await hub.command('money', { ...payment, key: 'vote-1' })).toMatchObject({ happened: 'yes' });
    expect(stage.economy.applied).toHaveLength(1);
  });

  it('gets unknown while it waits to ask again', async () => {
    const { hub, line } = await openClient();
    line.break();
    const caller = new AbortController();
    const paying = hub.command('money', payment, { signal: caller.signal });
    setTimeout(() => caller.abort(), 200);
    expect(await paying).toMatchObject({ happened: 'unknown', reason: 'aborted' });
  });

  it('gets its own reason thrown if it gave up before anything was sent', async () => {
    const { hub, stage } = await openClient();
    const given = hub.command('money', payment, { signal: AbortSignal.abort(new Error('never mind')) });
    await expect(given).rejects.toThrow('never mind');
    expect(stage.economy.applied).toEqual([]);
  });
});

describe('a request that is wrong', () => {
  const thrownBy = (call: Promise<Outcome>): Promise<HubProblem> =>
    call.then(
      () => expect.fail('it has an outcome'),
      (error: unknown) => (error instanceof HubProblem ? error : expect.fail(String(error))),
    );

  it('throws the hub’s problem: a wrong key, a missing scope, no such server, a wrong field', async () => {
    const { hub, stage } = await openClient();
    const { address: url } = stage.hub();
    const wrong = createCore({ url, apiKey: 'cw_live_wrong' });
    expect((await thrownBy(wrong.command('money', payment))).code).toBe('invalid_api_key');
    const poor = createCore({ url, apiKey: await stage.hub().newKey(['players:read']) });
    expect((await thrownBy(poor.command('money', payment))).code).toBe('insufficient_scope');
    expect((await thrownBy(hub.command('money', { ...payment, serverId: 'other' }))).code).toBe('server_not_found');
    const error = await thrownBy(hub.command('money', { ...payment, amount: 0.5 }));
    expect(error).toMatchObject({ code: 'invalid_request', problem: { errors: [{ pointer: '/amount' }] } });
    expect(stage.economy.applied).toEqual([]);
  });

  it('throws idempotency_mismatch: the first command may be paid', async () => {
    const { hub } = await openClient();
    await hub.command('money', { ...payment, key: 'vote-1' });
    const error = await thrownBy(hub.command('money', { ...payment, amount: 5, key: 'vote-1' }));
    expect(error).toMatchObject({ code: 'idempotency_mismatch', problem: { command: { status: 'succeeded' } } });
  });

  it.each(['', '.', '..'])('is not sent to the server %j, which would be another address', async (serverId) => {
    const { hub } = await openClient();
    expect(() => hub.command('money', { ...payment, serverId })).toThrow(TypeError);
  });
});

describe('an answer that is not of the hub', () => {
  const login = '<html>Please log in</html>';
  it.each([
    ['a proxy’s 502', text(502, 'text/html', '<h1>Bad gateway</h1>')],
    ['a proxy’s 504', text(504, 'text/plain', '')],
    ['a login page with 200', text(200, 'text/html', login)],
    ['a login page that says JSON', text(200, 'application/json', login)],
    ['an error in JSON', text(503, 'application/json', '{"message":"no healthy upstream"}')],
    ['a redirect', text(302, 'text/html', '', { Location: 'https://127.0.0.1:1/' })],
    ['an answer without a content', text(200, 'application/json', '')],
  ])('is no outcome: %s is asked again', async (_, answer) => {
    const { stage, apiKey } = await openClient();
    const proxy = await openProxy(() => stage.hub().address, answer);
    const outcome = await createCore({ url: proxy.url, apiKey }).command('money', payment);
    expect(outcome.happened).toBe('yes');
    expect(stage.economy.applied).toHaveLength(1);
    expect(proxy.requests()).toBe(2);
  });

  it('is no outcome: other JSON with 200 is unknown', async () => {
    const { stage, apiKey } = await openClient();
    const proxy = await openProxy(() => stage.hub().address, text(200, 'application/json', '{"ok":true}'));
    const outcome = await createCore({ url: proxy.url, apiKey }).command('money', payment);
    expect(outcome).toMatchObject({ happened: 'unknown', reason: 'no_answer' });
  });
});

describe('a refusal that passes', () => {
  const limited = JSON.stringify({
    code: 'rate_limited',
    status: 429,
    executed: 'no',
    retryable: true,
    detail: 'Wait.',
  });
  const refusal = (seconds: string) => text(429, 'application/problem+json', limited, { 'Retry-After': seconds });

  it('is waited for as long as Retry-After says', async () => {
    const { stage, apiKey } = await openClient();
    const proxy = await openProxy(() => stage.hub().address, refusal('1'));
    const began = performance.now();
    expect((await createCore({ url: proxy.url, apiKey }).command('money', payment)).happened).toBe('yes');
    expect(performance.now() - began).toBeGreaterThanOrEqual(1_000);
  });

  it('is no, at once, if that takes longer than the caller waits', async () => {
    const { stage, apiKey } = await openClient();
    const proxy = await openProxy(() => stage.hub().address, refusal('61'));
    const outcome = await createCore({ url: proxy.url, apiKey }).command('money', payment);
    expect(outcome).toMatchObject({ happened: 'no', reason: 'rate_limited' });
    expect(proxy.requests()).toBe(1);
  });

  it('says nothing about a request before it that was not answered', async () => {
    const { stage, apiKey } = await openClient();
    const proxy = await openProxy(() => stage.hub().address, text(502, 'text/html', ''), refusal('61'));
    const outcome = await createCore({ url: proxy.url, apiKey }).command('money', payment);
    expect(outcome).toMatchObject({ happened: 'unknown', problem: { code: 'rate_limited' } });
  });
});
