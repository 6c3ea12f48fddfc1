import { describe, expect, it } from 'vitest';
import { startHub, type TestHub } from '../../kit/hub.ts';
import { playerFrame, type RawBridge, welcomeRaw } from '../../kit/raw-bridge.ts';
import { eventually, rewrite } from '../../kit/stage.ts';

const ANA = 'char1:ana';
const OFFLINE = { status: 'rejected', error: { code: 'player_offline', message: '' } };
const NO_CODE = { status: 'rejected' };
const VOIDED = { status: 'voided' };
/** The payload of an acknowledged outcome is gone. */
const DONE = { status: 'done' };
const PAID = { status: 'done', data: { account: 'bank', before: 100, after: 105 } };

/** A bridge with a journal: `known` are the rounds of before the restore, by what follows the id of the command. */
const answerFrom = (bridge: RawBridge, known: Record<string, object>) => {
  const asked: string[] = [];
  const journal = new Map<string, object>();
  bridge.socket.on('message', (data) => {
    const frame = JSON.parse(data.toString());
    if (frame.type !== 'command' && frame.type !== 'void') return;
    const id = String(frame.id);
    const part = id.includes('.') ? id.slice(id.indexOf('.')) : '';
    asked.push(`${frame.type} ${part}`.trim());
    const isOver = frame.type === 'void' || frame.expiresAt <= Date.now();
    const answer = known[part] ?? journal.get(id) ?? (isOver ? VOIDED : PAID);
    journal.set(id, answer);
    bridge.send({ type: 'result', id, sequence: journal.size, ...answer });
  });
  return asked;
};

/** Ana plays or is away. */
const report = (bridge: RawBridge, online: boolean): void =>
  bridge.send({ type: 'players.snapshot', revision: 1, part: 0, last: true, players: [playerFrame(ANA, { online })] });

const pay = (hub: TestHub, changes: object = {}, headers: Record<string, string> = {}) =>
  hub.request('/api/v2/bridge/main/money', {
    json: { target: ANA, type: 'bank', amount: 5, action: 'add', deliver: 'when_online', ...changes },
    headers: { Prefer: 'respond-async', ...headers },
  });
const commandOf = async (hub: TestHub, id: unknown) => (await hub.request(`/api/v2/commands/${String(id)}`)).body;
const ending = async (hub: TestHub, id: unknown, status: string) => {
  await eventually(async () => (await commandOf(hub, id))['status']).toBe(status);
  return commandOf(hub, id);
};

/** A hub with a payment that waits for Ana, as a backup had it; its bridge is away. */
const restored = async (changes: object = {}, tuning: { waitingCheckMs?: number } = {}) => {
  const hub = await startHub({ tuning });
  const first = await welcomeRaw(hub.bridgeUrl, hub.token);
  report(first, false);
  await eventually(async () => (await hub.request(`/api/v2/players/${ANA}`)).status).toBe(200);
  const { body } = await pay(hub, changes);
  first.kill();
  await eventually(() => hub.sizes().sessions).toBe(0);
  await hub.store.commands.markRestored(Date.now());
  return { hub, id: body['id'] };
};
const connect = async (hub: TestHub, known: Record<string, object>, online: boolean) => {
  const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
  const asked = answerFrom(bridge, known);
  report(bridge, online);
  return { bridge, asked };
};

describe('a refusal that a bridge remembers without its code', () => {
  it('begins no round: the effect of a later one is found by asking', async () => {
    const { hub, id } = await restored();
    const { asked } = await connect(hub, { '.1': NO_CODE, '.2': DONE }, true);
    expect(await ending(hub, id, 'succeeded')).toMatchObject({ executed: 'yes', result: null });
    expect(asked).toEqual(['command .1', 'void .2']);
  });

  it('is the outcome if three more rounds are voided in succession', async () => {
    const { hub, id } = await restored();
    const known = { '.1': NO_CODE, '.2': VOIDED, '.3': OFFLINE, '.4': VOIDED };
    const { asked } = await connect(hub, known, true);
    const row = await ending(hub, id, 'rejected');
    expect(row).toMatchObject({ executed: 'no', error: { code: 'internal_error' } });
    expect(asked).toEqual(['command .1', ...[2, 3, 4, 5, 6].map((n) => `void .${n}`)]);
  });

  it('is asked on after the bridge was away in the middle', async () => {
    const { hub, id } = await restored();
    const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
    report(bridge, true);
    const { id: wireId } = await bridge.command(1);
    bridge.send({ type: 'result', id: wireId, ...NO_CODE });
    expect(await bridge.frame('void')).toMatchObject({ id: `${String(id)}.2` });
    expect(await commandOf(hub, id)).toMatchObject({ status: 'dispatched', executed: 'unknown' });
    expect(await commandOf(hub, id)).not.toHaveProperty('error');
    bridge.kill();
    await connect(hub, { '.2': VOIDED, '.3': DONE }, true);
    await ending(hub, id, 'succeeded');
  });
});

