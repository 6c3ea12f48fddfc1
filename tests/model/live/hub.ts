import {
  admit,
  announce,
  begin,
  closeSession,
  fly,
  foundBy,
  hasRoom,
  hasSlot,
  hubAt,
  isInserting,
  isSettled,
  look,
  open,
  release,
  rowOf,
  startTurn,
  take,
  tell,
  write,
} from './node.ts';
import { taskSteps } from './tasks.ts';
import { expire } from './turn.ts';
import type { Config, Message, Step, World } from './world.ts';

/** The session as the node sees it: it notices the end of its socket, and reconciles before anything new is sent. */
const sessionSteps = (world: World, n: number, config: Config): Step[] => {
  const { session, tasks } = hubAt(world, n);
  if (session === undefined) return [];
  const { epoch, phase } = session;
  const steps: Step[] = [];
  if (!isCurrent(world, n)) {
    steps.push({ name: `node ${n}: its session has ended`, take: (next) => closeSession(next, n, config) });
  }
  if (phase === 'greeted') {
    const read = (next: World): void => {
      const hub = hubAt(next, n);
      if (hub.session !== undefined) hub.session.phase = 'reconciling';
      for (const [c, row] of next.rows.entries()) {
        if (row.status === 'dispatched') begin(hub, { what: 'resume', c, epoch, from: row.epoch });
      }
    };
    steps.push({ name: `node ${n}: reads the open commands`, take: read });
  }
  if (phase === 'reconciling' && !tasks.some((task) => task.what === 'resume' && task.epoch === epoch)) {
    const ready = (next: World): void => {
      const hub = hubAt(next, n);
      if (hub.session !== undefined) hub.session.phase = 'open';
      if (config.nodes > 1) look(next, n);
    };
    steps.push({ name: `node ${n}: its bridge may get new commands`, take: ready });
  }
  return steps;
};

const isCurrent = ({ bridge, hubs }: World, n: number): boolean =>
  bridge.node === n && hubs[n]?.session?.epoch === bridge.epoch;

/** The bridge has carried a command out, or knows that it must not. */
const resultSteps = (world: World, n: number, config: Config): Step[] => {
  if (!isCurrent(world, n)) return [];
  return world.bridge.results.flatMap((result, c) => {
    if (result === 'none' || world.bridge.hasNews[c] !== true) return [];
    const read = (next: World): void => {
      const hub = hubAt(next, n);
      const asker = hasSlot(hub, c) ? (hub.live[c]?.asker ?? -1) : -1;
      next.bridge.hasNews[c] = false;
      release(hub, c, config);
      begin(hub, { what: 'settle', c, from: asker, epoch: next.bridge.epoch });
      if (config.mutation === 'the caller is told before the outcome is stored') tell(next, n, c, result, config);
    };
    return [{ name: `node ${n}: reads that ${c} is ${result}`, take: read }];
  });
};

/** The periodic work of a node: slots in the queue, deadlines, inserts of commands that wait longer. */
const sweepSteps = (world: World, n: number, config: Config): Step[] => {
  const hub = hubAt(world, n);
  const [head] = hub.queue;
  const steps: Step[] = [];
  if (head !== undefined && hasRoom(hub)) {
    const start = (next: World): void => {
      fly(hubAt(next, n), head);
      startTurn(hubAt(next, n), head);
    };
    steps.push({ name: `node ${n}: the turn of ${head} comes`, take: start });
  }
  for (const c of world.rows.keys()) {
    const isWaiting = hub.live[c]?.slot === 'queued';
    const isDue = world.isLate && !isInserting(hub, c);
    if (isDue && (isWaiting || rowOf(world, c).status === 'accepted')) {
      steps.push({ name: `node ${n}: ${c} expires`, take: (next) => expire(next, n, c, config) });
    }
    const isHidden = config.mutation === 'hand-on does not insert the row first' && hub.session === undefined;
    if (isWaiting && hub.live[c]?.isUnwritten === true && !world.isLate && !isHidden) {
      const insert = (next: World): void => {
        open(hubAt(next, n), c).isUnwritten = false;
        begin(hubAt(next, n), { what: 'keep', c });
      };
      steps.push({ name: `node ${n}: inserts ${c}, which waits`, take: insert });
    }
  }
  return steps;
};

