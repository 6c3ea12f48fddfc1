import type { Database as Client, Statement as Compiled } from 'better-sqlite3';
import { and, type SQL, sql } from 'drizzle-orm';
import type { Database, Prepared, Reader } from '../port/database.ts';
import { type Field, type Hits, MAX_HITS, type Rank, type Search, type Term } from '../port/search.ts';
import type { Tables } from '../schema/tables.ts';

const TRIGRAM = 3;
/** For terms from this length on, some of the trigrams are searched first, which leaves few candidates. */
const LONG_TERM = 9;
const MAX_TRIED = 200;
/** Greater than any text. */
const GREATEST = '\u{10ffff}'.repeat(TRIGRAM);
const MOST = sql.raw(String(MAX_HITS + 1));

const placeholder = (name: string): SQL => sql`${sql.placeholder(name)}`;
const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
const ids = sql`(select value as hit from json_each(${placeholder('ids')}))`;

/** Trigrams that every text with the term contains: all of a short term; of a long term, enough to cover it. */
const partsOf = (term: string): string => {
  const characters = [...term];
  const last = characters.length - TRIGRAM;
  const step = characters.length >= LONG_TERM ? TRIGRAM : 1;
  const starts = Array.from({ length: Math.ceil(last / step) }, (_, n) => n * step);
  return [...starts, last].map((start) => quoted(characters.slice(start, start + TRIGRAM).join(''))).join(' AND ');
};

/** How the columns of a player's row are searched without an index. */
const conditionsOf = ({ players }: Tables) => {
  const has = (text: SQL): SQL => sql`instr(${text}, ${placeholder('term')}) > 0`;
  const isName = sql`instr(${players.searchText}, ${placeholder('term')}) between 1 and instr(${players.searchText}, char(10))`;
  const isIn: Record<Field, SQL> = {
    marks: has(sql`${players.searchMarks}`),
    ids: has(sql`lower(${players.identifier} || char(10) || ${players.identifiers})`),
    plates: has(sql`${players.searchPlates}`),
  };
  const isInOneOf = (fields: readonly Field[]): SQL =>
    sql`(${sql.join([sql`0`, ...fields.map((field) => isIn[field])], sql` or `)})`;
  const matches = (rank: Rank, fields: readonly Field[]): SQL => {
    if (rank === 'names') return isName;
    return rank === 'all' ? sql`(${isName} or ${isInOneOf(fields)})` : sql`(not ${isName} and ${isInOneOf(fields)})`;
  };
  return { isName, isIn, matches };
};

/**
 * SQLite: FTS5 indexes of trigrams (names, marks and plates; whole identifiers), one of linked identifiers, and totals,
 * written by triggers; new players may be late.
 */
