import type { Config, Hub, Live, Message, Row, Status, Task, World } from './world.ts';

const SETTLED: ReadonlySet<Status> = new Set(['succeeded', 'voided', 'expired']);

export const hubAt = (world: World, n: number): Hub => {
  const hub = world.hubs[n];
  if (hub === undefined) throw new Error('no such node');
  return hub;
};

export const rowOf = (world: World, c: number): Row => {
  const row = world.rows[c];
  if (row === undefined) throw new Error('no such command');
  return row;
};

export const isSettled = (world: World, c: number): boolean => SETTLED.has(rowOf(world, c).status);

export const write = (world: World, c: number, status: Status, epoch?: number): void => {
  const row = rowOf(world, c);
  row.status = status;
  if (epoch !== undefined) row.epoch = epoch;
  if (!row.had.includes(status)) row.had = [...row.had, status].sort();
};

export const begin = (hub: Hub, task: Partial<Task> & Pick<Task, 'what' | 'c'>): void => {
  hub.tasks.push({ after: 'begun', epoch: 0, from: -1, ...task });
};

/** `as`: only an insert with this status. */
export const isInserting = ({ tasks }: Hub, c: number, as?: 'accepted'): boolean =>
  tasks.some(
    (task) =>
      task.c === c && (task.what === 'keep' || (task.what === 'insert' && (as === undefined || task.epoch === 0))),
  );

export const hasSlot = ({ live }: Hub, c: number): boolean => (live[c]?.slot ?? 'unplaced') !== 'unplaced';

/** The object of the command, made if the node has none. */
export const open = (hub: Hub, c: number): Live => {
  const live = hub.live[c] ?? { slot: 'unplaced', isUnwritten: false, isSent: false, asker: -1 };
  hub.live[c] = live;
  return live;
};

const forgetIfIdle = (hub: Hub, c: number, { mutation }: Config): void => {
  if (mutation === 'an object without slot and callers is kept') return;
  if (!hasSlot(hub, c) && hub.callers[c] !== 'waiting') hub.live[c] = undefined;
};

/** The bridge takes one command of a player at a time, if its earlier ones are reconciled. */
export const hasRoom = ({ session, live }: Hub): boolean =>
  session?.phase === 'open' && live.every((each) => each?.slot !== 'inFlight');

export const leaveQueue = (hub: Hub, c: number): void => {
  hub.queue = hub.queue.filter((each) => each !== c);
};

export const fly = (hub: Hub, c: number): void => {
  leaveQueue(hub, c);
  Object.assign(open(hub, c), { slot: 'inFlight', isSent: false });
};

/** Room in the window at once, or in the queue. */
export const admit = (hub: Hub, c: number): 'inFlight' | 'queued' => {
  if (hub.queue.length === 0 && hasRoom(hub)) {
    fly(hub, c);
    return 'inFlight';
  }
  hub.queue.push(c);
  open(hub, c).slot = 'queued';
  return 'queued';
};

export const requeue = (hub: Hub, c: number): void => {
  leaveQueue(hub, c);
  hub.queue.unshift(c);
  open(hub, c).slot = 'queued';
};

export const release = (hub: Hub, c: number, config: Config): void => {
  const live = hub.live[c];
  if (live === undefined) return;
  leaveQueue(hub, c);
  live.slot = 'unplaced';
  forgetIfIdle(hub, c, config);
};

/** The callers go on waiting at this node. */
export const wait = (hub: Hub, c: number): void => {
  open(hub, c);
  hub.callers[c] = 'waiting';
};

/** The waiting callers of this node get a row. */
export const tell = (world: World, n: number, c: number, status: Status, config: Config): void => {
  const hub = hubAt(world, n);
  if (hub.callers[c] !== 'waiting') return;
  hub.callers[c] = status;
  if (!rowOf(world, c).had.includes(status)) world.broken = `a caller was told ${status}, and the row never had it`;
  forgetIfIdle(hub, c, config);
};

/** The waiting callers of this node get an error. */
export const fail = (hub: Hub, c: number, config: Config): void => {
  if (hub.callers[c] === 'waiting') hub.callers[c] = 'failed';
  forgetIfIdle(hub, c, config);
};

