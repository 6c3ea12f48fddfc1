import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import {
  type Bridge,
  type BridgeSocket,
  type CataloguesSource,
  createBridge,
  type Journal,
  type OpenSocket,
  type Outcome,
} from '../../bridge-protocol/index.ts';
import { openFileJournal } from '../../bridge-protocol/journal/file.ts';
import { openWebSocket } from '../../bridge-protocol/ws.ts';
import { mortalJournal } from './mortal-journal.ts';
import { pay, playersOf } from './purse.ts';
import { staffHandlers } from './staff.ts';

/** The money of a game, which outlives its server's process; `applied` is every effect in its order. */
export const createEconomy = (players: Record<string, number>) => ({
  banks: new Map(Object.entries(players)),
  applied: [] as { id: string; target: string; delta: number }[],
  kicked: [] as string[],
});
export type Economy = ReturnType<typeof createEconomy>;

const BREAD = [{ slot: 1, name: 'bread', label: 'Bread', count: 2, metadata: {} }];

type Options = {
  /** Asked at each attempt: a restarted hub listens elsewhere. */
  url: () => string;
  token: string;
  folder: string;
  economy: Economy;
  /** Another journal than the file in the folder; an atomic one is settled together with the effect. */
  journal?: Journal;
  /** A money command waits for this before its effect. */
  before?: (target: string) => Promise<void>;
  /** Ignores `drain`, as bridges of other makers may do. */
  ignoresDrain?: boolean;
  /** Told about every frame just before it leaves. */
  sending?: (frame: string) => void;
  silenceMs?: number;
  catalogues?: CataloguesSource;
};

/** Sockets that are all gone at once when the process is. */
const mortalSockets = (open: OpenSocket, sending: (frame: string) => void, ignoresDrain: boolean) => {
  const sockets = new Set<BridgeSocket>();
  let isDead = false;
  return {
    open: ((events) => {
      const message = (frame: string): void => {
        if (!ignoresDrain || !frame.startsWith('{"type":"drain"')) events.message(frame);
      };
      const socket = open({ ...events, message });
      sockets.add(socket);
      return {
        send: (frame) => {
          if (isDead) return;
          sending(frame);
          socket.send(frame);
        },
        close: (code, reason) => socket.close(code, reason),
        terminate: () => socket.terminate(),
        get bufferedAmount() {
          return socket.bufferedAmount;
        },
      };
    }) satisfies OpenSocket,
    kill: (): void => {
      isDead = true;
      for (const socket of sockets) socket.terminate();
    },
  };
};

/** A game server with the reference bridge over a real socket and a journal in a file. */
export const startGameServer = ({ url, token, folder, economy, before, ...options }: Options) => {
  const stored = options.journal ?? openFileJournal({ path: join(folder, 'journal.jsonl'), class: 'durable' });
  const { journal, ...mortal } = mortalJournal(stored);
  const sockets = mortalSockets(
    (events) => openWebSocket({ url: url(), token })(events),
    options.sending ?? (() => {}),
    options.ignoresDrain ?? false,
  );
  const players = playersOf(economy.banks, { inventory: BREAD, metadata: { job: 'police' } });
  const money = (id: string, order: Parameters<typeof pay>[1]): Outcome => {
    const { target, amount, action } = order;
    const outcome = pay(economy.banks, order);
    if (outcome.status !== 'done') return outcome;
    economy.applied.push({ id, target, delta: action === 'add' ? amount : -amount });
    const changed = players.read(target);
    bridge.changed({ players: changed === undefined ? [] : [changed] });
    if (stored.class === 'atomic') void stored.settle(id, outcome);
    return outcome;
  };
  const bridge: Bridge = createBridge({
    openSocket: sockets.open,
    software: { name: 'test-game', version: '1.0.0' },
    journal,
    accounts: ['bank'],
    commands: {
      ...staffHandlers,
      kick: ({ target }) => {
        economy.kicked.push(target);
        return { status: 'done', data: { kicked: true } };
      },
      money: async (order, { id }) => {
        await before?.(order.target);
        const outcome = money(id, order);
        if (stored.class === 'atomic') await mortal.pass('after done');
        return outcome;
      },
    },
    versions: { announce: 2 },
    players,
    ...(options.catalogues !== undefined && { catalogues: options.catalogues }),
    timings: {
      reconnectBaseMs: 20,
      reconnectMaxMs: 100,
      statusEveryMs: 1_000,
      ...(options.silenceMs !== undefined && { silenceMs: options.silenceMs }),
    },
  });
  bridge.start();
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    stopped ??= bridge.stop().then(() => stored.close());
    return stopped;
  };
  onTestFinished(stop);
  return {
    bridge,
    stop,
    journal: stored,
    /** Lets the process stop for ever at a moment of the next command. */
    stopAt: mortal.stopAt,
    hasStopped: mortal.hasStopped,
    fillDisk: mortal.fill,
    /** The process dies: nothing more is sent or written. */
    crash: (): Promise<void> => {
      sockets.kill();
      mortal.kill();
      return stop();
    },
  };
};
