import { describe, expect, it } from 'vitest';
import { startHub } from '../../kit/hub.ts';
import { onPostgres } from '../../kit/hub-database.ts';
import { welcomeRaw } from '../../kit/raw-bridge.ts';
import { commandsOf, createGate, eventually, openStage, PAY, pay, rewrite } from '../../kit/stage.ts';

/** On PostgreSQL a result that the bridge tells again may be stored before the hub has asked for it again. */
const TWICE: unknown = onPostgres ? expect.any(Number) : 2;
/** Where silence ends a connection, a busy machine may end more than one. */
const AGAIN: unknown = onPostgres ? expect.any(Number) : expect.toSatisfy((attempts: number) => attempts >= 2);
const PAID = { status: 200, body: { executed: 'yes', result: { before: 0, after: PAY } } };

describe('a line that is cut inside a frame', () => {
  it('to the bridge: the command is delivered again and takes effect once', async () => {
    const stage = await openStage();
    // A ping may come first.
    stage.line.cutInside('down', '"type":"command"');
    expect(await pay(stage.hub())).toMatchObject(PAID);
    expect(await stage.ending()).toMatchObject({ status: 'succeeded', attempts: TWICE });
    expect(stage.bank()).toBe(PAY);
  });

  it('to the hub: the result is told again and the effect is not repeated', async () => {
    const stage = await openStage({
      sending: (frame) => {
        if (frame.includes('"result"') && stage.economy.applied.length === 1) cutOnce();
      },
    });
    let isCut = false;
    const cutOnce = (): void => {
      if (!isCut) stage.line.cutInside('up');
      isCut = true;
    };
    expect(await pay(stage.hub())).toMatchObject(PAID);
    expect(isCut).toBe(true);
    expect(await stage.ending()).toMatchObject({ status: 'succeeded', attempts: TWICE });
    expect(stage.bank()).toBe(PAY);
  });
});

describe('a deadline that passes while the bridge is away', () => {
  it('takes a command back that never arrived: a tombstone is left, and it can never happen', async () => {
    const stage = await openStage();
    const hub = stage.hub();
    stage.line.hold();
    const told = pay(hub);
    await eventually(async () => (await commandsOf(hub))[0]?.status).toBe('dispatched');
    const [row] = await commandsOf(hub);
    stage.line.break();
    await rewrite(hub, 'UPDATE commands SET expires_at = 1');
    stage.line.mend();
    expect(await told).toMatchObject({ status: 409, body: { code: 'voided', executed: 'no' } });
    expect((await stage.ending()).status).toBe('voided');
    expect(stage.game().journal.get(row?.id ?? '')).toMatchObject({ status: 'voided', fingerprint: '' });
    // A hub that forgot all this makes the same id of the same key, and finds the tombstone.
    await rewrite(hub, 'DELETE FROM commands');
    expect(await pay(hub)).toMatchObject({ status: 409, body: { code: 'voided', executed: 'no' } });
    expect(stage.bank()).toBe(0);
  });

  it('is followed by void and never by the command', async () => {
    const hub = await startHub();
    const bridge = await welcomeRaw(hub.bridgeUrl, hub.token, { instance: 'one' });
    const told = pay(hub);
    const { id } = await bridge.command();
    bridge.kill();
    await eventually(() => hub.sizes().sessions).toBe(0);
    await rewrite(hub, 'UPDATE commands SET expires_at = 1');
    const next = await welcomeRaw(hub.bridgeUrl, hub.token, { instance: 'one' });
    expect(await next.frame('void')).toMatchObject({ id });
    next.send({ type: 'result', id, status: 'voided', sequence: 1 });
    expect(await told).toMatchObject({ status: 409, body: { code: 'voided', executed: 'no' } });
    expect(next.frames.map(({ type }) => type)).not.toContain('command');
  });

  it('is told the truth about a command that has happened meanwhile', async () => {
    const gate = createGate();
    const stage = await openStage({ before: gate.pass });
    const hub = stage.hub();
    const told = pay(hub);
    await eventually(gate.reached).toBe(1);
    stage.line.break();
    gate.open();
    await eventually(stage.bank).toBe(PAY);
    await rewrite(hub, 'UPDATE commands SET expires_at = 1');
    stage.line.mend();
    expect(await told).toMatchObject(PAID);
    expect((await stage.ending()).status).toBe('succeeded');
  });
});

describe('a process that was paused and wakes up with an old socket', () => {
  it('after the hub has given it up: what it finds there happens once', async () => {
    const stage = await openStage({ tuning: { receivedProbeMs: 100, receivedCloseMs: 1_500 } });
    stage.line.hold();
    const told = pay(stage.hub());
    await eventually(() => stage.hub().hub.gateway.sizes().sessions).toBe(0);
    stage.line.release();
    expect(await told).toMatchObject(PAID);
    expect(await stage.ending()).toMatchObject({ status: 'succeeded', attempts: AGAIN });
    expect(stage.bank()).toBe(PAY);
  });

  it('that it gives up itself: the command comes again on the next one and happens once', async () => {
    const stage = await openStage({ silenceMs: 500, tuning: { pingEveryMs: 50 } });
    stage.line.hold();
    expect(await pay(stage.hub())).toMatchObject(PAID);
    stage.line.release();
    expect(await stage.ending()).toMatchObject({ status: 'succeeded', attempts: AGAIN });
    expect(stage.bank()).toBe(PAY);
  });
});
