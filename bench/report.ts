import type { Machine } from './machine.ts';
import type { Figures, Result, Scenario } from './scenario.ts';

const say = (text: string): void => void process.stdout.write(`${text}\n`);

const MAX_COLUMNS = 8;

/** Lines of a table with columns as wide as their content; the first column is on the left. */
const table = (rows: readonly (readonly (string | number)[])[], align: 'left' | 'right' = 'right'): string[] => {
  const texts = rows.map((row) => row.map(String));
  const widths = (texts[0] ?? []).map((_, n) => Math.max(...texts.map((row) => row[n]?.length ?? 0)));
  return texts.map((row) =>
    row
      .map((text, n) => (n === 0 || align === 'left' ? text.padEnd(widths[n] ?? 0) : text.padStart(widths[n] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
};

/** The figures of a round trip, for `--help`; the other scenarios name theirs alike. */
const FIGURES: Record<string, string> = {
  perSecond: 'answers in a second, the median of the rounds',
  spread: 'how far the rounds differ; over 0.1 the machine was busy',
  'p50Us, p99Us': 'time from a request to its answer in µs: the median, and 99 % are faster',
  cpuUs: "CPU time of the server's process for one command, µs",
  'serverCpu, loadCpu': 'how busy the cores of the server and of the callers were; the one near 1 is the bottleneck',
  loopP99Ms: "delay of the server's event loop: 99 % are shorter, ms",
  'rate / peer': "the hub's rate as a share of the peer's; above 1 the hub is faster",
  'p99 / peer': "the hub's p99 as a share of the peer's; below 1 the hub is faster",
};

/** Usage, all scenarios, and what each row and figure means. */
export const printHelp = (scenarios: readonly Scenario[], contestants: Record<string, string>): void => {
  say('Usage: npm run bench -- [--quick] [--only NAME] [--json]\n');
  say('Compares the hub with other programs, in one run on one machine. Without --quick it takes tens of minutes.\n');
  const options = [
    ['--quick', 'the scenarios marked with *, with short rounds: about a minute'],
    ['--only NAME', 'the scenarios whose names begin with NAME, such as "kick, callers 64"'],
    ['--json', 'one JSON document instead of tables'],
  ];
  for (const line of table(
    options.map(([option = '', about = '']) => [`  ${option}`, about]),
    'left',
  ))
    say(line);
  const parts: [string, (readonly [string, string])[]][] = [
    ['Scenarios', scenarios.map(({ name, about, isQuick }) => [`${isQuick ? '*' : ' '} ${name}`, about] as const)],
    ['Rows', Object.entries(contestants).map(([name, about]) => [`  ${name}`, about] as const)],
    ['Figures', Object.entries(FIGURES).map(([name, about]) => [`  ${name}`, about] as const)],
  ];
  for (const [title, rows] of parts) {
    say(`\n${title}`);
    for (const line of table(rows, 'left')) say(line);
  }
};

export const printMachine = ({ date, node, system, cpu, cores, memoryGb, fsyncUs, pinned }: Machine): void => {
  say(`${date}  Node ${node}, ${system}`);
  say(`${cores} cores (${cpu}), ${memoryGb} GB, fsync ${fsyncUs} µs`);
  say(pinned ? 'the server has core 0, callers and bridges core 1' : 'NOT PINNED: server and callers share the cores');
};

/** Whether the callers' process was the bottleneck: then the server is faster than measured. */
const isLoadBound = ({ serverCpu = 0, loadCpu = 0 }: Figures): boolean => loadCpu > 0.95 && serverCpu < 0.9;

/** The results: a line for each contestant, or for each figure if a line cannot hold all figures. */
export const printScenario = ({
  name,
  about,
  ours,
  peers,
  ratios,
}: Result & Pick<Scenario, 'name' | 'about'>): void => {
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
  say(`\n${name}: ${about}`);
  for (const line of table(lines)) say(line);
  for (const [who] of contestants.filter(([, figures]) => isLoadBound(figures))) {
    say(`  ${who}: the callers were the bottleneck`);
  }
  const told = Object.entries(ratios).map(([what, ratio]) => `${what} ${ratio}`);
  if (told.length > 0) say(`  ${told.join(', ')}`);
};
