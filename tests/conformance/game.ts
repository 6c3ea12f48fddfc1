import {
  type Bridge,
  type BridgeOptions,
  type CommandHandlers,
  createBridge,
  createCustomCommands,
  type Journal,
  type OpenSocket,
  type Outcome,
  type Player,
  type SocketEvents,
} from '../../bridge-protocol/index.ts';
import { openWebSocket } from '../../bridge-protocol/ws.ts';
import type { Launcher } from '../../conformance/stage/launcher.ts';
import { pay, playersOf } from '../kit/purse.ts';
import { createDisk, type Disk, openJournal } from './disk.ts';
import { CATALOGUES, carry, drive, employ, goodsOf } from './goods.ts';

export type Frame = { type: string; [field: string]: unknown };
/** One socket of a faulty bridge, past its faults. */
export type Wire = { say: (frame: Frame | string) => void; hear: (frame: Frame) => void; cut: () => void };

/** A fault of a bridge. `out` and `in` get each frame and return the frames to send on instead. */
export type Fault = {
  out?: (frame: Frame, wire: Wire) => (Frame | string)[];
  in?: (frame: Frame, wire: Wire) => Frame[];
  /** Gets the text of each received frame; false drops the frame. */
  rawIn?: (text: string, wire: Wire) => boolean;
  journal?: (journal: Journal, disk: Disk) => Journal;
  handlers?: (handlers: ReturnType<typeof createHandlers>, disk: Disk) => CommandHandlers;
  options?: (options: BridgeOptions) => BridgeOptions;
  events?: (events: SocketEvents) => SocketEvents;
  socket?: (open: OpenSocket, at: { url: string; token: string }) => OpenSocket;
  /** Before each start. */
  starts?: (disk: Disk) => void;
};

const rejected = (code: string): Outcome => ({ status: 'rejected', error: { code, message: code } });
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Undefined if the text is not a frame: the bridge must get it unchanged. */
const parsed = (text: string): Frame | undefined => {
  try {
    const frame: unknown = JSON.parse(text);
    return typeof frame === 'object' && frame !== null && 'type' in frame ? (frame as Frame) : undefined;
  } catch {
    return undefined;
  }
};

const tampered =
  (open: OpenSocket, fault: Fault, isAlive: () => boolean, sockets: Set<() => void>): OpenSocket =>
  (given) => {
    const events = fault.events?.(given) ?? given;
    const text = (frame: Frame | string): string => (typeof frame === 'string' ? frame : JSON.stringify(frame));
    const wire: Wire = {
      say: (frame) => {
        if (isAlive()) socket.send(text(frame));
      },
      hear: (frame) => {
        if (isAlive()) events.message(text(frame));
      },
      cut: () => socket.terminate(),
    };
    const socket = open({
      open: () => isAlive() && events.open(),
      message: (frame) => {
        if (fault.rawIn?.(frame, wire) === false) return;
        const read = fault.in === undefined ? undefined : parsed(frame);
        const heard = read && fault.in?.(read, wire);
        if (heard === undefined && isAlive()) events.message(frame);
        for (const one of heard ?? []) wire.hear(one);
      },
      close: (code, reason) => isAlive() && events.close(code, reason),
      refused: (refusal) => isAlive() && events.refused(refusal),
    });
    sockets.add(() => socket.terminate());
    return {
      send: (frame) => {
        if (fault.out === undefined) wire.say(frame);
        else for (const one of fault.out(JSON.parse(frame), wire)) wire.say(one);
      },
      close: (code, reason) => socket.close(code, reason),
      terminate: () => socket.terminate(),
      bufferedAmount: 0,
    };
  };

/** A custom command that takes a turn. */
const createGreet = () => {
  const custom = createCustomCommands();
  const name = { type: 'string', minLength: 1, maxLength: 16 };
  const params = { properties: { name }, required: ['name'], additionalProperties: false };
  const handler = async (): Promise<Outcome> => {
    await turn();
    return { status: 'done' };
  };
  custom.register({ name: 'greet', params, handler });
  return custom;
};

