import type { Machine } from './machine.ts';
import type { Figures, Result } from './scenarios.ts';

const say = (text: string): void => void process.stdout.write(`${text}\n`);

const cells = (values: readonly (string | number)[]): string =>
  values.map((value, n) => (n === 0 ? String(value).padEnd(24) : String(value).padStart(11))).join('');

export const printMachine = ({ date, node, system, cpu, cores, memoryGb, fsyncUs, pinned }: Machine): void => {
  say(`${date}  Node ${node}, ${system}`);
  say(`${cores} cores (${cpu}), ${memoryGb} GB, fsync ${fsyncUs} µs`);
  say(pinned ? 'the server has core 0, callers and bridges core 1' : 'NOT PINNED: server and callers share the cores');
};

/** Whether the process of the callers was busy and the server was not: then the server could do more than it shows. */
const isLoadBound = ({ serverCpu = 0, loadCpu = 0 }: Figures): boolean => loadCpu > 0.95 && serverCpu < 0.9;

/** A table of what was measured, one line for each contestant. */
export const printScenario = ({ name, ours, peers, ratios }: Result & { name: string }): void => {
  const columns = Object.keys(ours);
  const line = (who: string, figures: Figures): void => {
    const note = isLoadBound(figures) ? '  the callers were the bottleneck' : '';
    say(cells([who, ...columns.map((column) => figures[column] ?? '')]) + note);
  };
  say(`\n${name}`);
  say(cells(['', ...columns]));
  line('causeway', ours);
  for (const [peer, figures] of Object.entries(peers)) line(peer, figures);
  say(
    `  ${Object.entries(ratios)
      .map(([what, ratio]) => `${what} ${ratio}`)
      .join(', ')}`,
  );
};
