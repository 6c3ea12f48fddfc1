import { takeBack, welcome } from './hub.ts';
import {
  begin,
  fail,
  hasRoom,
  hasSlot,
  hubAt,
  isInserting,
  join,
  open,
  release,
  rowOf,
  tell,
  wait,
  write,
} from './node.ts';
import { type Config, type Fault, newHub, type Step, type World } from './world.ts';

/** A request for a command, at any node. */
const request = (world: World, n: number, c: number, config: Config): void => {
  const hub = hubAt(world, n);
  const kind = config.commands[c];
  world.requested[c] = true;
  if (rowOf(world, c).status !== 'none') return join(world, n, c, config);
  if (hub.session === undefined) return begin(hub, { what: 'hand over', c });
  const live = open(hub, c);
  live.asker = -1;
  if (kind !== 'later' && hub.queue.length === 0 && hasRoom(hub)) {
    Object.assign(live, { slot: 'inFlight', isSent: false });
    return begin(hub, { what: 'insert', c, epoch: hub.session.epoch });
  }
  live.slot = 'queued';
  hub.queue.push(c);
  if (kind !== 'no key') return begin(hub, { what: 'insert', c });
  live.isUnwritten = true;
  wait(hub, c);
};

/** A node refuses the request if no node holds the bridge. A request with the key of a pending insert waits. */
const canRequest = (world: World, n: number, c: number): boolean => {
  const hub = hubAt(world, n);
  if (!hub.isUp || world.isLate) return false;
  if (rowOf(world, c).status !== 'none') return hub.callers[c] !== 'waiting';
  const isBusy = hasSlot(hub, c) || hub.tasks.some((task) => task.c === c && task.what !== 'leave behind');
  return !isBusy && (hub.session !== undefined || (world.sessionRow.isConnected && world.sessionRow.node !== n));
};

const requests = (world: World, config: Config, isWanted: (c: number) => boolean): Step[] =>
  world.hubs.flatMap((_hub, n) =>
    config.commands.flatMap((kind, c) => {
      if (!isWanted(c) || !canRequest(world, n, c)) return [];
      return [
        { name: `a caller asks node ${n} for ${c} (${kind})`, take: (next: World) => request(next, n, c, config) },
      ];
    }),
  );

const kill = (world: World, n: number): void => {
  world.hubs[n] = { ...newHub(world.rows.length), isUp: false };
  world.messages = world.messages.filter(({ to }) => to !== n);
  if (world.sessionRow.node === n) world.sessionRow.isConnected = false;
  if (world.bridge.node === n) hangUp(world);
};

const hangUp = ({ bridge }: World): void => {
  bridge.epoch = 0;
  bridge.frames = bridge.frames.map(() => 'none');
  bridge.hasNews = bridge.hasNews.map(() => false);
};

const insertFails = (world: World, n: number, c: number, config: Config): void => {
  const hub = hubAt(world, n);
  // The turn that waited for this insert ends with it.
  hub.tasks = hub.tasks.filter(
    ({ what, c: of, after }) => of !== c || after !== 'begun' || !['insert', 'keep', 'turn'].includes(what),
  );
  release(hub, c, config);
  fail(hub, c, config);
};

const eachHub = (world: World, stepsOf: (n: number) => Step[]): Step[] =>
  world.hubs.flatMap(({ isUp }, n) => (isUp ? stepsOf(n) : []));

const eachCommand = (world: World, canHappen: (c: number) => boolean, step: (c: number) => Step): Step[] =>
  [...world.rows.keys()].filter(canHappen).map(step);

const FAULTS: Record<Fault, (world: World, config: Config) => Step[]> = {
  disconnect: ({ bridge }) => (bridge.epoch === 0 ? [] : [{ name: 'the line breaks', take: hangUp }]),
  'message lost': ({ messages }) =>
    messages.map(({ to, what, c }, i) => ({
      name: `"${what} ${c}" to node ${to} is lost`,
      take: (next) => {
        next.messages.splice(i, 1);
      },
    })),
  'insert fails': (world, config) =>
    eachHub(world, (n) =>
      eachCommand(
        world,
        (c) => isInserting(hubAt(world, n), c) && rowOf(world, c).status === 'none',
        (c) => ({ name: `node ${n}: the insert of ${c} fails`, take: (next) => insertFails(next, n, c, config) }),
      ).concat(
        eachCommand(
          world,
          (c) => isInserting(hubAt(world, n), c, 'accepted') && rowOf(world, c).status === 'none',
          (c) => ({
            name: `node ${n}: the insert of ${c} is reported as failed`,
            take: (next) => {
              write(next, c, 'accepted');
              insertFails(next, n, c, config);
            },
          }),
        ),
      ),
    ),
  'node kill': (world) => eachHub(world, (n) => [{ name: `node ${n} is killed`, take: (next) => kill(next, n) }]),
  repeat: (world, config) =>
    requests(world, config, (c) => world.requested[c] === true && config.commands[c] === 'key'),
  'take back': (world, config) =>
    eachHub(world, (n) =>
      eachCommand(
        world,
        (c) => rowOf(world, c).status === 'accepted',
        (c) => ({ name: `node ${n}: ${c} is taken back`, take: (next) => takeBack(next, n, c, config) }),
      ),
    ),
  'wait over': (world, config) =>
    eachHub(world, (n) =>
      eachCommand(
        world,
        (c) => hubAt(world, n).callers[c] === 'waiting' && rowOf(world, c).status !== 'none',
        (c) => ({
          name: `node ${n}: the wait for ${c} is over`,
          take: (next) => tell(next, n, c, rowOf(next, c).status, config),
        }),
      ),
    ),
};

const faultSteps = (world: World, config: Config): Step[] =>
  (Object.keys(FAULTS) as Fault[]).flatMap((fault) => {
    if (world.faults[fault] === 0) return [];
    return FAULTS[fault](world, config).map(({ name, take }) => ({
      name,
      take: (next: World) => {
        next.faults[fault] -= 1;
        take(next);
      },
    }));
  });

const DEADLINE: Step = {
  name: 'the deadline passes',
  take: (world) => {
    world.isLate = true;
  },
};

/** Steps that may or may not happen. */
export const chances = (world: World, config: Config): Step[] => [
  ...requests(world, config, (c) => world.requested[c] === false),
  ...faultSteps(world, config),
  ...(config.canExpire === true && !world.isLate ? [DEADLINE] : []),
];

/** The bridge: it connects to any node, and carries out what it gets, once. */
export const bridgeSteps = (world: World, config: Config): Step[] => {
  const { epoch, frames } = world.bridge;
  if (epoch === 0) {
    return eachHub(world, (n) => [{ name: `bridge: connects to node ${n}`, take: (next) => welcome(next, n, config) }]);
  }
  return frames.flatMap((frame, c) => {
    if (frame === 'none') return [];
    const carryOut = ({ bridge }: World): void => {
      bridge.frames[c] = 'none';
      bridge.hasNews[c] = true;
      if (bridge.results[c] === 'none') bridge.results[c] = frame === 'void' ? 'voided' : 'succeeded';
    };
    return [{ name: `bridge: gets the ${frame} ${c}`, take: carryOut }];
  });
};
