import { parseArgs } from 'node:util';
import { ABOUT } from './contestants.ts';
import { describeMachine } from './machine.ts';
import { printHelp, printMachine, printScenario } from './report.ts';
import type { Scenario } from './scenario.ts';
import { SCENARIOS } from './scenarios.ts';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    only: { type: 'string' },
    help: { type: 'boolean', default: false, short: 'h' },
  },
});

if (values.help) {
  printHelp(SCENARIOS, ABOUT);
  process.exit(0);
}

const isWanted = ({ name }: Scenario): boolean => values.only === undefined || name.startsWith(values.only);
const wanted = SCENARIOS.filter(isWanted).filter(({ isQuick }) => isQuick || !values.quick);
if (wanted.length === 0) {
  process.stderr.write(`bench: --only names none of ${SCENARIOS.map(({ name }) => name).join(', ')}\n`);
  process.exit(2);
}

const machine = describeMachine();
if (!values.json) printMachine(machine);
const results = [];
for (const { name, about, run } of wanted) {
  const result = {
    name,
    about,
    ...(await run({
      isQuick: values.quick,
      isPinned: machine.pinned,
      fsyncUs: machine.fsyncUs,
    })),
  };
  results.push(result);
  if (!values.json) printScenario(result);
}
if (values.json) process.stdout.write(`${JSON.stringify({ machine, scenarios: results }, undefined, 2)}\n`);
