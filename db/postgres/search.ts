import { and, type SQL, sql } from 'drizzle-orm';
import type { Search } from '../database.ts';
import type { Tables } from '../schema/tables.ts';

const placeholder = (name: string): SQL => sql`${sql.placeholder(name)}`;

/**
 * PostgreSQL: all searched text of a player in a table of its own, with an index of trigrams, and totals. The server plans
 * each search by its words: it uses the index, or reads the texts of the project.
 */
export const postgresSearch = ({ players }: Tables): Search => ({
  position: sql.raw('strpos'),
  rows: (words, filters) => {
    if (words.length === 0) return sql`${players} where ${and(...filters)}`;
    const isFound = words.map((_, n) => sql`texts.text like ${placeholder(`pattern${n}`)}`);
    const isOfProject = sql`texts.project_id = ${placeholder('projectId')}`;
    return sql`player_texts as texts join ${players} on ${players.id} = texts.id
      where ${and(isOfProject, ...isFound, ...filters)}`;
  },
  values: (words) =>
    Object.fromEntries(words.map(({ text }, n) => [`pattern${n}`, `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`])),
  // It would sort all of them unless it is told how few are wanted.
  half: (selection, order) =>
    sql`select * from (${selection} order by ${order} limit ${placeholder('limit')} + 0 + ${placeholder('offset')}) as half`,
  linked: {
    term: (value) => value,
    rows: (filters, value) => sql`${players} where ${and(...filters, sql`${players.identifiers}::jsonb ? ${value}`)}`,
    anyOf: (values) => ({ anyOf: values }),
    anyRows: (filters) => {
      const hasOne = sql`${players.identifiers}::jsonb ?| ${placeholder('anyOf')}::text[]`;
      return sql`${players} where ${and(...filters, hasOne)}`;
    },
  },
});
