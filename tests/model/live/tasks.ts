import {
  announce,
  fly,
  handOn,
  hubAt,
  isInserting,
  join,
  open,
  post,
  release,
  rowOf,
  take,
  wait,
  write,
} from './node.ts';
import { type Act, sendFrame, sendMarked, turn, unsent } from './turn.ts';
import type { Config, Step, Task, World } from './world.ts';

const insert: Act = (work) => {
  const { world, n, task, config } = work;
  const { c, epoch } = task;
  const hub = hubAt(world, n);
  if (task.after === 'begun') {
    const isNew = rowOf(world, c).status === 'none';
    if (isNew) write(world, c, epoch > 0 ? 'dispatched' : 'accepted', epoch);
    task.after = isNew ? 'stored' : 'existing';
    return true;
  }
  if (task.after === 'existing') {
    if (config.mutation !== 'an idempotency conflict keeps the slot') release(hub, c, config);
    join(world, n, c, config);
    return false;
  }
  if (config.commands[c] !== 'later') wait(hub, c);
  return epoch > 0 && sendMarked(work);
};

/** The row for a bridge of another node, and the message to that node. */
const handOver: Act = ({ world, n, task, config }) => {
  const { c } = task;
  const hub = hubAt(world, n);
  if (task.after === 'begun') {
    const isNew = rowOf(world, c).status === 'none';
    if (isNew) write(world, c, 'accepted');
    task.after = isNew ? 'stored' : 'existing';
    return true;
  }
  if (task.after === 'existing') {
    join(world, n, c, config);
    return false;
  }
  if (config.commands[c] !== 'later') wait(hub, c);
  const { isConnected, node } = world.sessionRow;
  if (isConnected && node !== n) post(world, { to: node, what: 'run', c, from: n });
  else if (hub.session !== undefined) take(hub, c, n);
  return false;
};

const keep: Act = ({ world, task: { c } }) => {
  if (rowOf(world, c).status === 'none') write(world, c, 'accepted');
  return false;
};

const settle: Act = ({ world, n, task: { c, from, epoch }, config }) => {
  const { bridge } = world;
  const result = bridge.results[c];
  if (bridge.epoch === epoch) bridge.isConfirmed[c] = true;
  if (rowOf(world, c).status !== 'dispatched' || result === undefined) return false;
  write(world, c, result);
  if (from >= 0) post(world, { to: from, what: 'settled', c, status: result });
  announce(world, n, c, config);
  return false;
};

/** Inserts a waiting command, then notifies the node that holds the bridge. */
const leaveBehind: Act = ({ world, n, task, config }) => {
  const hub = hubAt(world, n);
  if (task.after === 'kept') {
    handOn(world, n, config);
    return false;
  }
  task.after = 'kept';
  if (config.mutation === 'hand-on does not insert the row first') return true;
  for (const c of hub.queue) {
    const live = open(hub, c);
    if (live.isUnwritten) write(world, c, 'accepted');
    live.isUnwritten = false;
  }
  return true;
};

/** A command that an earlier session carried goes out again. */
const resume: Act = ({ world, n, task }) => {
  const { c, epoch, from } = task;
  const hub = hubAt(world, n);
  if (task.after === 'taken') {
    if (hub.session?.epoch !== epoch) return false;
    fly(hub, c);
    hub.live[c] = { slot: 'inFlight', isUnwritten: false, isSent: false, asker: -1 };
    sendFrame(world, n, c, world.isLate ? 'void' : 'command');
    return false;
  }
  const row = rowOf(world, c);
  if (row.status !== 'dispatched' || row.epoch !== from || world.sessionRow.epoch > epoch) return false;
  row.epoch = epoch;
  task.after = 'taken';
  return true;
};

const ACTS: Record<Task['what'], Act> = {
  insert,
  'hand over': handOver,
  keep,
  turn,
  unsent,
  settle,
  'leave behind': leaveBehind,
  take: ({ world, n, task: { c, from } }) => {
    const hub = hubAt(world, n);
    if (hub.session?.phase === 'open') take(hub, c, from);
    return false;
  },
  resume,
};

const isBlocked = (world: World, n: number, { what, c, after }: Task): boolean => {
  const hub = hubAt(world, n);
  if (what === 'turn') return after === 'begun' && isInserting(hub, c);
  return what === 'leave behind' && after === 'begun' && hub.queue.some((each) => isInserting(hub, each));
};

/** The next steps of a node's tasks, in any order. */
export const taskSteps = (world: World, n: number, config: Config): Step[] =>
  hubAt(world, n).tasks.flatMap((task, i) => {
    if (isBlocked(world, n, task)) return [];
    const proceed = (next: World): void => {
      const { tasks } = hubAt(next, n);
      const [own] = tasks.splice(i, 1);
      if (own !== undefined && ACTS[own.what]({ world: next, n, task: own, config })) tasks.push(own);
    };
    return [{ name: `node ${n}: ${task.what} ${task.c}, ${task.after}`, take: proceed }];
  });
