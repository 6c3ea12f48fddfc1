import type { Framework } from '../fxserver/game.ts';
import type { Mysql } from '../fxserver/mysql.ts';
import type { FxServer } from '../fxserver/server.ts';

const PLAIN = (value: unknown): string => `'${JSON.stringify(value).replaceAll("'", "''")}'`;

export type World = Framework & {
  name: string;
  /** Two who play, and one who does not. */
  ana: string;
  bo: string;
  cy: string;
  licenses: Record<string, string[]>;
  /** Somebody whose identifier looks right. */
  nobody: string;
  money: { ana: Record<string, number>; bo: Record<string, number>; cy: Record<string, number> };
  /** Whether the bank goes below zero when an order allows it. */
  mayOwe: boolean;
  isOfflinePaid: boolean;
  stored(mysql: Mysql, identifier: string): Record<string, number>;
  /** The game pays somebody by itself. */
  earn(server: FxServer, source: number, amount: number): void;
};

const columnOf = (mysql: Mysql, table: string, column: string, key: string, identifier: string) =>
  JSON.parse(
    mysql.db.prepare<[string], string>(`SELECT ${column} FROM ${table} WHERE ${key} = ?`).pluck().get(identifier) ??
      '{}',
  ) as Record<string, number>;

/** ESX Legacy with esx_identity and esx_multicharacter. */
const ESX: World = {
  name: 'esx',
  resource: 'es_extended',
  file: 'esx.lua',
  ana: 'char1:a11a',
  bo: 'char1:b0b0',
  cy: 'char2:c4c4',
  licenses: {
    'char1:a11a': ['license:a11a', 'discord:1', 'ip:10.0.0.1'],
    'char1:b0b0': ['license:b0b0'],
    'char2:c4c4': ['license:c4c4'],
  },
  nobody: 'char1:d0d0',
  money: {
    ana: { bank: 5000, money: 120, black_money: 0 },
    bo: { bank: 100, money: 0, black_money: 7 },
    cy: { bank: 900, money: 1, black_money: 0 },
  },
  mayOwe: true,
  isOfflinePaid: true,
  stored: (mysql, identifier) => columnOf(mysql, 'users', 'accounts', 'identifier', identifier),
  earn: (server, source, amount) => server.emit('fake:call', '', source, 'addAccountMoney', 'bank', amount, 'job'),
  tables: `
    CREATE TABLE IF NOT EXISTS users (identifier VARCHAR(60) PRIMARY KEY, accounts LONGTEXT, \`group\` VARCHAR(50),
      inventory LONGTEXT, job VARCHAR(20), job_grade INT, firstname VARCHAR(16), lastname VARCHAR(16));
    CREATE TABLE IF NOT EXISTS owned_vehicles (owner VARCHAR(60), plate VARCHAR(12) PRIMARY KEY, vehicle LONGTEXT,
      type VARCHAR(20), job VARCHAR(20), stored TINYINT, parking VARCHAR(60));
    INSERT OR IGNORE INTO users VALUES
      ('char1:a11a', ${PLAIN({ bank: 5000, money: 120, black_money: 0 })}, 'user', ${PLAIN({ bread: 3 })}, 'police', 2, 'Ana', 'Souza'),
      ('char1:b0b0', ${PLAIN({ bank: 100, money: 0, black_money: 7 })}, 'admin', '[]', 'taxi', 0, 'Bo', 'Ek'),
      ('char2:c4c4', ${PLAIN({ bank: 900, money: 1, black_money: 0 })}, 'user', '[]', 'unemployed', 0, 'Cy', 'Om');
    INSERT OR IGNORE INTO owned_vehicles VALUES
      ('char1:a11a', 'ABC 123', ${PLAIN({ model: 1234, plate: 'ABC 123' })}, 'car', NULL, 1, 'legion');`,
};

export const WORLDS: readonly World[] = [ESX];
