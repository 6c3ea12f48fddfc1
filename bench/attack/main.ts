import { parseArgs } from 'node:util';
import { pause } from '../promises/hub.ts';
import { machine } from '../promises/report.ts';
import { backup } from './attacks/backup.ts';
import { deletions } from './attacks/deletions.ts';
import { eventStreams } from './attacks/event-streams.ts';
import { frameFlood, unsupportedFlood } from './attacks/floods.ts';
import { heavyPages, stalledReaders } from './attacks/heavy-results.ts';
import { exportsOfJournals, lists } from './attacks/lists.ts';
import { onePipeline, pipelines } from './attacks/pipelines.ts';
import { panelMinute, places } from './attacks/places.ts';
import { shopsAndCatalogues } from './attacks/shops.ts';
import { strangers } from './attacks/strangers.ts';
import { wrongTokens } from './attacks/wrong-tokens.ts';
import { AIM_MS, type Attack, HEAD, lineOf, rowOf } from './report.ts';
import { openStage } from './stage.ts';

const ATTACKS: readonly Attack[] = [
  pipelines,
  onePipeline,
  heavyPages,
  stalledReaders,
  frameFlood,
  unsupportedFlood,
  places,
  panelMinute,
  wrongTokens,
  backup,
  ...exportsOfJournals,
  ...lists,
  ...deletions,
  ...shopsAndCatalogues,
  eventStreams,
  strangers,
];
/** One that warms the hub, and five that count. */
const ROUNDS = 6;
const AFTER_MS = 300;

const { values } = parseArgs({ options: { only: { type: 'string', multiple: true } } });
const say = (text: string): void => void process.stdout.write(`${text}\n`);

const unknown = (values.only ?? []).filter((name) => !ATTACKS.some((attack) => attack.name === name));
if (unknown.length > 0) {
  say(`no such attack: ${unknown.join(', ')}; there are ${ATTACKS.map(({ name }) => name).join(', ')}`);
  process.exit(2);
}

/** Runs one attack against its own hub while a neighbour sends payments. */
const play = async ({ name, options, isRepeated = false, play }: Attack) => {
  const stage = await openStage(options);
  try {
    const rounds: Awaited<ReturnType<typeof stage.payments>>[] = [];
    let admitted = '';
    for (let round = 0; round < (isRepeated ? ROUNDS : 1); round += 1) {
      await stage.payments();
      admitted = await play(stage, round);
      // A payment that waits for the attack may begin a little later.
      if (isRepeated) await pause(AFTER_MS);
      rounds.push(await stage.payments());
    }
    return rowOf(name, stage, rounds.length > 1 ? rounds.slice(1) : rounds, admitted);
  } finally {
    await stage.close();
  }
};

say(machine());
for (const line of HEAD) say(line);
let over = 0;
for (const attack of ATTACKS) {
  if (values.only !== undefined && !values.only.includes(attack.name)) continue;
  try {
    const row = await play(attack);
    say(lineOf(row));
    if (row.lost > 0 || row.worstMs > row.quietMs + AIM_MS) over += 1;
  } catch (error) {
    over += 1;
    say(`| ${attack.name} | | | | | could not be run: ${error instanceof Error ? error.message : String(error)} |`);
  }
}
say(
  over === 0
    ? 'no attack delayed the neighbour beyond the aim'
    : `${over} over the aim of ${AIM_MS} ms more than on a quiet hub`,
);
process.exit(over === 0 ? 0 : 1);
