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

/** Characters in a line of a file or pipe, and of a terminal that does not say how many it has. */
const LINE = 100;
/** Longer cells go on below. */
const CELL = 60;
const INDENT = '  ';

/** The lines of a cell, broken at its spaces; a longer word stays whole. */
const linesOf = (text: string): string[] => {
  const lines: string[] = [];
  for (const word of text.length > CELL ? text.split(' ') : [text]) {
    const longer = lines.length === 0 ? word : `${lines.at(-1)} ${word}`;
    if (lines.length === 0 || longer.length > CELL) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines;
};

/** The columns by the line of a row on which they stand: what does not fit goes on in the next one, indented. */
const flowed = (widths: readonly number[], most: number): number[][] => {
  const lines: number[][] = [];
  let used = Number.POSITIVE_INFINITY;
  for (const [column, width] of widths.entries()) {
    if (used + width > most) {
      used = lines.length === 0 ? 0 : INDENT.length;
      lines.push([]);
    }
    lines.at(-1)?.push(column);
    used += width + 2;
  }
  return lines;
};

/** Prints rows as aligned columns; a row takes several lines where one is too short. */
export const printTable = (head: readonly string[], rows: readonly (readonly string[])[]): void => {
  const all = [head, ...rows].map((row) => row.map((cell) => linesOf(printable(cell))));
  const widths = head.map((_, column) =>
    Math.max(...all.flatMap((row) => row[column]?.map((line) => line.length) ?? 0)),
  );
  const flow = flowed(widths, process.stdout.columns ?? LINE);
  for (const row of all) {
    for (const [n, columns] of flow.entries()) {
      const height = Math.max(...columns.map((column) => row[column]?.length ?? 0));
      for (let line = 0; line < height; line += 1) {
        const cells = columns.map((column) => (row[column]?.[line] ?? '').padEnd(widths[column] ?? 0));
        print(`${n === 0 ? '' : INDENT}${cells.join('  ')}`.trimEnd());
      }
    }
  }
};

/** A row as one JSON document, or with a line for each field. */
export const printRow = (row: object, json: boolean | undefined): void =>
  (json === true ? printJson : printFields)(row);

const TIME = /^(\d{4}-\d\d-\d\d)T([\d:]{8})\.\d{3}Z$/;

/** A list, as `{data: […]}`, or as a table without columns that are empty; `next` is the cursor of what follows. */
export const printList = <T extends object>(
  rows: readonly T[],
  {
    json,
    columns,
    next,
  }: { json: boolean | undefined; columns: Record<string, (row: T) => unknown>; next?: string | null },
): void => {
  if (json === true) return printJson({ data: rows, ...(typeof next === 'string' ? { next } : {}) });
  const read = Object.entries(columns).map(([name, of]) => [name, ...rows.map((row) => String(of(row) ?? '-'))]);
  const used = read.filter(([, ...cells]) => cells.length === 0 || cells.some((cell) => cell !== '-'));
  const lineOf = (n: number): string[] => used.map((column) => (column[n] ?? '').replace(TIME, '$1 $2Z'));
  printTable(
    lineOf(0),
    rows.map((_, n) => lineOf(n + 1)),
  );
  if (typeof next === 'string') print(`There is more: --cursor ${next}`);
};

/** The command that runs this program, for texts that say what to type. Programs around the hub pass their own. */
export const commandName = ({ CAUSEWAY_COMMAND }: NodeJS.ProcessEnv = process.env): string =>
  CAUSEWAY_COMMAND === undefined || CAUSEWAY_COMMAND === '' ? 'causeway' : CAUSEWAY_COMMAND;
