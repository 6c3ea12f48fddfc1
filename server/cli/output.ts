/** Output of commands: columns for people, one JSON document for programs. */
export const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

export const printJson = (document: unknown): void => print(JSON.stringify(document));

/** A failure in one line; `exitCode` 1 failed, 2 wrong usage. */
export class CliError extends Error {
  override name = 'CliError';
  readonly exitCode: 1 | 2;
  constructor(message: string, exitCode: 1 | 2 = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** The row that the user has named. @throws CliError with the complaint: there is none */
export const found = <T>(row: T | undefined, complaint: string): T => {
  if (row === undefined) throw new CliError(complaint);
  return row;
};

/** Names come from players, answers from receivers: control characters and direction overrides must not reach a terminal. */
export const printable = (text: string): string => text.replaceAll(/\p{Cc}|[\u202a-\u202e\u2066-\u2069]/gu, '?');

const printFields = (fields: object): void => {
  const width = Math.max(...Object.keys(fields).map((key) => key.length));
  for (const [key, value] of Object.entries(fields)) {
    const text = typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '-');
    print(`${key.padEnd(width)}  ${printable(text)}`);
  }
};

/** Prints rows as aligned columns. */
export const printTable = (head: readonly string[], rows: readonly (readonly string[])[]): void => {
  const all = [head, ...rows].map((row) => row.map(printable));
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  for (const row of all)
    print(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    );
};

/** A row as one JSON document, or with a line for each field. */
export const printRow = (row: object, json: boolean | undefined): void =>
  (json === true ? printJson : printFields)(row);

/** A list, as `{data: […]}` or as a table; `next` is the cursor of what follows. */
export const printList = <T extends object>(
  rows: readonly T[],
  {
    json,
    columns,
    next,
  }: { json: boolean | undefined; columns: Record<string, (row: T) => unknown>; next?: string | null },
): void => {
  if (json === true) return printJson({ data: rows, ...(typeof next === 'string' ? { next } : {}) });
  const names = Object.keys(columns);
  const cells = rows.map((row) => Object.values(columns).map((read) => String(read(row) ?? '-')));
  printTable(names, cells);
  if (typeof next === 'string') print(`There is more: --cursor ${next}`);
};

/** The command that runs this program, for texts that say what to type. Programs around the hub pass their own. */
export const commandName = ({ CAUSEWAY_COMMAND }: NodeJS.ProcessEnv = process.env): string =>
  CAUSEWAY_COMMAND === undefined || CAUSEWAY_COMMAND === '' ? 'causeway' : CAUSEWAY_COMMAND;