const hear = (world: World, { to, what, c, from, status }: Message, config: Config): void => {
  const hub = hubAt(world, to);
  switch (what) {
    case 'run':
      if (hub.session !== undefined) take(hub, c, from);
      return;
    case 'look':
      return look(world, to);
    case 'settled':
      return tell(world, to, c, status, config);
    case 'event':
      if (hub.live[c]?.slot === 'queued') release(hub, c, config);
      tell(world, to, c, rowOf(world, c).status, config);
  }
};

/** A node looks after the rows that its callers and its queue wait for: messages get lost. */
const watchSteps = (world: World, n: number, config: Config): Step[] => {
  const { callers, live } = hubAt(world, n);
  return [...world.rows.keys()].flatMap((c) => {
    const isQueued = live[c]?.slot === 'queued' && config.mutation !== 'the periodic look leaves what waits';
    if (!isSettled(world, c) || (callers[c] !== 'waiting' && !isQueued)) return [];
    // The message does the same.
    if (world.messages.some(({ to, what, c: of }) => to === n && what === 'event' && of === c)) return [];
    const wake = (next: World): void => {
      if (isQueued) release(hubAt(next, n), c, config);
      tell(next, n, c, rowOf(next, c).status, config);
    };
    return [{ name: `node ${n}: sees that ${c} has settled`, take: wake }];
  });
};

/** The only node looks once a minute for rows without a slot. Only a failed insert may lose one. */
const lookSteps = (world: World, { faults, mutation }: Config): Step[] => {
  const { taken } = foundBy(world, 0);
  const isMutated = mutation === 'no look finds what has lost its slot';
  if (taken.length === 0 || isMutated || faults['insert fails'] === undefined) return [];
  const lookHere = (next: World): void => {
    for (const c of taken) begin(hubAt(next, 0), { what: 'take', c });
  };
  return [{ name: 'node 0: looks into the rows', take: lookHere }];
};

/** Messages between nodes, and the reads of rows that replace lost messages. */
const clusterSteps = (world: World, config: Config): Step[] => {
  if (config.nodes === 1) return lookSteps(world, config);
  const steps = world.messages.map((message, i): Step => {
    const deliver = (next: World): void => {
      next.messages.splice(i, 1);
      hear(next, message, config);
    };
    return { name: `node ${message.to}: hears "${message.what} ${message.c}"`, take: deliver };
  });
  const isMutated = config.mutation === 'hand-on sends no message, and no node reads the rows';
  for (const n of world.hubs.keys()) {
    const { taken, resumed } = foundBy(world, n);
    // The message does the same.
    const isTold = world.messages.some(({ to, what }) => to === n && what === 'look');
    if (taken.length + resumed.length > 0 && !isTold && !isMutated) {
      steps.push({ name: `node ${n}: looks into the rows`, take: (next) => look(next, n) });
    }
    steps.push(...watchSteps(world, n, config));
  }
  return steps;
};

const start = (world: World, n: number, { nodes }: Config): void => {
  const hub = hubAt(world, n);
  hub.isUp = true;
  if (nodes > 1) return;
  for (const [c, { status }] of world.rows.entries()) if (status === 'accepted') admit(hub, c);
};

/** Everything that the nodes of the hub do next. */
export const hubSteps = (world: World, config: Config): Step[] => [
  ...world.hubs.flatMap(({ isUp }, n) =>
    isUp
      ? [
          ...taskSteps(world, n, config),
          ...sessionSteps(world, n, config),
          ...resultSteps(world, n, config),
          ...sweepSteps(world, n, config),
        ]
      : [{ name: `node ${n} starts`, take: (next: World) => start(next, n, config) }],
  ),
  ...clusterSteps(world, config),
];

/** A person takes a command back: only one that was not sent. */
export const takeBack = (world: World, n: number, c: number, config: Config): void => {
  write(world, c, 'voided');
  release(hubAt(world, n), c, config);
  announce(world, n, c, config);
};

/** A new session at node `n`: the newest one wins. */
export const welcome = (world: World, n: number, config: Config): void => {
  closeSession(world, n, config);
  const isShared = config.mutation === 'two sessions get the same epoch' && world.sessionRow.epoch > 0;
  const epoch = world.sessionRow.epoch + (isShared ? 0 : 1);
  world.sessionRow = { epoch, node: n, isConnected: true };
  hubAt(world, n).session = { epoch, phase: 'greeted' };
  const { bridge } = world;
  Object.assign(bridge, { epoch, node: n });
  bridge.hasNews = bridge.results.map((result, c) => result !== 'none' && bridge.isConfirmed[c] !== true);
};