describe('a round that a restored hub begins again', () => {
  it('is followed by the next one, as it was the first time', async () => {
    const { hub, id } = await restored();
    const { asked } = await connect(hub, { '.1': OFFLINE, '.2': OFFLINE, '.3': DONE }, true);
    await ending(hub, id, 'succeeded');
    expect(asked).toEqual(['command .1', 'command .2', 'command .3']);
  });
});

describe('an open command of a restored backup', () => {
  it('does not expire before its bridge was asked', async () => {
    const { hub, id } = await restored({ expiresInSeconds: 3 });
    await connect(hub, { '.1': OFFLINE, '.2': DONE }, false);
    expect(await ending(hub, id, 'succeeded')).toMatchObject({ executed: 'yes' });
  });

  it('stays unknown past its time, and is asked about when the bridge is back', async () => {
    const { hub, id } = await restored({ expiresInSeconds: 3 });
    expect(await ending(hub, id, 'dispatched')).toMatchObject({ executed: 'unknown' });
    const { asked } = await connect(hub, {}, false);
    expect(await ending(hub, id, 'expired')).toMatchObject({ executed: 'no' });
    // The sweep may repeat the first one, whose time is over.
    expect([...new Set(asked)]).toEqual(['void .1', 'void .2', 'void .3']);
  });

  it('does not expire in the middle of a round before its bridge was asked', async () => {
    const { hub, id } = await restored();
    const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
    report(bridge, true);
    const { id: wireId } = await bridge.command(1);
    await rewrite(hub, 'UPDATE commands SET deliver_until = 1');
    bridge.send({ type: 'result', id: wireId, ...OFFLINE });
    const asked = answerFrom(bridge, { '.2': DONE });
    await ending(hub, id, 'succeeded');
    expect(asked).toEqual(['void .2']);
  });

  it('is not taken back before its bridge was asked', async () => {
    const { hub, id } = await restored();
    await connect(hub, { '.1': DONE }, false);
    const { status, body } = await hub.request(`/api/v2/commands/${String(id)}/void`, { method: 'POST' });
    expect([status, body]).toMatchObject([409, { code: 'invalid_state', executed: 'yes' }]);
  });

  it('is taken back if its bridge knows of no effect', async () => {
    const { hub, id } = await restored();
    await connect(hub, {}, false);
    const { status, body } = await hub.request(`/api/v2/commands/${String(id)}/void`, { method: 'POST' });
    expect([status, body]).toMatchObject([200, { status: 'voided', executed: 'no' }]);
  });

  it('is not refused before its bridge was asked', async () => {
    const { hub, id } = await restored();
    const bridge = await welcomeRaw(hub.bridgeUrl, hub.token, { commands: ['kick@1'] });
    answerFrom(bridge, { '.1': DONE });
    report(bridge, true);
    await ending(hub, id, 'succeeded');
  });

  it('is unknown if its server is deleted', async () => {
    const { hub, id } = await restored();
    expect((await hub.request('/api/v2/servers/main', { method: 'DELETE' })).status).toBeLessThan(300);
    expect(await ending(hub, id, 'indeterminate')).toMatchObject({ executed: 'unknown' });
  });

  it('is asked about if it was accepted and not sent', async () => {
    const hub = await startHub();
    const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
    report(bridge, true);
    await eventually(async () => (await hub.request(`/api/v2/players/${ANA}`)).status).toBe(200);
    await pay(hub, { deliver: 'now' });
    const { body } = await pay(hub, { deliver: 'now' });
    expect(body).toMatchObject({ status: 'accepted' });
    await hub.store.commands.markRestored(Date.now());
    const { id: first } = await bridge.command(1);
    await rewrite(hub, 'UPDATE commands SET expires_at = 1 WHERE id = ?', String(body['id']));
    const asked = answerFrom(bridge, { '': DONE });
    bridge.send({ type: 'result', id: first, ...PAID });
    await ending(hub, body['id'], 'succeeded');
    expect([...new Set(asked)]).toEqual(['void']);
  });
});

describe('a batch of a restored backup', () => {
  it('that is taken back pays no player twice, and says what was paid', async () => {
    const hub = await startHub();
    const first = await welcomeRaw(hub.bridgeUrl, hub.token);
    report(first, false);
    await eventually(async () => (await hub.request(`/api/v2/players/${ANA}`)).status).toBe(200);
    const json = {
      serverId: 'main',
      name: 'money',
      params: { type: 'bank', amount: 5, action: 'add' },
      targets: [ANA],
      deliver: 'when_online',
    };
    const { body } = await hub.request('/api/v2/batches', { json, headers: { 'Idempotency-Key': 'salaries' } });
    const batch = `/api/v2/batches/${String(body['id'])}`;
    await eventually(async () => (await hub.request(batch)).body['status']).toBe('running');
    first.kill();
    await hub.store.commands.markRestored(Date.now());
    await connect(hub, { '.1': DONE }, false);
    await hub.request(`${batch}/void`, { method: 'POST' });
    await eventually(async () => (await hub.request(batch)).body['counts']).toEqual({ succeeded: 1 });
  });
});

