import type { Player } from '../bridge-protocol/wire/player.ts';
import { ACCOUNTS, type Ledger } from './ledger.ts';
import type { Store } from './store.ts';

type Row = {
  position: number;
  identifier: string;
  name: string;
  online: number;
  identifiers: string;
  accounts: string;
  inventory: string;
  vehicles: string;
  metadata: string;
};

const PAGE = 100;
const SELECT = `
SELECT position, identifier, name, online, identifiers, inventory, vehicles, metadata,
  (SELECT json_group_object(account, amount) FROM balances b WHERE b.identifier = p.identifier) AS accounts
FROM players p`;

// Only `add` and the setters below write these columns, from values of the same type.
const playerOf = (row: Row): Player => ({
  identifier: row.identifier,
  name: row.name,
  online: row.online === 1,
  identifiers: JSON.parse(row.identifiers),
  accounts: JSON.parse(row.accounts),
  inventory: JSON.parse(row.inventory),
  vehicles: JSON.parse(row.vehicles),
  metadata: JSON.parse(row.metadata),
});

/** The players of a world, found only by their own identifier. */
export const createPopulation = ({ db, ledger }: { db: Store; ledger: Ledger }) => {
  const select = db.prepare<[string], Row>(`${SELECT} WHERE identifier = ?`);
  const selectPage = db.prepare<[number, number], Row>(`${SELECT} WHERE position > ? ORDER BY position LIMIT ?`);
  const selectIdentifiers = db.prepare<[], string>('SELECT identifier FROM players ORDER BY position').pluck();
  const selectPresence = db.prepare<[string], { online: number; away_until: number }>(
    'SELECT online, away_until FROM players WHERE identifier = ?',
  );
  const count = db.prepare<[], { online: number; max: number }>(
    'SELECT coalesce(sum(online), 0) AS online, count(*) AS max FROM players',
  );
  const insert = db.prepare<[string, string, string, number, string, string, string]>(
    `INSERT INTO players (identifier, name, identifiers, online, inventory, vehicles, metadata)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  const updateOnline = db.prepare<[number, number, string]>(
    'UPDATE players SET online = ?, away_until = ? WHERE identifier = ?',
  );
  const updateInventory = db.prepare<[string, string]>('UPDATE players SET inventory = ? WHERE identifier = ?');
  const updateVehicles = db.prepare<[string, string]>('UPDATE players SET vehicles = ? WHERE identifier = ?');

  const updateMetadata = db.prepare<[string, string]>('UPDATE players SET metadata = ? WHERE identifier = ?');
  const selectOnline = db
    .prepare<[], string>('SELECT identifier FROM players WHERE online = 1 ORDER BY position')
    .pluck();

  // As in FiveM: each start of the game server counts from 1 on, and nobody gets the number of another player.
  const gameIds = new Map(selectOnline.all().map((identifier, n) => [identifier, n + 1]));
  let lastGameId = gameIds.size;
  const numbered = (row: Row): Player => {
    const gameId = row.online === 1 ? gameIds.get(row.identifier) : undefined;
    return gameId === undefined ? playerOf(row) : { ...playerOf(row), gameId };
  };
  const giveGameId = (identifier: string): void => {
    lastGameId += 1;
    gameIds.set(identifier, lastGameId);
  };

  const insertPlate = db.prepare<[string, string]>('INSERT OR IGNORE INTO plates (plate, identifier) VALUES (?, ?)');
  const deletePlate = db.prepare<[string]>('DELETE FROM plates WHERE plate = ?');

  /** False: another vehicle has this plate. */
  const claimPlate = (plate: string, identifier: string): boolean => insertPlate.run(plate, identifier).changes === 1;

  const add = ({ identifier, name, online, accounts, ...rest }: Player): void => {
    const [identifiers, inventory, vehicles, metadata] = [
      JSON.stringify(rest.identifiers),
      JSON.stringify(rest.inventory),
      JSON.stringify(rest.vehicles),
      JSON.stringify(rest.metadata),
    ];
    insert.run(identifier, name, identifiers, online ? 1 : 0, inventory, vehicles, metadata);
    for (const { plate } of rest.vehicles) claimPlate(plate, identifier);
    for (const account of ACCOUNTS) ledger.open(identifier, account, accounts[account] ?? 0);
    if (online) giveGameId(identifier);
  };

  // Reads in pages, because SQLite allows no write while a statement is being stepped through.
  const all = function* (): Generator<Player> {
    let position = 0;
    while (true) {
      const rows = selectPage.all(position, PAGE);
      yield* rows.map(numbered);
      const last = rows.at(-1);
      if (last === undefined) return;
      position = last.position;
    }
  };

  return {
    add,
    all,
    get: (identifier: string): Player | undefined => {
      const row = select.get(identifier);
      return row && numbered(row);
    },
    /** `awayUntil`: the step of life before which an offline player does not come back by themselves. */
    presence: (identifier: string): { online: boolean; awayUntil: number } | undefined => {
      const row = selectPresence.get(identifier);
      return row && { online: row.online === 1, awayUntil: row.away_until };
    },
    identifiers: (): string[] => selectIdentifiers.all(),
    count: (): { online: number; max: number } => count.get() ?? { online: 0, max: 0 },
    join: (identifier: string): void => {
      updateOnline.run(1, 0, identifier);
      giveGameId(identifier);
    },
    leave: (identifier: string, awayUntil: number): void => {
      updateOnline.run(0, awayUntil, identifier);
    },
    setInventory: (identifier: string, inventory: Player['inventory']): void => {
      updateInventory.run(JSON.stringify(inventory), identifier);
    },
    setVehicles: (identifier: string, vehicles: Player['vehicles']): void => {
      updateVehicles.run(JSON.stringify(vehicles), identifier);
    },
    setMetadata: (identifier: string, metadata: Player['metadata']): void => {
      updateMetadata.run(JSON.stringify(metadata), identifier);
    },
    claimPlate,
    releasePlate: (plate: string): void => {
      deletePlate.run(plate);
    },
  };
};
export type Population = ReturnType<typeof createPopulation>;