/** The players of a game with all that they have; all are online. */
const recordsOf = ({ banks, goods }: Disk) => {
  const players = playersOf(banks);
  const whole = (player: Player): Player => ({ ...player, ...goodsOf(goods, player.identifier) });
  return {
    snapshot: (): Player[] => players.snapshot().map(whole),
    read: (identifier: string): Player | undefined => {
      const player = players.read(identifier);
      return player && whole(player);
    },
  };
};

type Handlers = Required<CommandHandlers>;

/** Commands take effect on the disk, a turn after they began and a turn before they end. */
const createHandlers = (disk: Disk, isAlive: () => boolean, bridge: () => Bridge): Handlers => {
  const { goods } = disk;

  /** A command that changes a player. A dead process changes nothing any more. */
  const changing =
    <P extends { target: string }>(work: (order: P) => Outcome) =>
    async (order: P): Promise<Outcome> => {
      if (!disk.banks.has(order.target)) return rejected('player_not_found');
      if (!isAlive()) return { status: 'indeterminate' };
      const outcome = work(order);
      if (outcome.status !== 'done') return outcome;
      await turn();
      const changed = recordsOf(disk).read(order.target);
      bridge().changed({ players: changed === undefined ? [] : [changed] });
      return outcome;
    };

  /** An action whose effect the game shows at once. */
  const acting =
    <P extends { target: string }>(data: (order: P) => object) =>
    (order: P): Outcome =>
      disk.banks.has(order.target)
        ? { status: 'done', data: { confirmedBy: 'server', ...data(order) } }
        : rejected('player_not_found');

  return {
    kick: ({ target }) =>
      disk.banks.has(target) ? { status: 'done', data: { kicked: true } } : rejected('player_not_found'),
    money: changing((order) => pay(disk.banks, order)),
    items: changing((order) => carry(goods, order)),
    vehicles: changing((order) => drive(goods, order)),
    job: changing((order) => employ(goods, order)),
    announce: ({ targets = [...disk.banks.keys()] }) => {
      const players = targets.filter((target) => disk.banks.has(target)).length;
      return { status: 'done', data: { confirmedBy: 'server', players } };
    },
    message: acting(() => ({})),
    revive: acting(() => ({})),
    heal: acting(() => ({})),
    freeze: acting(({ frozen }) => ({ frozen })),
    teleport: acting(() => ({ position: { x: 0, y: 0, z: 0 } })),
  };
};

/**
 * A game server that can be killed without a process: later frames and writes of its bridge are lost. `fault` makes
 * a bad bridge of the reference bridge.
 */
export const launchGame = (fault: Fault = {}, disk: Disk = createDisk()): Launcher => {
  let current: { bridge: Bridge; die: () => void } | undefined;

  const start = (at: { url: string; token: string }): void => {
    fault.starts?.(disk);
    let alive = true;
    const isAlive = (): boolean => alive;
    const sockets = new Set<() => void>();
    const journal = openJournal(disk, isAlive);
    const handlers = createHandlers(disk, isAlive, () => bridge);
    const open = openWebSocket(at);
    const options: BridgeOptions = {
      openSocket: tampered(fault.socket?.(open, at) ?? open, fault, isAlive, sockets),
      software: { name: 'test-game', version: '1.0.0' },
      journal: fault.journal?.(journal, disk) ?? journal,
      accounts: ['bank'],
      commands: fault.handlers?.(handlers, disk) ?? handlers,
      versions: { announce: 2 },
      custom: createGreet(),
      players: recordsOf(disk),
      catalogues: CATALOGUES,
      random: () => 0.5,
      timings: { reconnectBaseMs: 10, reconnectMaxMs: 40, silenceMs: 5_000 },
    };
    const bridge = createBridge(fault.options?.(options) ?? options);
    const die = (): void => {
      alive = false;
      for (const cut of sockets) cut();
      void bridge.stop();
    };
    current = { bridge, die };
    bridge.start();
  };

  const kill: Launcher['kill'] = async (signal) => {
    if (signal === 'SIGTERM') await current?.bridge.stop();
    current?.die();
    current = undefined;
  };
  return { start, kill, ended: () => undefined, tail: () => '' };
};
