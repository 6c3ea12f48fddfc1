import { describe, expect, it } from 'vitest';
import { ESX, type World } from './frameworks.ts';
import { openWorld } from './stage.ts';

const { ana } = ESX;
const ADDER = -1_216_765_807;
const SHOP = `CREATE TABLE vehicles (name VARCHAR(60) NOT NULL, model VARCHAR(60) NOT NULL PRIMARY KEY, price INT NOT NULL,
  category VARCHAR(60) DEFAULT NULL);`;

const open = async (world: World) => {
  const { hub, mysql, ...opened } = await openWorld(world);
  let keys = 0;
  return {
    ...opened,
    mysql,
    send: (fields: object) => {
      keys += 1;
      const headers = { 'Idempotency-Key': `car-${keys}`, Prefer: 'wait=10' };
      return hub.request('/api/v2/bridge/main/vehicles', { json: { target: ana, action: 'give', ...fields }, headers });
    },
    row: (plate: string) => mysql.look('SELECT * FROM owned_vehicles WHERE plate = ?', [plate]),
  };
};

describe('vehicles of ESX', () => {
  it('are those of the shop, if there is one', async () => {
    const { send } = await open({
      ...ESX,
      tables: ESX.tables + SHOP,
      realTables: ESX.realTables + SHOP,
      rows: `${ESX.rows} INSERT INTO vehicles VALUES ('Adder', 'adder', 900000, 'super');`,
    });
    expect(await send({ model: 'adder' })).toMatchObject({ status: 200, body: { result: { model: 'adder' } } });
    for (const model of ['futo', 'Adder']) {
      expect(await send({ model })).toMatchObject({ status: 422, body: { code: 'unknown_model', executed: 'no' } });
    }
  });

  it('have the number of their model and their plate in the properties, whatever the caller gives', async () => {
    const { send, row } = await open(ESX);
    const metadata = { vehicle: { model: 1, plate: 'OTHER', color1: 7 }, type: 'boat' };
    expect(await send({ model: 'adder', plate: 'NEW 1', metadata })).toMatchObject({ status: 200 });
    const stored = await row('NEW 1');
    expect(stored).toMatchObject({ type: 'boat', owner: ana });
    expect(JSON.parse(String(stored?.['vehicle']))).toEqual({
      model: ADDER,
      plate: 'NEW 1',
      color1: 7,
      causeway: expect.stringMatching(/^cmd_/),
    });
    expect(await send({ model: String(ADDER), plate: 'NEW 2' })).toMatchObject({
      status: 200,
      body: { result: { model: String(ADDER) } },
    });
    expect(JSON.parse(String((await row('NEW 2'))?.['vehicle']))).toMatchObject({ model: ADDER });
  });

  it('leave the pound when they are stored', async () => {
    const withPound = ESX.tables.replace('parking VARCHAR(60)', 'parking VARCHAR(60), pound VARCHAR(60)');
    const { send, mysql, row } = await open({ ...ESX, tables: withPound });
    await mysql.run("UPDATE owned_vehicles SET pound = 'los_santos', parking = NULL WHERE plate = 'ABC 123'");
    const nowhere = await send({ action: 'store', plate: 'ABC 123' });
    expect(nowhere).toMatchObject({ status: 422, body: { errors: [{ pointer: '/garage' }] } });
    expect(await send({ action: 'store', plate: 'ABC 123', garage: 'legion' })).toMatchObject({ status: 200 });
    expect(await row('ABC 123')).toMatchObject({ pound: null, parking: 'legion' });
  });

  it('have no garages without the column of esx_garage', async () => {
    const { send } = await open({
      ...ESX,
      tables: ESX.tables.replace(', parking VARCHAR(60)', ''),
      realTables: ESX.realTables.replace('parking VARCHAR(60) DEFAULT NULL, pound VARCHAR(60) DEFAULT NULL,', ''),
      rows: ESX.rows.replace(', parking)', ')').replace(", 1, 'legion')", ', 1)'),
    });
    const refused = await send({ model: 'adder', garage: 'legion' });
    expect(refused).toMatchObject({ status: 422, body: { errors: [{ pointer: '/garage' }] } });
    expect((await send({ action: 'store', plate: 'ABC 123' })).body).toMatchObject({
      code: 'unsupported',
      executed: 'no',
    });
    expect((await send({ model: 'adder' })).body['result']).toMatchObject({ garage: null });
    expect((await send({ action: 'take', plate: 'ABC 123' })).body['result']).toMatchObject({
      model: '1234',
      garage: null,
    });
  });
});
