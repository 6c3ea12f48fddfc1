import { describe, expect, it } from 'vitest';
import {
  createCustomCommands,
  decodeBridgeMessage,
  LIMITS,
  memoryJournal,
  readDeclaration,
  rolesFault,
} from '../../../bridge-protocol/index.ts';
import { createFakeHub, until } from '../../kit/fake-hub.ts';
import { money, startBridge } from '../bridge.ts';

const PARAMS = {
  type: 'object',
  properties: {
    whom: { type: 'string' },
    item: { enum: ['bread', 'water'] },
    count: { type: ['integer', 'null'] },
    note: { type: 'string' },
    loud: { type: 'boolean' },
  },
};
const ROLES = { player: 'whom', item: 'item', amount: 'count', reason: 'note', reasonRequired: true };

describe('the roles of parameters', () => {
  it('name parameters of the schema', () => {
    expect(readDeclaration({ params: PARAMS, roles: ROLES })).toEqual({ schema: PARAMS, roles: ROLES });
    expect(readDeclaration({ params: PARAMS, roles: { reason: 'note', reasonRequired: false } })).toEqual({
      schema: PARAMS,
      roles: { reason: 'note' },
    });
  });

  it.each([[undefined], [null], [{}], [[]]])('may be absent: %j', (roles) => {
    expect(readDeclaration({ params: PARAMS, roles })).toEqual({ schema: PARAMS });
  });

  it('of a later version are left out', () => {
    expect(readDeclaration({ params: PARAMS, roles: { item: 'item', vehicle: 'car' } })).toMatchObject({
      roles: { item: 'item' },
    });
  });

  it.each([
    [{ amount: 'coins' }, '/roles/amount: the schema has no property "coins"'],
    [{ player: 'constructor' }, '/roles/player: the schema has no property "constructor"'],
    [{ item: 5 }, '/roles/item: must be the name of a parameter'],
    [{ amount: 'note' }, '/roles/amount: the parameter "note" must be a number'],
    [{ player: 'count' }, '/roles/player: the parameter "count" must be a string'],
    [{ item: 'note', reason: 'note' }, '/roles/reason: the parameter has the role item already'],
    [{ reasonRequired: true }, '/roles/reasonRequired: no parameter has the role reason'],
    [{ reason: 'note', reasonRequired: 'yes' }, '/roles/reasonRequired: must be true or false'],
    ['amount', '/roles: must be an object'],
    [{ other: 'x'.repeat(LIMITS.customSchemaBytes) }, '/roles: with the schema over 4096 bytes of JSON'],
  ])('are refused by their name where they cannot be: %j', (roles, problem) => {
    expect(readDeclaration({ params: PARAMS, roles })).toEqual({ problem });
  });

  it.each([
    [{ whom: 'char1:ana', note: 'because' }, undefined],
    [{ note: 'because' }, undefined],
    [{ whom: 'Ana Souza', note: 'because' }, '/whom'],
    [{ whom: 7, note: 'because' }, '/whom'],
    [{ whom: 'char1:ana' }, '/note'],
    [{ whom: 'char1:ana', note: ' \n' }, '/note'],
    [{ whom: 'char1:ana', note: 3 }, '/note'],
  ])('are kept by parameters, or the fault names the parameter: %j', (params, pointer) => {
    expect(rolesFault(ROLES, params)?.pointer).toBe(pointer);
  });

  it('refuse no frame: a hub reads them for each command', () => {
    const commands = [{ name: 'a', params: {}, roles: { amount: 5 } }];
    expect(decodeBridgeMessage(JSON.stringify({ type: 'commands.custom', commands }))).toMatchObject({ commands });
  });
});

describe('a custom command with roles', () => {
  it('is announced with them, and gets the player of that role as its target', async () => {
    const custom = createCustomCommands();
    const seen: unknown[] = [];
    custom.register({
      name: 'give',
      params: PARAMS,
      roles: ROLES,
      handler: (params, { target }) => {
        seen.push([params['whom'], target]);
        return { status: 'done' };
      },
    });
    const hub = createFakeHub();
    startBridge(hub, { custom, journal: memoryJournal({ class: 'durable' }) });
    const socket = await hub.socket(0);
    const { commands } = await until(() => socket.of('commands.custom')[0]);
    expect(commands).toEqual([{ name: 'give', description: '', params: PARAMS, roles: ROLES }]);
    for (const target of ['char1:ana', 'char1:bob']) {
      socket.send(money({ name: 'custom:give', params: { whom: target, target: 'char1:other', note: 'x' } }));
    }
    await until(() => socket.of('result')[1]);
    expect(seen).toEqual([
      ['char1:ana', 'char1:ana'],
      ['char1:bob', 'char1:bob'],
    ]);
  });

  it.each([
    [{ amount: 'coins' }, '/roles/amount: the schema has no property "coins"'],
    [{ ammount: 'count' }, 'there is no role "ammount"'],
  ])('is refused at its registration where they are wrong: %j', (roles, problem) => {
    const custom = createCustomCommands();
    const register = () =>
      custom.register({ name: 'give', params: PARAMS, roles, handler: () => ({ status: 'done' }) });
    expect(register).toThrow(problem);
    expect(custom.size()).toBe(0);
  });
});
