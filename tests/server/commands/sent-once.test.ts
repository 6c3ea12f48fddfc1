import { describe, expect, it, onTestFinished } from 'vitest';
import { COMMANDS } from '../../../bridge-protocol/index.ts';
import { startHub } from '../../kit/hub.ts';
import { changeRows } from '../../kit/hub-database.ts';
import { welcomeRaw } from '../../kit/raw-bridge.ts';
import { createGate, eventually, openStage, PAY, pay } from '../../kit/stage.ts';

const paid = { status: 'done', data: { account: 'bank', before: 0, after: 5 } };

describe('a command', () => {
  it('is sent once for each attempt, though the hub reads its row as unsent and takes it late', async () => {
    const hub = await startHub();
    const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
    const payTo = (target: string) =>
      hub.request('/api/v2/bridge/main/money', {
        json: { target, type: 'bank', amount: 5, action: 'add' },
        headers: { Prefer: 'respond-async' },
      });
    await payTo('char1:ana');
    const first = await bridge.command(1);
    // It waits behind the first one, so its row is read as accepted.
    const { body } = await payTo('char1:ana');
    const answers = createGate();
    const looked = hub.holdAnswers(answers.opened, () => hub.hub.commands.restore());
    bridge.send({ type: 'result', id: first.id, ...paid });
    expect((await bridge.command(2)).id).toBe(body['id']);
    // The bridge has answered, and the outcome is not stored yet.
    hub.stopAt({ statement: 'commands.settleKnown', when: 'before' });
    bridge.send({ type: 'result', id: body['id'], ...paid });
    await expect.poll(hub.hasStopped).toBe(true);
    answers.open();
    await looked;
    await payTo('char1:ben');
    await bridge.command(3);
    const sent = bridge.frames.filter(({ type }) => type === 'command');
    expect(sent.filter(({ id }) => id === body['id'])).toHaveLength(1);
    await hub.crash();
  });
});

describe('a payment whose row the hub has lost in a crash', () => {
  it('is paid once when its caller repeats the request, and its result is kept apart', async () => {
    const gate = createGate();
    const stage = await openStage({ before: gate.pass });
    const first = stage.hub();
    void pay(first);
    await eventually(gate.reached).toBe(1);
    await first.crash();
    await changeRows(first.folder, 'DELETE FROM commands', []);
    gate.open();
    await eventually(stage.bank).toBe(PAY);
    const hub = await stage.nextHub();
    await eventually(() => hub.store.strayResults.list(hub.project.id, 'main')).toMatchObject([{ status: 'done' }]);
    const { body } = await hub.request('/api/v2/commands');
    expect(body['data']).toEqual([]);
    expect(await pay(hub)).toMatchObject({ status: 200, body: { executed: 'yes' } });
    expect(stage.economy.applied).toHaveLength(1);
    expect(stage.bank()).toBe(PAY);
  });
});

describe('a payment in flight whose bridge comes back in a version that would read past a parameter', () => {
  it.each([
    ['succeeded', 'yes', paid],
    ['voided', 'no', { status: 'voided' }],
  ])('is not sent to it, and ends as its journal says: %s', async (status, executed, result) => {
    const { since } = COMMANDS.money;
    // As a later version of the protocol may say.
    Object.assign(COMMANDS.money, { since: { reason: 2 } });
    onTestFinished(() => void Object.assign(COMMANDS.money, { since }));
    const hub = await startHub();
    const bridge = await welcomeRaw(hub.bridgeUrl, hub.token, { commands: ['money@1', 'money@2'] });
    const json = { target: 'char1:ana', type: 'bank', amount: 5, action: 'add', reason: 'Prize' };
    const { body } = await hub.request('/api/v2/bridge/main/money', { json, headers: { Prefer: 'respond-async' } });
    const { id } = await bridge.command();
    bridge.kill();
    const old = await welcomeRaw(hub.bridgeUrl, hub.token, { commands: ['money@1'] });
    expect(await old.frame('void')).toMatchObject({ id });
    old.send({ type: 'result', id, ...result });
    const look = async () => (await hub.request(`/api/v2/commands/${String(body['id'])}`)).body;
    await eventually(look).toMatchObject({ status, executed });
    expect(old.frames.filter(({ type }) => type === 'command')).toEqual([]);
  });
});
