import type { Step as StepOf } from './search.ts';
import type { Config, Socket, ToBridge, ToHub, World } from './world.ts';

export type Step = StepOf<World>;

/** The socket that the bridge speaks over, and the only one it reads unless it breaks that rule. */
const newest = ({ sockets }: World): Socket | undefined => sockets.find(({ bridgeEnd, isOld }) => bridgeEnd && !isOld);

const say = (world: World, message: ToHub): void => {
  const socket = newest(world);
  if (socket?.hubEnd && !socket.isCut) socket.up.push(message);
};

const answerOf = ({ bridge: { entry } }: World): ToHub | undefined =>
  entry === 'unknown' || entry === 'started' ? undefined : entry;

/**
 * A command or a void for an id in the journal: the stored outcome, never the effect again. An atomic bridge rolled back
 * the unfinished effect of an earlier process; with any other bridge the effect is unknown.
 */
const answerAgain = (world: World, { bridgeClass }: Config): void => {
  const { bridge } = world;
  if (bridge.entry === 'started') bridge.entry = bridgeClass === 'atomic' ? 'failed' : 'indeterminate';
  const answer = answerOf(world);
  if (answer !== undefined) say(world, answer);
};

const receive = (world: World, message: ToBridge, config: Config): void => {
  const { bridge } = world;
  const { mutation } = config;
  const isKnown = bridge.entry !== 'unknown' && mutation !== 'no journal';
  switch (message) {
    case 'command':
      if (bridge.running !== 'no') return;
      if (isKnown) return answerAgain(world, config);
      bridge.running = 'begun';
      if (mutation !== 'no journal' && mutation !== 'journal after the effect') bridge.entry = 'started';
      return;
    case 'void':
      if (bridge.running !== 'no') return;
      if (isKnown) return answerAgain(world, config);
      if (mutation !== 'void without tombstone') bridge.entry = 'voided';
      return say(world, 'voided');
    case 'ack':
      bridge.acked = true;
      if (mutation === 'id forgotten at ack') bridge.entry = 'unknown';
  }
};

const finish = (world: World): void => {
  world.bridge.entry = 'done';
  world.bridge.acked = false;
  world.bridge.running = 'finished';
};

/** The next step of the handler, by the class of the bridge. */
const handlerSteps = (world: World, { bridgeClass, mutation }: Config): Step[] => {
  const { running, unsaved } = world.bridge;
  if (running === 'finished') {
    const answer = (next: World): void => {
      next.bridge.running = 'no';
      say(next, 'done');
    };
    return [{ name: 'bridge: result', take: answer }];
  }
  if (running === 'begun') {
    return [
      {
        name: 'bridge: effect',
        take: (next) => {
          if (bridgeClass === 'saved') next.bridge.unsaved += 1;
          else next.bridge.effects += 1;
          if (bridgeClass === 'atomic' && mutation !== 'journal after the effect') finish(next);
          else next.bridge.running = 'applied';
        },
      },
    ];
  }
  if (running === 'applied') {
    if (unsaved > 0 && mutation !== 'done before the save') return [];
    return [{ name: 'bridge: journal done', take: finish }];
  }
  return [];
};

/** Everything that the bridge may do next, faults aside. */
export const bridgeSteps = (world: World, config: Config): Step[] => {
  const { bridge, sockets } = world;
  if (!bridge.isUp) {
    const start = (next: World): void => {
      next.bridge.isUp = true;
    };
    return [{ name: 'bridge: start', take: start }];
  }
  const steps = handlerSteps(world, config);
  if (bridge.unsaved > 0) {
    steps.push({
      name: 'bridge: save',
      take: (next) => {
        next.bridge.effects += next.bridge.unsaved;
        next.bridge.unsaved = 0;
      },
    });
  }
  for (const [n, socket] of sockets.entries()) {
    const [message] = socket.down;
    if (!socket.bridgeEnd || message === undefined) continue;
    const read = (next: World): void => {
      next.sockets[n]?.down.shift();
      receive(next, message, config);
    };
    steps.push({ name: `bridge: reads ${message} of socket ${n}`, take: read });
  }
  if (newest(world) === undefined) {
    steps.push(...world.nodes.flatMap((isUp, node) => (isUp ? [connect(node, config)] : [])));
  }
  return steps;
};

/** A new socket: hello, and the results without an acknowledgement. */
export const connect = (node: number, { readsOldSockets = false }: Config): Step => ({
  name: `bridge: connects to node ${node}`,
  take: (next) => {
    const { bridge } = next;
    const answer = bridge.acked ? undefined : answerOf(next);
    for (const old of next.sockets) Object.assign(old, { isOld: true, bridgeEnd: old.bridgeEnd && readsOldSockets });
    next.sockets.push({
      node,
      hubEnd: true,
      bridgeEnd: true,
      isOld: false,
      isCut: false,
      phase: 'silent',
      current: false,
      journal: bridge.journal,
      owed: [],
      down: [],
      up: answer === undefined ? ['hello'] : ['hello', answer],
      voided: false,
    });
  },
});
