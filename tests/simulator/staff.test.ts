import { describe, expect, it, onTestFinished } from 'vitest';
import type { CommandParams } from '../../bridge-protocol/wire/commands.ts';
import { openWorld } from '../../simulator/world.ts';

const setUp = () => {
  const world = openWorld({ players: 20 });
  onTestFinished(world.close);
  const [target = '', other = ''] = world.identifiers();
  let next = 1;
  const context = () => ({ id: `cmd_${next++}`, fingerprint: 'print' });
  const vehicles = (params: Omit<CommandParams<'vehicles'>, 'target'> & { target?: string }) =>
    world.commands.vehicles({ target, ...params }, context());
  const job = (name: string, grade: number) => world.commands.job({ target, job: name, grade }, context());
  world.transact((edit) => {
    edit.join(target);
    edit.join(other);
  });
  return { world, target, other, vehicles, job, context };
};

describe('a command of vehicles', () => {
  it('gives one with a plate of its own, takes it with its properties, and gives it back as it was', () => {
    const { world, target, vehicles } = setUp();
    const given = vehicles({ action: 'give', model: 'adder', plate: 'GIFT 1', garage: 'pier' });
    expect(given).toEqual({ status: 'done', data: { plate: 'GIFT 1', model: 'adder', garage: 'pier' } });
    const taken = vehicles({ action: 'take', plate: 'gift 1 ' });
    expect(taken.data).toEqual({ plate: 'GIFT 1', model: 'adder', garage: 'pier', metadata: { fuel: 100 } });
    expect(world.player(target)?.vehicles.some(({ plate }) => plate === 'GIFT 1')).toBe(false);
    vehicles({ action: 'give', model: 'adder', plate: 'GIFT 1', metadata: { fuel: 7 } });
    expect(world.player(target)?.vehicles.at(-1)).toMatchObject({ plate: 'GIFT 1', metadata: { fuel: 7 } });
  });

  it('never gives a plate that another vehicle has, and makes free ones up', () => {
    const { world, other, vehicles } = setUp();
    const [taken] = world.identifiers().flatMap((each) => world.player(each)?.vehicles ?? []);
    expect(vehicles({ action: 'give', model: 'adder', plate: taken?.plate }).error?.code).toBe('plate_taken');
    expect(vehicles({ action: 'give', model: 'adder', plate: 'GIFT 1' }).status).toBe('done');
    expect(vehicles({ target: other, action: 'give', model: 'adder', plate: 'GIFT 1' }).error?.code).toBe(
      'plate_taken',
    );
    const plates = Array.from({ length: 50 }, () => vehicles({ action: 'give', model: 'futo' }).data?.['plate']);
    expect(new Set(plates).size).toBe(50);
  });

  it('refuses what is not there, and what stands outside', () => {
    const { world, target, other, vehicles } = setUp();
    expect(vehicles({ action: 'give', model: 'tank' }).error?.code).toBe('unknown_model');
    vehicles({ target: other, action: 'give', model: 'adder', plate: 'GIFT 1' });
    expect(vehicles({ action: 'take', plate: 'GIFT 1' }).error?.code).toBe('vehicle_not_found');
    world.transact((edit) => {
      const out = { plate: 'OUT 1', model: 'futo', label: 'Futo', stored: false, garage: null, metadata: {} };
      edit.setVehicles(target, [out]);
    });
    expect(vehicles({ action: 'take', plate: 'OUT 1' }).error?.code).toBe('vehicle_out');
    expect(vehicles({ action: 'store', plate: 'OUT 1', garage: 'pier' }).data).toMatchObject({ garage: 'pier' });
    expect(vehicles({ action: 'take', plate: 'OUT 1' }).status).toBe('done');
  });
});

describe('a command of the job', () => {
  it('tells the job before and after, and refuses unknown jobs and grades', () => {
    const { world, target, job } = setUp();
    expect(job('police', 2).data).toMatchObject({ after: { job: 'police', grade: 2 } });
    expect(job('taxi', 0).data).toEqual({ before: { job: 'police', grade: 2 }, after: { job: 'taxi', grade: 0 } });
    expect(world.player(target)?.metadata).toMatchObject({ job: 'taxi', jobGrade: 0 });
    expect(job('king', 0).error?.code).toBe('unknown_job');
    expect(job('taxi', 5).error?.code).toBe('unknown_grade');
  });
});

describe('an action', () => {
  it('changes the state of a player who is online, and says who has confirmed it', () => {
    const { world, target, other, context } = setUp();
    const state = () => world.player(target)?.metadata;
    const { freeze, revive, teleport, message, announce } = world.commands;
    expect(freeze({ target, frozen: true }, context()).data).toEqual({ confirmedBy: 'server', frozen: true });
    expect(state()).toMatchObject({ frozen: true });
    expect(revive({ target }, context()).data).toEqual({ confirmedBy: 'server' });
    expect(state()).toMatchObject({ isDead: false, health: 200, frozen: true });
    const position = { x: 1, y: 2, z: 3 };
    teleport({ target: other, to: position }, context());
    expect(teleport({ target, to: { player: other } }, context()).data).toEqual({ confirmedBy: 'server', position });
    expect(message({ target, message: 'hi' }, context()).status).toBe('done');
    expect(announce({ message: 'hi' }, context()).data).toEqual({
      confirmedBy: 'server',
      players: world.count().online,
    });
  });

  it('is refused for a player who is away, or unknown', () => {
    const { world, target, context } = setUp();
    world.transact((edit) => edit.leave(target));
    const { heal, teleport } = world.commands;
    expect(heal({ target }, context()).error?.code).toBe('player_offline');
    expect(heal({ target: 'char1:nobody' }, context()).error?.code).toBe('player_not_found');
    const [, other = ''] = world.identifiers();
    expect(teleport({ target: other, to: { player: target } }, context()).error?.code).toBe('player_offline');
  });
});

describe('an announcement', () => {
  it('reaches all players who are online, or those of them who were chosen', () => {
    const { world, target, other, context } = setUp();
    const reached = (targets?: string[]) =>
      world.commands.announce({ message: 'Race', ...(targets && { targets }) }, context()).data?.['players'];
    const away = world.identifiers().filter((each) => world.player(each)?.online === false);
    expect(away.length).toBeGreaterThan(0);
    expect(reached()).toBe(world.count().online);
    expect(reached([target, ...away, other, 'nobody'])).toBe(2);
    expect(reached(['nobody'])).toBe(0);
  });
});
