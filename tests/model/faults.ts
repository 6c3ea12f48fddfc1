import { connect, type Step } from './bridge.ts';
import { ASKED, type Config, type Fault, type Socket, type World } from './world.ts';

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

/** Any suffix of the frames in flight in one direction may be lost. */
const prefixes = <T>(messages: readonly T[]): T[][] =>
  Array.from({ length: messages.length + 1 }, (_, length) => messages.slice(0, length));

/** The hub's process dies, and all its unwritten decisions are lost. */
const loseHubEnd = (socket: Socket, down: Socket['down']): void => {
  socket.hubEnd = false;
  socket.owed = [];
  socket.up = [];
  socket.down = down;
};

const cross = <A, B>(as: readonly A[], bs: readonly B[]): [A, B][] => as.flatMap((a) => bs.map((b): [A, B] => [a, b]));

/** All the ways in which the sockets of a node can lose what they have under way. */
const lossesOf = (sockets: readonly Socket[], direction: 'down' | 'up', isAffected: (socket: Socket) => boolean) =>
  sockets.reduce<(Socket['down'] | Socket['up'])[][]>(
    (all, socket) =>
      cross(all, isAffected(socket) ? prefixes<never>(socket[direction] as never[]) : [socket[direction]]).map(
        ([before, kept]) => [...before, kept],
      ),
    [[]],
  );

const faultSteps: Record<Fault, (world: World, config: Config) => Step[]> = {
  'hub kill': (world) =>
    world.nodes.flatMap((isUp, node) => {
      if (!isUp) return [];
      const ofNode = (socket: Socket): boolean => socket.node === node && socket.hubEnd;
      return lossesOf(world.sockets, 'down', ofNode).map((kept) => ({
        name: `node ${node} is killed`,
        take: (next: World) => {
          next.nodes[node] = false;
          next.unmarked = false;
          for (const [n, socket] of next.sockets.entries()) {
            if (ofNode(socket)) loseHubEnd(socket, [...(kept[n] ?? [])] as Socket['down']);
          }
        },
      }));
    }),
  'bridge kill': (world) => {
    if (!world.bridge.isUp) return [];
    return lossesOf(world.sockets, 'up', ({ bridgeEnd }) => bridgeEnd).map((kept) => ({
      name: 'the bridge is killed',
      take: (next: World) => {
        next.room += sum(next.bridge.unsaved);
        next.bridge = { ...next.bridge, isUp: false, running: 'no', unsaved: [] };
        for (const [n, socket] of next.sockets.entries()) {
          socket.bridgeEnd = false;
          socket.down = [];
          socket.up = [...(kept[n] ?? [])] as Socket['up'];
        }
      },
    }));
  },
  cut: (world) =>
    world.sockets.flatMap(({ hubEnd, bridgeEnd, isCut, down, up }, n) => {
      if (!hubEnd || !bridgeEnd || isCut) return [];
      return cross(prefixes(down), prefixes(up)).map(([downKept, upKept]) => ({
        name: `socket ${n} is cut`,
        take: (next: World) => {
          const socket = next.sockets[n];
          if (socket !== undefined) Object.assign(socket, { isCut: true, down: [...downKept], up: [...upKept] });
        },
      }));
    }),
  // The bridge takes a silent socket for dead and opens a new one; the old one wakes up later.
  stall: (world, config) => {
    if (!world.bridge.isUp || world.sockets.length !== 1) return [];
    if (!world.sockets.some(({ bridgeEnd }) => bridgeEnd)) return [];
    return world.nodes.flatMap((isUp, node) => (isUp ? [connect(node, config)] : []));
  },
  'journal lost': (world) => {
    if (world.bridge.isUp) return [];
    const lose = (next: World): void => {
      next.bridge = { ...next.bridge, journal: next.bridge.journal + 1, entry: 'unknown', acked: false };
    };
    return [{ name: 'the journal is lost', take: lose }];
  },
  // The hub's newest rows are gone; a retry with the same idempotency key makes the same id.
  'hub restored': (world) => {
    if (world.row === 'none' || world.nodes.includes(true)) return [];
    const restore = (next: World): void => {
      next.row = 'none';
      next.told = 0;
      next.isRestored = true;
    };
    return [{ name: 'the hub is restored from a backup', take: restore }];
  },
  // The player, or the game, fills or empties the inventory.
  'room changes': ({ room }) =>
    Array.from({ length: ASKED + 1 }, (_, left) => left)
      .filter((left) => left !== room)
      .map((left) => ({
        name: `${left} pieces fit now`,
        take: (next: World) => {
          next.room = left;
        },
      })),
};

/** Everything that may go wrong next. */
export const faults = (world: World, config: Config): Step[] =>
  (Object.keys(faultSteps) as Fault[]).flatMap((fault) => {
    if (world.faults[fault] === 0) return [];
    return faultSteps[fault](world, config).map(({ name, take }) => ({
      name,
      take: (next: World) => {
        next.faults[fault] -= 1;
        take(next);
      },
    }));
  });
