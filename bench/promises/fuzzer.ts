import { WebSocket } from 'ws';
import { SUBPROTOCOL } from '../../bridge-protocol/index.ts';
import { createRandom } from '../../simulator/random.ts';
import { helloFrame } from '../../tests/kit/frames.ts';
import { createFuzzedResults, type ResultFrame } from '../../tests/kit/fuzzed-results.ts';
import { type FuzzerEvent, type FuzzerOrder, STUCK } from './fuzzers.ts';

/** Maximum number of results that the hub has not acknowledged yet. */
const UNACKNOWLEDGED = 2_000;
const UNSENT_BYTES = 1_048_576;
const SETTLED_KEPT = 500;
const OPENING_BALANCE = 1_000;

const [url = '', token = '', seed = ''] = process.argv.slice(2);
const random = createRandom(Number(seed));
const settled: string[] = [];
const ids: Record<string, readonly string[]> = { settled };
const fuzz = createFuzzedResults({ random, ids });
const truths = new Map<string, ResultFrame>();
const stuck: string[] = [];
const count = { left: 0, fuzzed: 0, sent: 0, acknowledged: 0 };
let isStuck = true;

const tell = (event: FuzzerEvent): void => void process.send?.(event);
const socket = new WebSocket(url, SUBPROTOCOL, {
  headers: { Authorization: `Bearer ${token}` },
  perMessageDeflate: false,
});
const send = (frame: object): void => socket.send(JSON.stringify(frame));
const result = (frame: ResultFrame): void => {
  count.sent += 1;
  send(frame);
};

const pump = (): void => {
  while (count.left > 0 && count.sent - count.acknowledged < UNACKNOWLEDGED && socket.bufferedAmount < UNSENT_BYTES) {
    result(fuzz.next());
    count.left -= 1;
    count.fuzzed += 1;
    if (count.left === 0) tell({ event: 'fuzzed', ...count });
  }
  if (count.sent === count.acknowledged && count.left === 0) tell({ event: 'acknowledged', ...count });
};

const answer = (id: string): void => {
  const isDone = random.chance(0.9);
  const before = OPENING_BALANCE + truths.size;
  const truth: ResultFrame = isDone
    ? { type: 'result', id, status: 'done', data: { account: 'bank', before, after: before + 1 } }
    : { type: 'result', id, status: 'rejected', error: { code: 'insufficient_funds', message: 'Too little.' } };
  truths.set(id, truth);
  result(truth);
  settled[truths.size % SETTLED_KEPT] = id;
  // Sends the opposite result at once: only the first result counts.
  if (random.chance(0.5)) result({ ...truth, status: isDone ? 'rejected' : 'done' });
};

const receive = (frame: { type: string; id: string; ids: string[]; params: { target: string }; n: number }): void => {
  if (frame.type === 'welcome') tell({ event: 'welcome' });
  else if (frame.type === 'ping') send({ type: 'pong', n: frame.n, now: Date.now() });
  else if (frame.type === 'ack') {
    count.acknowledged += frame.ids.length;
    pump();
  } else if (frame.type === 'command' && frame.params.target === STUCK && isStuck) {
    stuck.push(frame.id);
    send({ type: 'received', ids: [frame.id] });
    tell({ event: 'stuck', id: frame.id });
  } else if (frame.type === 'command') answer(frame.id);
};

socket.on('message', (data) => receive(JSON.parse(data.toString())));
socket.on('error', () => undefined);
socket.on('close', (code) => tell({ event: 'closed', code }));
const journal = { class: 'durable', id: 'fuzzer', sequence: 0 };
socket.on('open', () => send(helloFrame({ instance: 'fuzzer', journal })));

process.on('message', (order: FuzzerOrder) => {
  if (order.order === 'ids') Object.assign(ids, order.ids);
  else if (order.order === 'fuzz') {
    count.left = order.frames;
    pump();
  } else if (order.order === 'unstick') {
    isStuck = false;
    for (const id of stuck.splice(0)) answer(id);
  } else tell({ event: 'truths', truths: [...truths.values()] });
});
process.on('disconnect', () => process.exit());
