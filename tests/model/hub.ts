import type { Step } from './bridge.ts';
import { ASKED, type Config, type Socket, type Status, type ToHub, type World } from './world.ts';

const at = (world: World, n: number): Socket => {
  const socket = world.sockets[n];
  if (socket === undefined) throw new Error('no such socket');
  return socket;
};

/** Takes the newest epoch: the session with the earlier epoch may not dispatch any more. */
const greet = (world: World, n: number): void => {
  for (const socket of world.sockets) socket.current = false;
  const socket = at(world, n);
  socket.current = true;
  socket.phase = 'greeted';
};

/** Reconciles before anything new is sent: with another journal the outcome is unknown; else the command is sent again. */
const judge = (world: World, n: number, { mutation }: Config): void => {
  const socket = at(world, n);
  socket.phase = 'judged';
  if (world.row !== 'dispatched') return;
  if (socket.journal !== world.knownJournal && mutation !== 'no journal identity check') world.row = 'indeterminate';
  else socket.owed.push(world.isLate ? 'void' : 'command');
};

/** A part is a valid result only where the caller allowed it. */
const statusOf = (message: Exclude<ToHub, 'hello'>, { items }: Config): Status => {
  if (message === 'part') return items?.allowPartial === true ? 'succeeded' : 'indeterminate';
  return message === 'done' ? 'succeeded' : message;
};

/** The first outcome settles; every one is acknowledged once that is durable. */
const settle = (world: World, n: number, message: Exclude<ToHub, 'hello'>, config: Config): void => {
  if (world.row === 'dispatched') {
    world.row = statusOf(message, config);
    if (world.row === 'succeeded') world.told = message === 'done' ? ASKED : 1;
  }
  const socket = at(world, n);
  if (socket.hubEnd) socket.owed.push('ack');
};

const socketSteps = (world: World, n: number, config: Config): Step[] => {
  const socket = at(world, n);
  if (!socket.hubEnd) return [];
  const steps: Step[] = [];
  const [message] = socket.up;
  if (message !== undefined) {
    steps.push({
      name: `hub: reads ${message} of socket ${n}`,
      take: (next) => {
        at(next, n).up.shift();
        if (message === 'hello') greet(next, n);
        else settle(next, n, message, config);
      },
    });
  } else if (!socket.bridgeEnd || socket.isCut) {
    const close = (next: World): void => {
      at(next, n).hubEnd = false;
    };
    steps.push({ name: `hub: socket ${n} has ended`, take: close });
  }
  if (socket.phase === 'greeted') steps.push({ name: 'hub: reconciles', take: (next) => judge(next, n, config) });
  if (socket.phase === 'judged') {
    steps.push({
      name: 'hub: stores the journal',
      take: (next) => {
        next.knownJournal = at(next, n).journal;
        at(next, n).phase = 'ready';
      },
    });
  }
  if (!socket.current && socket.phase !== 'silent') {
    const fence = (next: World): void => {
      Object.assign(at(next, n), { hubEnd: false, owed: [], up: [] });
    };
    steps.push({ name: `hub: closes socket ${n}, which is not the newest`, take: fence });
  }
  const [owed] = socket.owed;
  if (owed !== undefined) {
    steps.push({
      name: `hub: writes ${owed} to socket ${n}`,
      take: (next) => {
        const { bridgeEnd, isCut, down, ...rest } = at(next, n);
        rest.owed.shift();
        if (bridgeEnd && !isCut) down.push(owed);
      },
    });
  }
  return steps;
};

/** Dispatching: only over the socket of the newest epoch, and the mark is durable before the first byte. */
const dispatchSteps = (world: World, n: number, { mutation }: Config): Step[] => {
  const socket = at(world, n);
  if (!socket.hubEnd || socket.phase !== 'ready' || !socket.current || world.isLate) return [];
  if (mutation === 'send before the dispatched mark') {
    if (world.row !== 'none' || world.unmarked) return [];
    const send = (next: World): void => {
      next.unmarked = true;
      if (socket.bridgeEnd && !socket.isCut) at(next, n).down.push('command');
    };
    return [{ name: 'hub: sends unmarked', take: send }];
  }
  if (world.row !== 'none' && world.row !== 'accepted') return [];
  const mark = (next: World): void => {
    next.row = 'dispatched';
    at(next, n).owed.push('command');
  };
  return [{ name: 'hub: marks dispatched', take: mark }];
};

/** Everything that the nodes of the hub may do next, faults aside. */
export const hubSteps = (world: World, config: Config): Step[] => {
  const steps: Step[] = [];
  for (const [node, isUp] of world.nodes.entries()) {
    const start = (next: World): void => {
      next.nodes[node] = true;
    };
    if (!isUp) steps.push({ name: `hub: node ${node} starts`, take: start });
  }
  if (!world.nodes.includes(true)) return steps;
  for (const n of world.sockets.keys()) {
    steps.push(...socketSteps(world, n, config), ...dispatchSteps(world, n, config));
    const { hubEnd, phase, voided } = at(world, n);
    if (hubEnd && phase === 'ready' && world.isLate && world.row === 'dispatched' && !voided) {
      const takeBack = (next: World): void => {
        at(next, n).voided = true;
        at(next, n).owed.push('void');
      };
      steps.push({ name: 'hub: takes back', take: takeBack });
    }
  }
  const become = (name: string, row: World['row']): void => {
    steps.push({
      name,
      take: (next) => {
        next.row = row;
        next.unmarked = false;
      },
    });
  };
  if (world.unmarked) become('hub: marks late', 'dispatched');
  if (world.row === 'none' && !world.isLate && !world.unmarked) become('hub: accepts', 'accepted');
  if (world.row === 'accepted' && world.isLate) become('hub: expires', 'expired');
  if (world.row === 'dispatched' && config.mutation === 'timeout reported as failed') become('hub: gives up', 'failed');
  return steps;
};
