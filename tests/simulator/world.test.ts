import { readFileSync, statSync, writeFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { player as playerSchema } from '../../bridge-protocol/wire/player.ts';
import { createLife } from '../../simulator/life.ts';
import { openWorld, type World, type WorldOptions } from '../../simulator/world.ts';
import { newFile } from '../kit/folder.ts';

const open = (options: Partial<WorldOptions> = {}) => {
  const world = openWorld({ players: 20, ...options });
  onTestFinished(world.close);
  return world;
};

describe('a new world', () => {
  it('is the same for the same seed, and another one for another seed', () => {
    const [one, same, other] = [open({ seed: 7 }), open({ seed: 7 }), open({ seed: 8 })];
    expect([...one.players()]).toEqual([...same.players()]);
    expect([...one.players()]).not.toEqual([...other.players()]);
  });

  it('holds players as the protocol describes them, word for word', () => {
    const everybody = [...open({ players: 300 }).players()];
    expect(everybody).toHaveLength(300);
    for (const someone of everybody) expect(playerSchema.parse(someone)).toEqual(someone);
  });

  it('has names in several scripts, unique plates, sparse slots and about 2 KB a player at most', () => {
    const everybody = [...open({ players: 200 }).players()];
    const names = everybody.map(({ name }) => name).join();
    for (const kind of [/\p{Script=Cyrillic}/u, /\p{Script=Han}/u, /ã|ç|é/, /'/, /\p{Extended_Pictographic}|🇧🇷/u]) {
      expect(names).toMatch(kind);
    }
    const plates = everybody.flatMap(({ vehicles }) => vehicles.map(({ plate }) => plate));
    expect(new Set(plates).size).toBe(plates.length);
    expect(everybody.some(({ inventory }) => inventory.some(({ slot }, nth) => slot !== nth + 1))).toBe(true);
    expect(Buffer.byteLength(JSON.stringify(everybody)) / everybody.length).toBeLessThan(2048);
  });

  it('starts with a ledger that explains every balance', () => {
    expect(open().audit()).toEqual([]);
  });

  it.each([0, -1, 1.5, 100_001, Number.NaN])('cannot have %d players', (players) => {
    expect(() => openWorld({ players })).toThrow(RangeError);
  });
});

describe('a world in a file', () => {
  it('keeps money, inventories, the journal and its own time when it is opened again', () => {
    const file = newFile('world.db');
    const before = openWorld({ file, players: 5, seed: 3 });
    const [first = ''] = before.identifiers();
    const params = {
      target: first,
      type: 'bank',
      amount: 1234,
      action: 'add' as const,
      allowNegative: false,
    };
    before.commands.money(params, { id: 'cmd_1', fingerprint: 'print' });
    const life = createLife({ world: before });
    for (let nth = 0; nth < 50; nth++) life.step();
    const withoutNumbers = (world: World) => [...world.players()].map(({ gameId: _, ...player }) => player);
    const everybody = withoutNumbers(before);
    const { id } = before.journal;
    before.close();

    const after = open({ file, players: 99, seed: 4 });
    expect(withoutNumbers(after)).toEqual(everybody);
    expect({ step: after.step(), seed: after.seed, journal: after.journal.id }).toEqual({
      step: 50,
      seed: 3,
      journal: id,
    });
    expect(after.journal.sequence()).toBe(2);
    expect(after.journal.get('cmd_1')?.outcome?.data?.['account']).toBe('bank');
    expect(after.audit()).toEqual([]);
  });

  it('gives each online player a number, from 1 on after each start, and nobody who is away', () => {
    const file = newFile('world.db');
    const numbersOf = (world: World) =>
      [...world.players()].map(({ online, gameId }) => [online, gameId !== undefined]);
    const before = openWorld({ file, players: 30, seed: 3 });
    const life = createLife({ world: before });
    for (let nth = 0; nth < 300; nth++) life.step();
    const numbers = [...before.players()].flatMap(({ gameId }) => gameId ?? []);
    expect(new Set(numbers).size).toBe(before.count().online);
    for (const [online, isNumbered] of numbersOf(before)) expect(isNumbered).toBe(online);
    before.close();
    const after = open({ file });
    const sorted = [...after.players()].flatMap(({ gameId }) => gameId ?? []);
    expect(sorted).toEqual(Array.from({ length: after.count().online }, (_, n) => n + 1));
  });

  it('can be read by its owner only', () => {
    const file = newFile('world.db');
    open({ file });
    for (const part of [file, `${file}-wal`]) expect(statSync(part).mode & 0o777).toBe(0o600);
  });

  it('belongs to one process at a time', () => {
    const file = newFile('world.db');
    open({ file });
    expect(() => openWorld({ file, players: 20 })).toThrow(/open in another process/);
  });

  it('is refused when the file is something else, and left as it was', () => {
    const text = newFile('notes.txt');
    writeFileSync(text, 'Not a database at all, but long enough to look at. '.repeat(40));
    expect(() => openWorld({ file: text, players: 1 })).toThrow(/is not a world/);

    const database = newFile('other.db');
    const other = new Database(database);
    other.exec('CREATE TABLE players (name TEXT)');
    other.close();
    const bytes = readFileSync(database);
    expect(() => openWorld({ file: database, players: 1 })).toThrow(/not a world/);
    expect(readFileSync(database)).toEqual(bytes);
  });
});
