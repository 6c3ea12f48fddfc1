import { describe, expect, it } from 'vitest';
import { startHub } from '../../kit/hub.ts';
import { answerAll, type Frame, playerFrame, type RawBridge, reportPlayers, welcomeRaw } from '../../kit/raw-bridge.ts';
import { commandsOf, createGate, eventually, openStage, PAY, pay, rewrite } from '../../kit/stage.ts';

const done = { type: 'result', status: 'done', data: { account: 'bank', before: 0, after: PAY }, sequence: 1 };
const DAY_MS = 86_400_000;

const acknowledges = (bridge: RawBridge, id: unknown): Promise<unknown> =>
  bridge.until(
    () => bridge.frames.find(({ type, ids }) => type === 'ack' && (ids as unknown[]).includes(id)),
    `the ack of ${String(id)}`,
  );

describe('a caller that is gone before the answer', () => {
  it('changes nothing: the command ends, and its key finds the outcome', async () => {
    const gate = createGate();
    const stage = await openStage({ before: gate.pass });
    const hub = stage.hub();
    const impatience = new AbortController();
    const json = { target: 'char1:ana', type: 'bank', amount: PAY, action: 'add' };
    const headers = { 'Idempotency-Key': 'payday' };
    const gone = hub.request('/api/v2/bridge/main/money', { json, headers, signal: impatience.signal });
    gone.catch(() => undefined);
    await eventually(gate.reached).toBe(1);
    impatience.abort();
    await expect(gone).rejects.toThrow();
    gate.open();
    expect((await stage.ending()).status).toBe('succeeded');
    expect(await pay(hub)).toMatchObject({ status: 200, body: { result: { before: 0, after: PAY } } });
    expect(stage.bank()).toBe(PAY);
  });
});

describe('a result', () => {
  it('of an unknown command or of another server is kept apart and acknowledged, and settles nothing', async () => {
    const hub = await startHub();
    const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
    const stranger = await welcomeRaw(hub.bridgeUrl, await hub.newServer('other'));
    const told = pay(hub);
    const { id } = await bridge.command();
    stranger.send({ ...done, id });
    stranger.send({ ...done, id: 'cmd_unknown' });
    await acknowledges(stranger, id);
    await acknowledges(stranger, 'cmd_unknown');
    expect(await commandsOf(hub)).toMatchObject([{ id, status: 'dispatched' }]);
    const kept = await hub.store.strayResults.list(hub.project.id, 'other');
    // Two of the same millisecond have no order.
    expect(kept.toSorted((a, b) => (a.commandId < b.commandId ? -1 : 1))).toMatchObject([
      { commandId: id, status: 'done', payload: { data: done.data } },
      { commandId: 'cmd_unknown', status: 'done' },
    ]);
    bridge.send({ type: 'result', id, status: 'rejected', error: { code: 'player_not_found', message: 'no' } });
    expect(await told).toMatchObject({ status: 404, body: { executed: 'no' } });
  });

  it('that contradicts the first one changes nothing, and is acknowledged', async () => {
    const hub = await startHub();
    const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
    const told = pay(hub);
    const { id } = await bridge.command();
    bridge.send({ ...done, id });
    expect(await told).toMatchObject({ status: 200 });
    // One frame may acknowledge several results.
    await bridge.frame('ack');
    bridge.send({ type: 'result', id, status: 'voided' });
    await bridge.frame('ack', 2);
    expect(await commandsOf(hub)).toMatchObject([{ id, status: 'succeeded' }]);
  });
});

describe.each([
  ['never comes back', true],
  ['stays connected, and never answers', false],
])('a bridge that %s', (_name, isAway) => {
  it('leaves its command indeterminate after seven days and not before, until it says what happened', async () => {
    const hub = await startHub();
    const bridge = await welcomeRaw(hub.bridgeUrl, hub.token, { instance: 'one' });
    const told = pay(hub);
    const { id } = await bridge.command();
    if (isAway) bridge.kill();
    await eventually(() => hub.sizes().sessions).toBe(isAway ? 0 : 1);
    const age = (ms: number): Promise<void> => rewrite(hub, 'UPDATE commands SET dispatched_at = ?', Date.now() - ms);
    await age(7 * DAY_MS - 60_000);
    await hub.tidy();
    expect(await commandsOf(hub)).toMatchObject([{ status: 'dispatched' }]);
    await age(7 * DAY_MS + 1);
    await hub.tidy();
    const detail = expect.stringContaining('no outcome for seven days');
    expect(await told).toMatchObject({ status: 409, body: { code: 'indeterminate', executed: 'unknown', detail } });
    const late = isAway ? await welcomeRaw(hub.bridgeUrl, hub.token, { instance: 'one' }) : bridge;
    late.send({ ...done, id });
    await acknowledges(late, id);
    expect(await commandsOf(hub)).toMatchObject([{ id, status: 'succeeded' }]);
    expect(await pay(hub)).toMatchObject({ status: 200, body: { status: 'succeeded', executed: 'yes' } });
  });
});

