import { announce, handOn, hasSlot, hubAt, isSettled, release, requeue, rowOf, tell, write } from './node.ts';
import type { Config, Task, World } from './world.ts';

export type Work = { world: World; n: number; task: Task; config: Config };
/** The next step of a task. True: the task continues. */
export type Act = (work: Work) => boolean;

/** A frame for the node's session. The bridge reads it if it is still in that session. */
export const sendFrame = (world: World, n: number, c: number, frame: 'command' | 'void' = 'command'): void => {
  const { bridge } = world;
  const { session, live } = hubAt(world, n);
  const command = live[c];
  if (command !== undefined) command.isSent = true;
  if (bridge.node !== n || bridge.epoch !== session?.epoch) return;
  const isKnown = bridge.results[c] !== 'none';
  if (rowOf(world, c).status !== 'dispatched' && !isKnown) world.broken = 'sent, and its row is not dispatched';
  const isNew = (of: number): boolean => bridge.results[of] === 'none';
  const isBusy = bridge.frames.some((other, of) => of !== c && other === 'command' && isNew(of));
  if (frame === 'command' && isNew(c) && isBusy) world.broken = 'two commands of one player are on the way';
  bridge.frames[c] = frame;
};

/** The row says dispatched. If the session is over, no byte was sent. */
export const sendMarked: Act = ({ world, n, task, config }) => {
  const hub = hubAt(world, n);
  if (hub.session?.epoch === task.epoch) {
    sendFrame(world, n, task.c, world.isLate ? 'void' : 'command');
    return false;
  }
  // A later session may have sent it: then the slot is that session's.
  const isSent =
    hub.live[task.c]?.isSent === true && config.mutation !== 'a late answer frees the slot of a later session';
  if (!isSent) release(hub, task.c, config);
  Object.assign(task, { what: 'unsent', after: 'begun' });
  return true;
};

/** accepted → dispatched, unless a later session has come; or the mark of an earlier attempt. */
const mark = (world: World, n: number, { c, epoch }: Task): boolean => {
  const live = hubAt(world, n).live[c];
  const row = rowOf(world, c);
  const isNewest = world.sessionRow.epoch <= epoch;
  if (live?.isUnwritten === true) {
    live.isUnwritten = false;
    write(world, c, world.isLate ? 'accepted' : 'dispatched', epoch);
    return !world.isLate;
  }
  if (row.status === 'accepted' && isNewest && !world.isLate) write(world, c, 'dispatched', epoch);
  else if (row.status !== 'dispatched' || (row.epoch !== epoch && !isNewest)) return false;
  row.epoch = epoch;
  return true;
};

/** accepted → expired, after the deadline. Its slot is free in any case. */
export const expire = (world: World, n: number, c: number, config: Config): void => {
  const hub = hubAt(world, n);
  const live = hub.live[c];
  if (live?.isUnwritten === true) {
    live.isUnwritten = false;
    write(world, c, 'accepted');
  }
  const isExpired = world.isLate && rowOf(world, c).status === 'accepted';
  if (isExpired) write(world, c, 'expired');
  release(hub, c, config);
  if (isExpired) announce(world, n, c, config);
};

/** The turn of a queued command has come. */
export const turn: Act = (work) => {
  const { world, n, task, config } = work;
  const { c } = task;
  const hub = hubAt(world, n);
  switch (task.after) {
    case 'begun':
      if (hub.session === undefined || hub.live[c]?.slot !== 'inFlight') {
        requeue(hub, c);
        return false;
      }
      task.epoch = hub.session.epoch;
      task.after = 'its session is known';
      return true;
    case 'its session is known':
      if (config.mutation === 'send before the dispatched mark') sendFrame(world, n, c);
      task.after = mark(world, n, task) ? 'marked' : 'not marked';
      return true;
    case 'marked':
      return sendMarked(work);
    case 'not marked':
      expire(world, n, c, config);
      task.after = 'its slot is free';
      return true;
    default:
      if (!handOn(world, n, config) && config.mutation !== 'a turn that is fenced off loses its command') {
        if (rowOf(world, c).status === 'accepted' && !hasSlot(hub, c)) requeue(hub, c);
      }
      return false;
  }
};

export const unsent: Act = ({ world, n, task: { c, epoch }, config }) => {
  if (handOn(world, n, config)) return false;
  const { status, epoch: newest } = rowOf(world, c);
  if (status === 'dispatched' && newest === epoch) {
    write(world, c, 'voided');
    announce(world, n, c, config);
  } else if (isSettled(world, c) && config.mutation !== 'a caller who comes after the outcome is not woken') {
    tell(world, n, c, status, config);
  }
  return false;
};
