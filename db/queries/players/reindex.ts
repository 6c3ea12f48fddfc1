import { and, asc, eq, gt, isNull, type SQL, sql } from 'drizzle-orm';
import type { Database } from '../../port/database.ts';
import { searchFields, searchText } from '../../schema/text.ts';
import { atMost, bound, literally } from '../expressions.ts';

/** Rows per transaction, which take a few ms. */
const STEP = 64;

/**
 * Fills the search columns of players that an older version wrote, in steps. Does not overwrite newer reports of
 * bridges.
 */
export const playerReindex = ({
  handle,
  tables: { players },
  prepare,
  prepareChange,
  read,
  commit,
  late,
}: Database) => {
  const isOld: SQL = literally(isNull(players.searchMarks));
  const { id, name, identifier, identifiers, vehicles } = players;
  const old = prepare('players.old', () =>
    handle
      .select({ id, name, identifier, identifiers, vehicles })
      .from(players)
      .where(and(isOld, gt(id, sql.placeholder('after'))))
      .orderBy(asc(id))
      .limit(atMost(STEP)),
  );
  const fill = prepareChange('players.fill', () =>
    handle
      .update(players)
      .set({
        searchText: bound(players.searchText, 'searchText'),
        searchMarks: bound(players.searchMarks, 'searchMarks'),
        searchPlates: bound(players.searchPlates, 'searchPlates'),
      })
      .where(and(eq(id, sql.placeholder('id')), isOld)),
  );

  return {
    /** One step behind the id `after`; where the next one begins, or undefined after the last one. */
    reindex: async (after: number): Promise<number | undefined> => {
      const rows = await read(() => old({ after }));
      await Promise.all(
        rows.map((row) =>
          commit(() => fill({ id: row.id, searchText: searchText(row.name, row.identifier), ...searchFields(row) })),
        ),
      );
      const last = rows.at(-1);
      if (last !== undefined) return last.id;
      const isMore = late !== undefined && (await commit(late.some));
      return isMore ? after : undefined;
    },
  };
};