describe('a waiting command that was running when the game server crashed', () => {
  const CRASHED = { status: 'failed', error: { code: 'server_restarting', message: 'The bridge stopped.' } };

  /** A round after the third comes ten seconds later, when the hub looks for it. */
  const SOON = { waitingCheckMs: 200 };

  it('is sent again at most three times', async () => {
    const { hub, id } = await restored({}, SOON);
    const crashes = Object.fromEntries([1, 2, 3, 4, 5].map((n) => [`.${n}`, CRASHED]));
    const { asked } = await connect(hub, crashes, true);
    expect(await ending(hub, id, 'failed')).toMatchObject({ executed: 'no', error: { code: 'server_restarting' } });
    // A restored command is tried again at once, and asked about at its end.
    expect(asked.filter((each) => each.startsWith('command'))).toEqual([1, 2, 3, 4].map((n) => `command .${n}`));
  });

  it('is done in a later round', async () => {
    const { hub, id } = await restored({}, SOON);
    const { asked } = await connect(hub, { '.1': CRASHED, '.2': OFFLINE, '.3': CRASHED }, true);
    await ending(hub, id, 'succeeded');
    expect(asked).toEqual([1, 2, 3, 4].map((n) => `command .${n}`));
  });
});

describe('a key that comes again after a restore', () => {
  /** The key of a command that may have waited comes again for one that is sent at once. */
  const repeat = async (known: Record<string, object>) => {
    const { hub } = await restored();
    await hub.crash();
    const again = await startHub({ folder: hub.folder });
    const asked = answerFrom(await welcomeRaw(again.bridgeUrl, hub.token), known);
    const headers = { 'Idempotency-Key': 'forgotten', Prefer: 'wait=10' };
    const { status, body } = await pay(again, { deliver: 'now' }, headers);
    return { status, body, asked };
  };

  it('and does not wait any more is not sent if one of its first rounds was done', async () => {
    const { status, body, asked } = await repeat({ '.1': OFFLINE, '.2': VOIDED, '.3': DONE });
    expect([status, body]).toMatchObject([200, { executed: 'yes', result: null }]);
    expect(asked).toEqual(['command .1', 'command .2', 'command .3']);
  });

  it('and does not wait any more is sent if its bridge knows of no round', async () => {
    const { status, body, asked } = await repeat({});
    expect([status, body]).toMatchObject([200, { executed: 'yes', result: { after: 105 } }]);
    expect(asked).toEqual(['command .1', 'command .2', 'command .3', 'command']);
  });
  it('and does not wait any more is looked for although its time is over when its bridge is back', async () => {
    const { hub } = await restored();
    await hub.crash();
    const again = await startHub({ folder: hub.folder });
    const dying = await welcomeRaw(again.bridgeUrl, hub.token);
    const { body } = await pay(again, { deliver: 'now' }, { 'Idempotency-Key': 'forgotten' });
    await dying.command(1);
    dying.kill();
    await eventually(() => again.sizes().sessions).toBe(0);
    await rewrite(again, 'UPDATE commands SET expires_at = 1 WHERE id = ?', String(body['id']));
    answerFrom(await welcomeRaw(again.bridgeUrl, hub.token), { '.1': DONE });
    expect(await ending(again, body['id'], 'succeeded')).toMatchObject({ executed: 'yes' });
  });

  it.each(['taken back', 'late'])(
    'and does not wait any more is looked for to the end although it is %s meanwhile',
    async (how) => {
      const { hub } = await restored();
      await hub.crash();
      const again = await startHub({ folder: hub.folder });
      const bridge = await welcomeRaw(again.bridgeUrl, hub.token);
      const limit = how === 'late' ? { expiresInSeconds: 3 } : {};
      const { body } = await pay(again, { deliver: 'now', ...limit }, { 'Idempotency-Key': 'forgotten' });
      const id = String(body['id']);
      await bridge.command(1);
      const taking = how === 'late' ? undefined : again.request(`/api/v2/commands/${id}/void`, { method: 'POST' });
      expect(await bridge.frame('void')).toMatchObject({ id });
      // The game server stalled, and answers all at once.
      answerFrom(bridge, { '.3': DONE });
      bridge.send({ type: 'result', id: `${id}.1`, ...VOIDED });
      bridge.send({ type: 'result', id, ...VOIDED });
      expect(await ending(again, id, 'succeeded')).toMatchObject({ executed: 'yes' });
      await taking;
    },
  );

  it('does not expire before the bridge was asked, although the restored hub has forgotten it', async () => {
    const { hub } = await restored();
    await hub.crash();
    const again = await startHub({ folder: hub.folder });
    const { body } = await pay(again, { expiresInSeconds: 1 }, { 'Idempotency-Key': 'forgotten' });
    const bridge = await welcomeRaw(again.bridgeUrl, hub.token);
    answerFrom(bridge, { '.1': DONE });
    report(bridge, false);
    expect(await ending(again, body['id'], 'succeeded')).toMatchObject({ executed: 'yes' });
  });
});
