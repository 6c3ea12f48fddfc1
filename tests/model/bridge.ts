import type { Step as StepOf } from './search.ts';
import { ASKED, type Config, type Socket, type ToBridge, type ToHub, type World } from './world.ts';

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
 * A command or a void for an id in the journal: the stored outcome, never the effect again. The unfinished effect of an
 * atomic command was rolled back with the earlier process; the effect of any other is unknown, however strong the journal.
 */
const answerAgain = (world: World, { bridgeClass, journalClass = bridgeClass, mutation }: Config): void => {
  const { bridge } = world;
  const decides = mutation === 'class of the journal instead of the command' ? journalClass : bridgeClass;
  if (bridge.entry === 'started') bridge.entry = decides === 'atomic' ? 'failed' : 'indeterminate';
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

type Outcome = Exclude<ToHub, 'hello'>;

const finish = (world: World, entry: Outcome): void => {
  world.bridge.entry = entry;
  world.bridge.acked = false;
  world.bridge.running = 'finished';
};

/** Pieces that are applied; none: the command is refused. */
const piecesOf = ({ room }: World, { items, mutation }: Config): number => {
  const fitting = Math.min(room, ASKED);
  const isPartAllowed =
    items?.allowPartial === true ||
    mutation === 'refused after a part was applied' ||
    mutation === 'part applied although all was asked';
  return fitting === ASKED || isPartAllowed ? fitting : 0;
};

/** The outcome, when the effect is durable. */
const outcomeOf = ({ bridge: { effects, unsaved } }: World, { mutation }: Config): Outcome => {
  const applied = [...effects, ...unsaved].at(-1) ?? 0;
  if (applied === ASKED || mutation === 'all reported although a part was applied') return 'done';
  return mutation === 'refused after a part was applied' ? 'rejected' : 'part';
};

/** A refusal is an outcome like any other: it is stored, and stays when there is room later. */
const refuse = (world: World, { mutation }: Config): void => {
  if (mutation === 'done although nothing fits') return finish(world, 'done');
  finish(world, 'rejected');
  if (mutation === 'refusal without journal') {
    world.bridge.entry = 'unknown';
    world.bridge.running = 'no';
    say(world, 'rejected');
  }
};

const apply = (world: World, pieces: number, config: Config): void => {
  const { bridge } = world;
  if (config.bridgeClass === 'saved') bridge.unsaved.push(pieces);
  else bridge.effects.push(pieces);
  world.room -= pieces;
  if (config.bridgeClass === 'atomic' && config.mutation !== 'journal after the effect')
    finish(world, outcomeOf(world, config));
  else bridge.running = 'applied';
};

/** The next step of the handler, by the class of the bridge. */
const handlerSteps = (world: World, config: Config): Step[] => {
  const { running, unsaved } = world.bridge;
  if (running === 'finished') {
    const answer = (next: World): void => {
      next.bridge.running = 'no';
      // A bridge that forgets ids may have forgotten this one.
      say(next, answerOf(next) ?? 'done');
    };
    return [{ name: 'bridge: result', take: answer }];
  }
  if (running === 'begun') {
    return [
      {
        name: 'bridge: effect',
        take: (next) => {
          const pieces = piecesOf(next, config);
          if (pieces === 0) refuse(next, config);
          else apply(next, pieces, config);
        },
      },
    ];
  }
  if (running === 'applied') {
    if (unsaved.length > 0 && config.mutation !== 'done before the save') return [];
    return [{ name: 'bridge: journal done', take: (next) => finish(next, outcomeOf(next, config)) }];
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
  if (bridge.unsaved.length > 0) {
    steps.push({
      name: 'bridge: save',
      take: (next) => {
        next.bridge.effects.push(...next.bridge.unsaved);
        next.bridge.unsaved = [];
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