export const sqliteSearch = ({ tables, reader }: { tables: Tables; reader: Reader }): Search => {
  const { players } = tables;
  const { isName, isIn, matches } = conditionsOf(tables);
  // The index does not have the newest players yet: a few hundred in the middle of a snapshot, otherwise none.
  const late = sql`select ${players.id} from ${players} where ${players.id} > (select last_id from player_indexed)`;
  const list = (found: SQL) =>
    reader.handle
      .select({ count: sql<number>`count(*)`, ids: sql<string>`json_group_array(hit)` })
      .from(sql`(${found} limit ${MOST})`);
  const isPhrase = (columns: string): SQL =>
    sql`player_search match ${sql.raw(`'{${columns}} : '`)} || ${placeholder('quoted')}`;
  // A term of one or two characters is the beginning of a trigram wherever it stands.
  const isBeginning = (column: string): SQL =>
    sql`term >= ${placeholder('term')} and term <= ${placeholder('last')} and col = ${sql.raw(`'${column}'`)}`;

  const lateNames = sql`${late} and ${players.goneAt} is null and ${isName}`;
  const names = reader.prepare('players.names', () =>
    list(sql`select rowid as hit from player_search where ${isPhrase('name')} union all ${lateNames}`),
  );
  const shortNames = reader.prepare('players.shortNames', () =>
    list(sql`select distinct doc as hit from player_trigrams where ${isBeginning('name')} union all ${lateNames}`),
  );
  // The candidates are few, so each one can be read; `tried` tells whether the list is complete.
  const triedNames = reader.prepare('players.triedNames', () => {
    const candidates = sql`select rowid as candidate from player_search where player_search match ${placeholder('parts')}
      union all ${lateNames} limit ${sql.raw(String(MAX_TRIED + 1))}`;
    return reader.handle
      .select({
        tried: sql<number>`count(*)`,
        count: sql<number>`count(*) filter (where ${isName})`,
        ids: sql<string>`json_group_array(candidate) filter (where ${isName})`,
      })
      .from(sql`(${candidates}) cross join ${players} on ${players.id} = candidate`);
  });

  const isNoName = sql`not in (select value from json_each(${placeholder('names')}))`;
  const branchOf = (field: Field, isShort: boolean): SQL => {
    const ofField = isShort
      ? sql`select distinct doc as hit from player_trigrams where ${isBeginning(field)} and doc ${isNoName}`
      : sql`select rowid as hit from player_search where ${isPhrase(field)} and rowid ${isNoName}`;
    if (field !== 'ids') return ofField;
    return sql`select candidate as hit from (select rowid as candidate from player_ids where player_ids match ${placeholder('parts')})
      cross join ${players} on ${players.id} = candidate where ${isIn.ids} and not ${isName}`;
  };
  const known = new Map<string, Prepared<Hits[]>>();
  const others = (fields: readonly Field[], isShort: boolean): Prepared<Hits[]> => {
    const build = () => {
      const lateOthers = sql`${late} and ${players.goneAt} is null and ${matches('others', fields)}`;
      // Each branch ends early by itself; the union alone would read all of them.
      const branches = [...fields.map((field) => branchOf(field, isShort)), lateOthers];
      return list(
        sql.join(
          branches.map((branch) => sql`select * from (${branch} limit ${MOST})`),
          sql` union `,
        ),
      );
    };
    const key = `players.others ${fields} ${isShort}`;
    const statement = known.get(key) ?? reader.prepare(key, build);
    known.set(key, statement);
    return statement;
  };

  const one = ([hits]: Hits[]): Hits => hits ?? { count: 0, ids: '[]' };
  const valuesOf = ({ text }: Term) => {
    const length = [...text].length;
    return length < TRIGRAM
      ? { isShort: true, length, values: { term: text, last: `${text}${GREATEST}` } }
      : { isShort: false, length, values: { term: text, quoted: quoted(text), parts: partsOf(text) } };
  };

  const namesOf = async (term: Term): Promise<Hits> => {
    const { isShort, length, values } = valuesOf(term);
    if (isShort) return one(await reader.read(() => shortNames(values)));
    if (length >= LONG_TERM) {
      const parts = `{name} : (${values.parts})`;
      const [few] = await reader.read(() => triedNames({ ...values, parts }));
      if (few !== undefined && few.tried <= MAX_TRIED) return few;
    }
    return one(await reader.read(() => names(values)));
  };
  const othersOf = async (term: Term, found: string): Promise<Hits> => {
    if (term.fields.length === 0) return one([]);
    const { isShort, values } = valuesOf(term);
    const statement = others(term.fields, isShort);
    return one(await reader.read(() => statement({ ...values, names: found })));
  };

  return {
    hits: async (term) => {
      const found = await namesOf(term);
      return { names: found, others: found.count > MAX_HITS ? undefined : await othersOf(term, found.ids) };
    },
    isOfProject: false,
    rows: (selection, filters) => {
      if (selection === undefined) return sql`${players} where ${and(...filters)}`;
      const { path, rank, fields } = selection;
      // A cross join is not reordered: the hits come first.
      if (path === 'hits') return sql`${ids} cross join ${players} on ${players.id} = hit where ${and(...filters)}`;
      // With the sign SQLite cannot look the rows up by their ids.
      const isHit = path === 'order' ? sql`+${players.id} in ${ids}` : matches(rank, fields);
      return sql`${players} where ${and(...filters, isHit)}`;
    },
    // SQLite merges the branches while it reads.
    half: (selection) => selection,
    linked: {
      term: quoted,
      // The index folds case and takes a value apart where it has other characters than identifiers have.
      rows: (
        filters,
        value,
      ) => sql`(select rowid as candidate from player_links where player_links match ${placeholder('linked')}
          union all ${late}) cross join ${players} on ${players.id} = candidate where ${and(...filters)}
        and exists (select 1 from json_each(${players.identifiers}) where value = ${value})`,
      anyOf: (values) => ({ anyTerms: values.map(quoted).join(' OR '), anyValues: JSON.stringify(values) }),
      anyRows: (filters) => {
        const wanted = sql`value in (select value from json_each(${placeholder('anyValues')}))`;
        return sql`(select rowid as candidate from player_links where player_links match ${placeholder('anyTerms')}
          union all ${late}) cross join ${players} on ${players.id} = candidate where ${and(...filters)}
        and exists (select 1 from json_each(${players.identifiers}) where ${wanted})`;
      },
    },
    totals: { from: sql`player_totals as ${players}`, count: sql`coalesce(sum(total), 0)` },
  };
};

/** New players that may wait for the search index while more of them are written; a search looks at each of these. */
const INDEXED_AT_ONCE = 512;
/** The last write of a series indexes the waiting players too. */
const MOST_AT_ONCE = 2 * INDEXED_AT_ONCE;

// A trigger indexes the rows of this range.
const FORWARD = `UPDATE player_indexed
  SET last_id = (SELECT max(id) FROM (SELECT id FROM players WHERE id > last_id ORDER BY id LIMIT ${MOST_AT_ONCE}))
  WHERE EXISTS (SELECT 1 FROM players WHERE id > last_id)`;

/**
 * Adds the next players to the search index, many at once: each statement adds a segment, which has to be merged
 * later. Returns whether there were any players.
 */
export const sqliteIndexer = (client: Client): NonNullable<Database['late']> => {
  let forward: Compiled | undefined;
  const some = () => ({
    sync: () => {
      forward ??= client.prepare(FORWARD);
      return forward.run().changes > 0;
    },
  });
  return { some, atOnce: INDEXED_AT_ONCE };
};
