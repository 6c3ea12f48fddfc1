import { parseArgs } from 'node:util';
import { batchesAndSchedules } from './batches.ts';
import { deadPeerBusy, deadPeerIdle } from './dead-peer.ts';
import { fuzzedResults } from './fuzzed-results.ts';
import { hangingPlayer } from './hanging-player.ts';
import { isUnknown } from './in-doubt.ts';
import { offline } from './offline.ts';
import { otherNode } from './other-node.ts';
import { type Measure, machine, textOf } from './report.ts';
import { revokedToken } from './revoked-token.ts';
import { rollingRestart } from './rolling-restart.ts';
import { takeover } from './takeover.ts';
import { threeNodes } from './three-nodes.ts';
import { waitingRows } from './waiting-rows.ts';

const PROMISES = new Map<string, Measure>([
  ['dead-peer-idle', deadPeerIdle],
  ['dead-peer-busy', deadPeerBusy],
  ['offline-503', offline],
  ['takeover', takeover],
  ['hanging-player', hangingPlayer],
  ['fuzzed-results', fuzzedResults],
  ['revoked-token', revokedToken],
  ['in-doubt', isUnknown],
  ['batches', batchesAndSchedules],
  ['waiting-rows', waitingRows],
  ['rolling-restart', rollingRestart],
  ['other-node', otherNode],
  ['three-nodes', threeNodes],
]);

const { values } = parseArgs({
  options: { only: { type: 'string', multiple: true }, full: { type: 'boolean', default: false } },
});
const say = (text: string): void => void process.stdout.write(`${text}\n`);

const names = values.only ?? [...PROMISES.keys()];
const unknown = names.filter((name) => !PROMISES.has(name));
if (unknown.length > 0) {
  say(`no such promise: ${unknown.join(', ')}; there are ${[...PROMISES.keys()].join(', ')}`);
  process.exit(2);
}

say(machine());
let broken = 0;
// One after the other, so that each measurement has the whole machine.
for (const name of names) {
  try {
    for (const line of (await PROMISES.get(name)?.({ isFull: values.full })) ?? []) {
      say(textOf(name, line));
      if (line.isKept === false) broken += 1;
    }
  } catch (error) {
    broken += 1;
    say(`BROKEN ${name}: it could not be measured: ${error instanceof Error ? error.message : String(error)}`);
  }
}
say(broken === 0 ? 'every promise is kept' : `${broken} broken`);
process.exit(broken === 0 ? 0 : 1);
