import vm from 'node:vm';
import { describe, expect, it } from 'vitest';
import { startBesides } from '../fxserver/checkouts.ts';
import { eventually } from '../kit/stage.ts';
import { openGarage } from './garage-stage.ts';
import { ALL_GARAGES } from './garages.ts';
import { openWorld } from './stage.ts';

describe.each(ALL_GARAGES)('vehicles of $world.name', (garage) => {
  const { ana, bo, cy, nobody } = garage.world;
  const ours = { target: ana, action: 'give', model: 'adder' };
  /** Without the fields that every row gets anew. */
  const lasting = (row: Record<string, unknown> | undefined) => ({
    ...row,
    id: undefined,
    [garage.properties]: JSON.parse(String(row?.[garage.properties] ?? '{}')),
  });

  it('gives one with the plate, the garage and the model that were asked for', async () => {
    const { send, row, plates } = await openGarage(garage);
    const { status, body } = await send({ ...ours, plate: ' lucky 7 ', garage: 'legion' });
    expect([status, body['result']]).toEqual([200, { plate: 'LUCKY 7', model: 'adder', garage: 'legion' }]);
    const stored = await row('LUCKY 7');
    expect(garage.ownerOf(stored ?? {})).toBe(garage.owner.ana);
    expect(garage.isStored(stored ?? {})).toBe(true);
    expect(stored?.[garage.garage]).toBe('legion');
    await eventually(() => plates(ana)).toEqual(['ABC 123', 'LUCKY 7']);
  });

  it('makes up a plate in the form of the game, and another one for the next', async () => {
    const { send, rows } = await openGarage(garage);
    const answers = [await send(ours), await send({ ...ours, target: bo })];
    const given = answers.map(({ body }) => body['result'] as { plate: string; garage: string });
    for (const { plate, garage: place } of given) {
      expect(plate).toMatch(garage.form);
      expect(place).toBe(garage.home);
    }
    expect(new Set(given.map(({ plate }) => plate)).size).toBe(2);
    expect(await rows()).toHaveLength(3);
  });

  it('puts it into the garage of the setting when none is named', async () => {
    const { send, server } = await openGarage(garage);
    server.convars.set('causeway_garage', 'downtown');
    expect((await send(ours)).body['result']).toMatchObject({ garage: 'downtown' });
  });

  it('refuses a plate that another vehicle has, also one of the same player', async () => {
    const { send, rows } = await openGarage(garage, { rows: `${garage.ofBo('BO 1')};` });
    for (const plate of ['bo 1', 'ABC 123']) {
      expect(await send({ ...ours, plate })).toMatchObject({
        status: 409,
        body: { code: 'plate_taken', executed: 'no' },
      });
    }
    expect(await rows()).toHaveLength(2);
  });

  it('gives one of two vehicles with one plate that are asked for at once', async () => {
    const { send, rows } = await openGarage(garage);
    const targets = [ana, bo, cy, ana, bo, cy];
    const answers = await Promise.all(targets.map((target) => send({ ...ours, target, plate: 'RACE 1' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409]);
    expect((await rows()).filter(({ plate }) => plate === 'RACE 1')).toHaveLength(1);
  });

  it('gives one to an offline player, and none to a player who does not exist', async () => {
    const { send, plates, rows } = await openGarage(garage);
    expect(await send({ ...ours, target: cy, plate: 'CY 1' })).toMatchObject({ status: 200 });
    await eventually(() => plates(cy)).toEqual(['CY 1']);
    expect(await send({ ...ours, target: nobody })).toMatchObject({ status: 404, body: { code: 'player_not_found' } });
    const other = ana === ana.toUpperCase() ? ana.toLowerCase() : ana.toUpperCase();
    expect((await send({ ...ours, target: other })).body).toMatchObject({ executed: 'no' });
    expect(await rows()).toHaveLength(2);
  });

  it('refuses models that the game does not have', async () => {
    const { send, rows } = await openGarage(garage);
    for (const model of ['no such car!', "x'; DROP TABLE users;--"]) {
      expect(await send({ ...ours, model })).toMatchObject({ status: 422, body: { code: 'unknown_model' } });
    }
    expect(await rows()).toHaveLength(1);
  });

  it.each([
    ['a plate of nine letters', { plate: 'ABCDEFGHI' }, '/plate'],
    ['a plate that no game shows', { plate: 'A_1;--' }, '/plate'],
    ['a garage that is too long', { garage: 'x'.repeat(100) }, '/garage'],
    ['a property that the table does not have', { metadata: { wings: 2 } }, '/metadata/wings'],
    ['a property that the command sets', { metadata: { plate: 'X' } }, '/metadata/plate'],
    [
      'properties that are not an object',
      { metadata: { [garage.properties]: '[1,2]' } },
      `/metadata/${garage.properties}`,
    ],
  ])('refuses %s', async (_name, fields, said) => {
    const { send, rows } = await openGarage(garage);
    const { status, body } = await send({ ...ours, ...fields });
    expect([status, body['code']]).toEqual([422, 'invalid_request']);
    expect(body['errors']).toMatchObject([{ pointer: said }]);
    expect(await rows()).toHaveLength(1);
  });

  it('takes one, and gives it back as it was', async () => {
    const { send, mysql, row, plates } = await openGarage(garage);
    const properties =
      '{"plate":"ABC 123","model":1234,"color1":[1,2],"extras":{},"properties":{"plate":"ABC 123","neon":[]}}';
    await mysql.run(`UPDATE ${garage.table} SET ${garage.properties} = '${properties}' WHERE plate = 'ABC 123'`);
    const before = await row('ABC 123');
    const taken = await send({ target: ana, action: 'take', plate: 'abc 123' });
    expect(taken).toMatchObject({ status: 200 });
    const { result } = taken.body as { result: { model: string; garage: string; metadata: object } };
    expect(result).toMatchObject({ plate: 'ABC 123', model: garage.model, garage: 'legion' });
    expect(await row('ABC 123')).toBeUndefined();
    await eventually(() => plates(ana)).toEqual([]);
    const { model, garage: place, metadata } = result;
    expect(await send({ ...ours, model, garage: place, plate: 'ABC 123', metadata })).toMatchObject({ status: 200 });
    const after = lasting(await row('ABC 123'));
    const text = after[garage.properties] as Record<string, unknown>;
    expect(text['causeway']).toMatch(/^cmd_/);
    delete text['causeway'];
    // Columns that the framework derives from the owner and the model.
    const derived = before?.['license'] === null ? { license: null, hash: null } : {};
    expect({ ...after, ...derived }).toEqual(lasting(before));
  });

  it('takes and stores only what the player has', async () => {
    const { send, rows } = await openGarage(garage, { rows: `${garage.ofBo('BO 1')};` });
    for (const action of ['take', 'store']) {
      for (const plate of ['BO 1', 'NOTHING']) {
        expect(await send({ target: ana, action, plate })).toMatchObject({
          status: 409,
          body: { code: 'vehicle_not_found', executed: 'no' },
        });
      }
    }
    expect(await rows()).toHaveLength(2);
  });

  it('finds a plate in small letters and with spaces', async () => {
    const { send, rows } = await openGarage(garage, { rows: `${garage.ofBo('bo 7 ')};` });
    const stored = await send({ target: bo, action: 'store', plate: 'BO 7', garage: 'pier' });
    expect(stored.body['result']).toMatchObject({ plate: 'BO 7', garage: 'pier' });
    expect(await send({ target: bo, action: 'take', plate: 'bo 7' })).toMatchObject({ status: 200 });
    expect(await rows()).toHaveLength(1);
  });

  it('stores a vehicle that was lost, in the garage that it had or in a named one', async () => {
    const { send, mysql, row, recall } = await openGarage(garage);
    await mysql.run(garage.out('ABC 123'));
    const named = await send({ target: ana, action: 'store', plate: 'ABC 123', garage: 'pier' });
    expect(named.body['result']).toEqual({ plate: 'ABC 123', model: garage.model, garage: 'pier' });
    expect(garage.isStored((await row('ABC 123')) ?? {})).toBe(true);
    await eventually(async () => (await recall(ana))?.vehicles[0]).toMatchObject({ stored: true, garage: 'pier' });
    expect((await send({ target: ana, action: 'store', plate: 'ABC 123' })).body['result']).toMatchObject({
      garage: 'pier',
    });
  });

  it('leaves a vehicle alone that is in the world', async () => {
    const { send, server, mysql, row } = await openGarage(garage);
    const out = { status: 409, body: { code: 'vehicle_out', executed: 'no', retryable: true } };
    server.convars.set('fake:world', 'XYZ 1, abc 123 ');
    for (const action of ['take', 'store']) {
      expect(
        await send({ target: ana, action, plate: 'ABC 123', ...(action === 'store' && { garage: 'x' }) }),
      ).toMatchObject(out);
    }
    await mysql.run(garage.out('ABC 123'));
    expect(await send({ target: ana, action: 'store', plate: 'ABC 123', garage: 'x' })).toMatchObject(out);
    server.convars.delete('fake:world');
    expect(await send({ target: ana, action: 'take', plate: 'ABC 123' })).toMatchObject(out);
    // A server without OneSync does not see vehicles.
    server.convars.set('onesync', 'off');
    expect(await send({ target: ana, action: 'store', plate: 'ABC 123', garage: 'x' })).toMatchObject(out);
    expect(garage.isStored((await row('ABC 123')) ?? {})).toBe(false);
  });

  it('says that the properties were too large to be reported', async () => {
    const { send, mysql, row } = await openGarage(garage);
    const large = JSON.stringify({ model: 1234, note: 'x'.repeat(20_000) });
    await mysql.run(`UPDATE ${garage.table} SET ${garage.properties} = '${large}' WHERE plate = 'ABC 123'`);
    const { body } = await send({ target: ana, action: 'take', plate: 'ABC 123' });
    expect(body['result']).toEqual({
      plate: 'ABC 123',
      model: garage.model,
      garage: 'legion',
      note: expect.stringContaining('too large'),
    });
    expect(await row('ABC 123')).toBeUndefined();
  });

  it('takes none that it cannot remember', async () => {
    const { send, kvp, mysql, rows } = await openGarage(garage);
    mysql.hold(true, /CAST/);
    const taking = send({ target: ana, action: 'take', plate: 'ABC 123' });
    await eventually(() => mysql.waiting()).toBe(1);
    kvp.fill(true);
    mysql.hold(false);
    await mysql.quiet();
    kvp.fill(false);
    expect((await taking).body).toMatchObject({ executed: 'no' });
    expect(await rows()).toHaveLength(1);
  });

  it('is not offered where a plate may be there twice, and the console says so once', async () => {
    const { world } = garage;
    const { hub, server, restartBridge } = await openWorld({
      ...world,
      tables: garage.loose(world.tables),
      realTables: garage.loose(world.realTables),
    });
    const commands = async () =>
      ((await hub.request('/api/v2/servers/main')).body['bridge'] as { commands: string[] } | null)?.commands;
    expect(await commands()).not.toContain('vehicles@1');
    const json = { target: world.ana, action: 'give', model: 'adder' };
    const refused = await hub.request('/api/v2/bridge/main/vehicles', { json });
    expect(refused.body).toMatchObject({ executed: 'no' });
    const said = () => server.lines.filter((line) => line.includes('plates are not unique'));
    expect(said()).toHaveLength(1);
    expect(said()[0]).toContain(garage.table);
    await restartBridge();
    await eventually(commands).toContain('money@1');
  });
});

describe.each(ALL_GARAGES.filter(({ world }) => world.name === 'real-ox_core'))('$world.name', (garage) => {
  const { ana } = garage.world;

  it('loads a vehicle that was given from its row, and as long as it has it, it is not taken', async () => {
    const { send, server, row } = await openGarage(garage);
    expect(await send({ target: ana, action: 'give', model: 'adder', plate: 'OWN 1' })).toMatchObject({ status: 200 });
    const { id, vin } = (await row('OWN 1')) ?? {};
    const run = async (name: string, code: string): Promise<string | undefined> => {
      await server.start({
        name,
        js: [new vm.Script(`(${code})().then((said) => console.log(JSON.stringify(said)))`)],
      });
      const said = () => server.lines.find((line) => line.startsWith(`[${name}] `));
      await eventually(said).toBeDefined();
      return said();
    };
    const loaded = await run('spawner', `() => exports.ox_core.SpawnVehicle(${Number(id)})`);
    expect(JSON.parse(loaded?.replace('[spawner] ', '') ?? '')).toMatchObject({
      plate: 'OWN 1',
      model: 'adder',
      owner: 1,
    });
    const take = { target: ana, action: 'take', plate: 'OWN 1' };
    expect(await send(take)).toMatchObject({ status: 409, body: { code: 'vehicle_out', executed: 'no' } });
    await run('remover', `async () => { await exports.ox_core.CallVehicle('${String(vin)}', 'remove'); return true; }`);
    expect(await send(take)).toMatchObject({ status: 200, body: { result: { plate: 'OWN 1', model: 'adder' } } });
    expect(await row('OWN 1')).toBeUndefined();
  });
});

const KEPT = ALL_GARAGES.flatMap(({ keeper, ...garage }) => (keeper === undefined ? [] : [{ ...garage, keeper }]));

describe.each(KEPT)('$keeper.name', (garage) => {
  it('has a vehicle that was given, and not one that was taken', async () => {
    const { keeper, world } = garage;
    const { send, server, look } = await openGarage(garage);
    const told: string[] = [];
    server.hear('fake:client', (...said: never[]) => void told.push(JSON.stringify(said)));
    await startBesides(server, keeper.root, keeper.name);
    const order = { target: world.ana, plate: 'OWN 1' };
    expect(await send({ ...order, action: 'give', model: 'adder', garage: 'legion' })).toMatchObject({ status: 200 });
    expect(await send({ ...order, action: 'take', plate: 'ABC 123' })).toMatchObject({ status: 200 });
    await keeper.ask(server);
    await eventually(() => told.find((said) => said.includes('legion'))).toContain('OWN 1');
    expect(told.join()).not.toContain('ABC 123');
    expect((await look(world.ana)).vehicles).toMatchObject([{ plate: 'OWN 1', garage: 'legion', stored: true }]);
    expect(server.errors).toEqual([]);
  });
});
