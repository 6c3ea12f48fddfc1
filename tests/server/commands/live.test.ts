import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import type { CommandRow } from '../../../db/queries/commands/read.ts';
import { type LiveCommand, LiveCommands } from '../../../server/commands/live.ts';
import { Queues } from '../../../server/commands/queue.ts';

type Slot = LiveCommand['state']['is'];
type Stage = ReturnType<typeof openStage>;
/** An event from one slot. `window`: of the session of the bridge, 0 without one. */
type Case = { from: Slot; window?: number; take: (stage: Stage) => unknown };

const rowOf = (id: string): CommandRow =>
  ({ id, projectId: 'p', serverId: 'main', name: 'money', target: id, expiresAt: 1, round: null }) as CommandRow;
const ROW = rowOf('cmd_1');
const EARLIER = rowOf('cmd_0');

/** A command in its slot before an event, and what its caller has been told. */
const openStage = ({ from, window = 1 }: Case) => {
  const store = { commands: { insert: () => Promise.reject(new Error('the disk is full')) } };
  const live = new LiveCommands({ store: store as unknown as ConstructorParameters<typeof LiveCommands>[0]['store'] });
  const started: LiveCommand[] = [];
  const session = { window: from === 'queued' ? 0 : window };
  const queues = new Queues({ live, start: (command) => started.push(command), windowOf: () => session.window });
  const queue = queues.queueOf(ROW);
  const command = live.open(ROW, { draft: ROW });
  if (from === 'queued') queue.append(command);
  if (from === 'inFlight') queue.admit(command, { direct: true });
  const told: string[] = [];
  const wait = (row = ROW): void => {
    const isTold = (outcome: CommandRow | undefined) => told.push(outcome === ROW ? 'get the row' : 'read their row');
    live.wait(row, 60_000).then(isTold, () => told.push('get the error'));
  };
  const end = (): void => {
    live.release(ROW.id);
    live.wake(ROW);
  };
  return { live, queues, queue, command, started, session, told, wait, end };
};

const twice = (take: Case['take']): Case[] => [
  { from: 'queued', take },
  { from: 'inFlight', take },
];

/** How the code takes each event of the state table. */
const EVENTS: Record<string, Case[]> = {
  'request, room in the window': [
    { from: 'unplaced', take: ({ queue, command }) => queue.admit(command, { direct: true }) },
  ],
  'request, no room or no waiting caller': [
    { from: 'unplaced', window: 0, take: ({ queue, command }) => queue.admit(command, { direct: true }) },
    { from: 'unplaced', take: ({ queue, command }) => queue.admit(command, { direct: false }) },
  ],
  'start of the hub (`restore`)': [
    { from: 'unplaced', window: 0, take: ({ queue, command }) => queue.append(command) },
  ],
  'welcome of the bridge (`resume`)': [{ from: 'unplaced', take: ({ queue, command }) => queue.resume(command) }],
  'another node asks (`take`)': [
    { from: 'unplaced', window: 0, take: ({ queues }) => queues.take(ROW, 'node-2') },
    { from: 'unplaced', take: ({ queues }) => queues.take(ROW, 'node-2') },
  ],
  'found without a slot (`take`)': [
    { from: 'unplaced', window: 0, take: ({ queues }) => queues.take(ROW) },
    { from: 'unplaced', take: ({ queues }) => queues.take(ROW) },
  ],
  'start of sending': [
    {
      from: 'queued',
      take: ({ queues, session, started, command }) => {
        session.window = 1;
        queues.open(ROW);
        expect(started).toEqual([command]);
      },
    },
  ],
  'start of sending, and the session has gone or is not the latest': [
    {
      from: 'inFlight',
      take: ({ live, queues, queue, command }) => {
        queue.append(live.open(EARLIER));
        queues.requeue(command);
        expect(queue.queued().map(({ id }) => id)).toEqual([ROW.id, EARLIER.id]);
      },
    },
  ],
  outcome: [{ from: 'inFlight', take: ({ end }) => end() }],
  'expired, voided, withdrawn': twice(({ end }) => end()),
  'insert failed': twice(({ live, command }) => live.store(command, ROW).catch(() => undefined)),
  'idempotency conflict': twice(({ live, wait }) => {
    live.release(ROW.id);
    wait(EARLIER);
  }),
  'disconnect, sent': [
    {
      from: 'inFlight',
      take: ({ queues, command }) => {
        command.sent(ROW);
        queues.close(ROW);
      },
    },
  ],
  'disconnect, about to be sent': [{ from: 'inFlight', take: ({ queues }) => queues.close(ROW) }],
  'disconnect, not sent': [{ from: 'queued', take: ({ queues }) => queues.close(ROW) }],
};
/** Cells of the column of callers that say that nobody waits here. */
const WITHOUT_CALLERS = ['none', 'wait at that node'];

const source = await readFile(new URL('../../../server/commands/live.ts', import.meta.url), 'utf8');
const table = [...source.matchAll(/^ \* \| (?!event|-)(.+) \|$/gm)].map(([, row = '']) => row.split(' | '));
const slotsIn = (cell = ''): string[] => [...new Set(cell.match(/unplaced|queued|inFlight/g))].sort();

it('the state table names each event once', () => {
  expect(table.map(([event]) => event)).toEqual(Object.keys(EVENTS));
});

it.each(table)('the state table is right about: %s (%s)', async (event = '', slot = '', callers = '') => {
  const [before, after] = slot.split(' → ');
  const cases = EVENTS[event] ?? [];
  expect([...new Set(cases.map(({ from }) => from))].sort()).toEqual(slotsIn(before));
  const reached: Slot[] = [];
  for (const each of cases) {
    const stage = openStage(each);
    if (!WITHOUT_CALLERS.includes(callers) && event !== 'idempotency conflict') stage.wait();
    await each.take(stage);
    await new Promise((resolve) => setImmediate(resolve));
    reached.push(stage.command.state.is);
    expect(stage.told).toEqual(callers.startsWith('get') ? [callers] : []);
    // Without a slot and callers it is forgotten.
    const isKept = stage.command.state.is !== 'unplaced' || callers === 'go on waiting';
    expect(stage.live.find(ROW.id)).toBe(isKept ? stage.command : undefined);
  }
  expect([...new Set(reached)].sort()).toEqual(slotsIn(after));
});
