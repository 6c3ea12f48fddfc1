export type Values = readonly unknown[] | Readonly<Record<string, unknown>> | null | undefined;
export type Row = Record<string, unknown>;
export type Result = Row[] | { affectedRows: number; insertId: number };
export type Run = (sql: string, parameters?: Values) => Promise<Result>;

/** The database of the frameworks' tables. Closing it deletes it, unless it is a file. */
export type Engine = {
  run: Run;
  /** Creates tables: by its own definitions, or for MariaDB by the definitions of the framework. */
  create(tables: { simple: string; real: string }): Promise<void>;
  close(): Promise<void>;
};
