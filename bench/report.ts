import type { Machine } from './machine.ts';
import type { Figures, Result } from './scenario.ts';

const say = (text: string): void => void process.stdout.write(`${text}\n`);

const MAX_COLUMNS = 8;

/** Lines of a table with columns as wide as their content; the first column is text. */
const table = (rows: readonly (readonly (string | number)[])[]): string[] => {
  const texts = rows.map((row) => row.map(String));
  const widths = (texts[0] ?? []).map((_, n) => Math.max(...texts.map((row) => row[n]?.length ?? 0)));
  return texts.map((row) =>
    row
      .map((text, n) => (n === 0 ? text.padEnd(widths[n] ?? 0) : text.padStart(widths[n] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
};

export const printMachine = ({ date, node, system, cpu, cores, memoryGb, fsyncUs, pinned }: Machine): void => {
  say(`${date}  Node ${node}, ${system}`);
  say(`${cores} cores (${cpu}), ${memoryGb} GB, fsync ${fsyncUs} µs`);
  say(pinned ? 'the server has core 0, callers and bridges core 1' : 'NOT PINNED: server and callers share the cores');
};

/** Whether the callers' process was the bottleneck: then the server is faster than measured. */
const isLoadBound = ({ serverCpu = 0, loadCpu = 0 }: Figures): boolean => loadCpu > 0.95 && serverCpu < 0.9;

/** The results: a line for each contestant, or for each figure if a line cannot hold all figures. */
export const printScenario = ({ name, ours, peers, ratios }: Result & { name: string }): void => {
  const columns = Object.keys(ours);
  const contestants: [string, Figures][] = [['causeway', ours], ...Object.entries(peers)];
  const isWide = columns.length > MAX_COLUMNS;
  const lines = isWide
    ? [
        ['', ...contestants.map(([who]) => who)],
        ...columns.map((column) => [column, ...contestants.map(([, figures]) => figures[column] ?? '')]),
      ]
    : [
        ['', ...columns],
        ...contestants.map(([who, figures]) => [who, ...columns.map((column) => figures[column] ?? '')]),
      ];
  say(`\n${name}`);
  for (const line of table(lines)) say(line);
  for (const [who] of contestants.filter(([, figures]) => isLoadBound(figures))) {
    say(`  ${who}: the callers were the bottleneck`);
  }
  const told = Object.entries(ratios).map(([what, ratio]) => `${what} ${ratio}`);
  if (told.length > 0) say(`  ${told.join(', ')}`);
};
