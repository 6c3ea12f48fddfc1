import { join } from 'node:path';
import Sqlite from 'better-sqlite3';

type Item = { inv_name: string; slot_id: number; item: string };

/** Reads a player's lists from the game's own database: `main 1` is the first slot, with the item and its count. */
export const storedItems = (world: string, player: string, lists: readonly string[]): Record<string, string> => {
  const db = new Sqlite(join(world, 'players.sqlite'), { readonly: true });
  try {
    const rows = db
      .prepare<[string], Item>(
        `SELECT inv_name, slot_id, item FROM player_inventory_items JOIN player_inventories USING (player, inv_id)
         WHERE player = ? AND item <> ''`,
      )
      .all(player);
    const wanted = rows.filter(({ inv_name }) => lists.includes(inv_name));
    return Object.fromEntries(
      wanted.map(({ inv_name, slot_id, item }) => {
        const [name = '', count = '1', wear = '0'] = item.split(' ');
        return [`${inv_name} ${slot_id + 1}`, `${name} ${count} ${wear}`];
      }),
    );
  } finally {
    db.close();
  }
};

/** How many players the mod storage has records of: they are in the file after the engine's next save. */
export const storedRecords = (world: string): number => {
  const db = new Sqlite(join(world, 'mod_storage.sqlite'), { readonly: true });
  try {
    const row = db.prepare<[], { n: number }>(
      "SELECT count(*) AS n FROM entries WHERE CAST(key AS TEXT) LIKE 'player:%'",
    );
    return row.get()?.n ?? 0;
  } finally {
    db.close();
  }
};