/** Bridges that come and go take a while. */
const LONG = { Prefer: 'wait=60' };
const LIVES = { expiresInSeconds: 600 };

describe('a command that brings the game server down every time', () => {
  it('is sent again eight times, then taken back, and those behind it go on', async () => {
    const hub = await startHub();
    const come = (): Promise<RawBridge> => welcomeRaw(hub.bridgeUrl, hub.token);
    let bridge = await come();
    const stored = () => eventually(async () => (await commandsOf(hub)).length);
    const told = pay(hub, LONG, LIVES);
    await stored().toBe(1);
    const behind = pay(hub, { 'Idempotency-Key': 'behind', ...LONG }, LIVES);
    await stored().toBe(2);
    for (let attempt = 1; attempt <= 9; attempt += 1) {
      expect((await bridge.command()).attempt).toBe(attempt);
      bridge.kill();
      await eventually(() => hub.sizes().sessions).toBe(0);
      bridge = await come();
    }
    const { id } = await bridge.frame('void');
    answerAll(bridge, () => ({ status: 'done', data: done.data, sequence: 2 }));
    bridge.send({ type: 'result', id, status: 'voided', sequence: 1 });
    expect(await told).toMatchObject({ status: 409, body: { code: 'voided', executed: 'no' } });
    expect(await behind).toMatchObject({ status: 200 });
    expect(bridge.frames.filter(({ type }) => type === 'command')).toHaveLength(1);
  });

  it('ends, though it may wait: the rounds before count', async () => {
    const hub = await startHub();
    const come = (): Promise<RawBridge> => welcomeRaw(hub.bridgeUrl, hub.token);
    let bridge = await come();
    await reportPlayers(hub, bridge, playerFrame('char1:ana'));
    const { body } = await hub.request('/api/v2/bridge/main/money', {
      json: { target: 'char1:ana', type: 'bank', amount: PAY, action: 'add', deliver: 'when_connected' },
      headers: { Prefer: 'respond-async' },
    });
    const next = () =>
      bridge.until(
        () => bridge.frames.find(({ type }) => type === 'command' || type === 'void'),
        'a command or a void',
      );
    const sent: Frame[] = [];
    for (let frame = await next(); frame.type === 'command'; frame = await next()) {
      sent.push(frame);
      if (frame['attempt'] === 6) {
        bridge.send({ type: 'result', id: frame['id'], status: 'voided', sequence: 1 });
        await bridge.frame('ack');
      }
      bridge.kill();
      await eventually(() => hub.sizes().sessions).toBe(0);
      bridge = await come();
    }
    // The second round may have begun just before its session was cut.
    expect(sent.map(({ attempt }) => attempt).filter((attempt) => attempt !== 7)).toEqual([1, 2, 3, 4, 5, 6, 8, 9, 10]);
    expect(new Set(sent.map(({ id }) => id))).toEqual(new Set([1, 2].map((round) => `${String(body['id'])}.${round}`)));
    const { id } = await bridge.frame('void');
    bridge.send({ type: 'result', id, status: 'voided', sequence: 2 });
    await eventually(() => commandsOf(hub)).toMatchObject([{ status: 'voided', executed: 'no' }]);
    expect(bridge.frames.some(({ type }) => type === 'command')).toBe(false);
  });
});

describe('a command that was sent again often without ending the game server', () => {
  it('is done after a restart of each of six nodes', async () => {
    const hub = await startHub();
    let bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
    const told = pay(hub, LONG, LIVES);
    for (let node = 1; node <= 6; node += 1) {
      await bridge.command();
      bridge.kill();
      await eventually(() => hub.sizes().sessions).toBe(0);
      bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
    }
    const { id, attempt } = await bridge.command();
    expect(attempt).toBe(7);
    bridge.send({ ...done, id });
    expect(await told).toMatchObject({ status: 200, body: { executed: 'yes' } });
  });
});
