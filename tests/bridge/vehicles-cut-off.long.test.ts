import { describe, expect, it } from 'vitest';
import { eventually } from '../kit/stage.ts';
import { openGarage } from './garage-stage.ts';
import { ALL_GARAGES, type Garage } from './garages.ts';

const INTO = (garage: Garage): RegExp => new RegExp(`^INSERT INTO \`${garage.table}\``);
const FROM = (garage: Garage): RegExp => new RegExp(`^DELETE FROM \`${garage.table}\``);
const OF = (garage: Garage): RegExp => new RegExp(`^UPDATE \`${garage.table}\``);

describe.each(ALL_GARAGES)('cut off: vehicles of $world.name', (garage) => {
  const { ana } = garage.world;
  const ours = { target: ana, action: 'give', model: 'adder' };
  it('gives once, though the answer of the database is lost', async () => {
    const { send, mysql, rows } = await openGarage(garage);
    mysql.hold(true, INTO(garage));
    const giving = send({ ...ours, plate: 'ONCE 1' });
    await eventually(() => mysql.waiting()).toBe(1);
    mysql.deafen(true);
    mysql.hold(false);
    await mysql.quiet();
    mysql.deafen(false);
    expect(await giving).toMatchObject({ status: 200, body: { result: { plate: 'ONCE 1' } } });
    expect(await rows()).toHaveLength(2);
  });

  it('says that nothing was given when the database did not take it', async () => {
    const { send, mysql, rows } = await openGarage(garage);
    mysql.hold(true, INTO(garage));
    const giving = send({ ...ours, plate: 'NEVER 1' });
    await eventually(() => mysql.waiting()).toBe(1);
    mysql.down(true);
    mysql.hold(false);
    await mysql.quiet();
    mysql.down(false);
    expect(await giving).toMatchObject({ status: 502, body: { executed: 'no' } });
    expect(await rows()).toHaveLength(1);
  });

  it.each([
    ['with a plate', { plate: 'CRASH 1' }],
    ['without a plate', {}],
  ])('knows after a crash that it gave one %s', async (_name, fields) => {
    const { send, mysql, rows, startAgain, statusOf, plates } = await openGarage(garage);
    mysql.hold(true, INTO(garage));
    void send({ ...ours, ...fields }, 'crash').catch(() => undefined);
    await eventually(() => mysql.waiting()).toBe(1);
    mysql.deafen(true);
    mysql.hold(false);
    await eventually(async () => (await rows()).length).toBe(2);
    await startAgain();
    await eventually(async () => (await statusOf())?.status).toBe('succeeded');
    const given = (await rows()).find((row) => row['plate'] !== 'ABC 123');
    expect((await statusOf())?.result).toEqual({ plate: given?.['plate'], model: 'adder', garage: garage.home });
    expect(await rows()).toHaveLength(2);
    await eventually(() => plates(ana)).toHaveLength(2);
    await send({ ...ours, ...fields }, 'crash');
    expect(await rows()).toHaveLength(2);
  });

  it('knows after a crash that it gave none', async () => {
    const { send, mysql, rows, startAgain, statusOf } = await openGarage(garage);
    mysql.hold(true, INTO(garage));
    void send({ ...ours, plate: 'CRASH 1' }).catch(() => undefined);
    await eventually(() => mysql.waiting()).toBe(1);
    await startAgain();
    await eventually(async () => (await statusOf())?.status).toBe('failed');
    expect(await rows()).toHaveLength(1);
  });

  it('knows after a crash that it took one, and what it was', async () => {
    const { send, mysql, rows, startAgain, statusOf, plates } = await openGarage(garage);
    mysql.hold(true, FROM(garage));
    void send({ target: ana, action: 'take', plate: 'ABC 123' }).catch(() => undefined);
    await eventually(() => mysql.waiting()).toBe(1);
    mysql.deafen(true);
    mysql.hold(false);
    await eventually(async () => (await rows()).length).toBe(0);
    await startAgain();
    await eventually(async () => (await statusOf())?.status).toBe('succeeded');
    expect((await statusOf())?.result).toMatchObject({
      plate: 'ABC 123',
      model: garage.model,
      garage: 'legion',
      metadata: expect.any(Object),
    });
    await eventually(() => plates(ana)).toEqual([]);
  });

  it('knows after a crash that it took none', async () => {
    const { send, mysql, rows, startAgain, statusOf } = await openGarage(garage);
    mysql.hold(true, FROM(garage));
    void send({ target: ana, action: 'take', plate: 'ABC 123' }).catch(() => undefined);
    await eventually(() => mysql.waiting()).toBe(1);
    await startAgain();
    await eventually(async () => (await statusOf())?.status).toBe('failed');
    expect(await rows()).toHaveLength(1);
  });

  it.each([
    ['stored one', true, 'succeeded'],
    ['stored none', false, 'failed'],
  ])('knows after a crash that it %s', async (_name, isCarriedOut, status) => {
    const { send, mysql, row, startAgain, statusOf } = await openGarage(garage);
    mysql.hold(true, OF(garage));
    void send({ target: ana, action: 'store', plate: 'ABC 123', garage: 'pier' }).catch(() => undefined);
    await eventually(() => mysql.waiting()).toBe(1);
    if (isCarriedOut) {
      mysql.deafen(true);
      mysql.hold(false);
      await eventually(async () => (await row('ABC 123'))?.[garage.garage]).toBe('pier');
    }
    await startAgain();
    await eventually(async () => (await statusOf())?.status).toBe(status);
    expect((await row('ABC 123'))?.[garage.garage]).toBe(isCarriedOut ? 'pier' : 'legion');
  });

  it('gives one vehicle at most when only the bridge was restarted in the middle', async () => {
    const { send, mysql, rows, restartBridge, statusOf } = await openGarage(garage);
    mysql.hold(true, INTO(garage));
    const giving = send({ ...ours, plate: 'AGAIN 1' }, 'again').catch(() => undefined);
    await eventually(() => mysql.waiting()).toBe(1);
    await restartBridge();
    mysql.hold(false);
    await giving;
    await eventually(async () => (await statusOf())?.status).toMatch(/succeeded|indeterminate/);
    await mysql.quiet();
    const { status } = (await statusOf()) ?? {};
    const count = (await rows()).length;
    if (status === 'succeeded') expect(count).toBe(2);
    await send({ ...ours, plate: 'AGAIN 1' }, 'again');
    expect(await rows()).toHaveLength(count);
    expect(count).toBeLessThanOrEqual(2);
  });
});