/** A caller of a command that exists: it gets the row, or waits for it. */
export const join = (world: World, n: number, c: number, config: Config): void => {
  if (config.commands[c] === 'later') return;
  wait(hubAt(world, n), c);
  if (isSettled(world, c)) tell(world, n, c, rowOf(world, c).status, config);
};

export const post = (world: World, message: Partial<Message> & Pick<Message, 'to' | 'what'>): void => {
  const isSame = ({ to, what, c }: Message): boolean => to === message.to && what === message.what && c === message.c;
  if (!world.messages.some(isSame)) world.messages.push({ c: 0, from: -1, status: 'none', ...message });
};

/** The row has settled: the callers here get it, and the other nodes hear of it. */
export const announce = (world: World, n: number, c: number, config: Config): void => {
  if (config.mutation !== 'settle does not wake the callers') tell(world, n, c, rowOf(world, c).status, config);
  for (const [to, hub] of world.hubs.entries()) {
    const isTold = world.messages.some((message) => message.to === to && message.what === 'settled' && message.c === c);
    if (to !== n && !isTold && hub.live[c] !== undefined) post(world, { to, what: 'event', c });
  }
};

/** Tells the node that holds the bridge now to look into the rows. False: no other node holds it. */
export const handOn = (world: World, n: number, { mutation }: Config): boolean => {
  const { isConnected, node } = world.sessionRow;
  if (!isConnected || node === n) return false;
  if (mutation !== 'hand-on sends no message, and no node reads the rows') post(world, { to: node, what: 'look' });
  return true;
};

/** The node notices that its session is over. */
export const closeSession = (world: World, n: number, config: Config): void => {
  const hub = hubAt(world, n);
  const { session } = hub;
  if (session === undefined) return;
  hub.session = undefined;
  if (world.sessionRow.epoch === session.epoch && world.sessionRow.node === n) world.sessionRow.isConnected = false;
  for (const [c, live] of hub.live.entries()) {
    const isForgotten = live?.slot === 'queued' && config.mutation === 'disconnect forgets what waits';
    const isFreed = live?.slot === 'inFlight' && config.mutation !== 'disconnect frees no slot';
    if (isForgotten || isFreed) release(hub, c, config);
  }
  if (config.nodes > 1) begin(hub, { what: 'leave behind', c: 0, after: hub.queue.length > 0 ? 'begun' : 'kept' });
};

/** The turn of a command has come; an insert that has begun is waited for. */
export const startTurn = (hub: Hub, c: number): void => {
  const isKnown = hub.session !== undefined && !isInserting(hub, c);
  begin(hub, { what: 'turn', c, ...(isKnown && { after: 'its session is known', epoch: hub.session?.epoch ?? 0 }) });
};

/** Gives a command whose row exists a slot, unless it has one. */
export const take = (hub: Hub, c: number, asker: number): void => {
  if (hasSlot(hub, c)) return;
  Object.assign(open(hub, c), { asker, isUnwritten: false });
  if (admit(hub, c) === 'inFlight') startTurn(hub, c);
};

const isWorking = (hub: Hub, what: Task['what'], c: number): boolean =>
  hub.tasks.some((task) => task.what === what && task.c === c);

/** Rows for a bridge of this node that no task works on yet. */
export const foundBy = (world: World, n: number): { taken: number[]; resumed: number[] } => {
  const hub = hubAt(world, n);
  const { node, isConnected, epoch: newest } = world.sessionRow;
  const isHere = isConnected && node === n && hub.session?.phase === 'open';
  const free = world.rows.flatMap((row, c) => (isHere && !hasSlot(hub, c) ? [{ ...row, c }] : []));
  return {
    taken: free.filter(({ status, c }) => status === 'accepted' && !isWorking(hub, 'take', c)).map(({ c }) => c),
    resumed: free
      .filter(({ status, epoch, c }) => status === 'dispatched' && epoch < newest && !isWorking(hub, 'resume', c))
      .map(({ c }) => c),
  };
};

/** Takes over rows that no message named. */
export const look = (world: World, n: number): void => {
  const hub = hubAt(world, n);
  const { taken, resumed } = foundBy(world, n);
  for (const c of taken) begin(hub, { what: 'take', c });
  for (const c of resumed) {
    begin(hub, { what: 'resume', c, from: rowOf(world, c).epoch, epoch: hub.session?.epoch ?? 0 });
  }
};
