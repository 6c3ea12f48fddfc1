import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openWebSocket } from '../../bridge/socket.ts';
import { type Bridge, createBridge, type Outcome, type Player } from '../../bridge-protocol/index.ts';
import { openFileJournal } from '../../bridge-protocol/journal-file.ts';

/** The money of a game, which outlives its server's process; `applied` is every effect in its order. */
export const createEconomy = (players: Record<string, number>) => ({
  banks: new Map(Object.entries(players)),
  applied: [] as { id: string; target: string; delta: number }[],
  kicked: [] as string[],
});
export type Economy = ReturnType<typeof createEconomy>;

const recordOf = (identifier: string, bank: number): Player => ({
  identifier,
  name: `Name of ${identifier}`,
  online: true,
  identifiers: [`license:${identifier.replace(':', '-')}`],
  accounts: { bank },
  inventory: [{ slot: 1, name: 'bread', label: 'Bread', count: 2, metadata: {} }],
  vehicles: [],
  metadata: { job: 'police' },
});

type Options = {
  /** Asked at each attempt: a restarted hub listens elsewhere. */
  url: () => string;
  token: string;
  folder: string;
  economy: Economy;
  /** What a money command waits for before its effect. */
  before?: (target: string) => Promise<void>;
};

/** A game server with the reference bridge over a real socket and a journal in a file. */
export const startGameServer = ({ url, token, folder, economy, before }: Options) => {
  const journal = openFileJournal({ path: join(folder, 'journal.jsonl'), class: 'durable' });
  const money = (id: string, target: string, delta: number): Outcome => {
    const balance = economy.banks.get(target);
    if (balance === undefined) {
      return { status: 'rejected', error: { code: 'player_not_found', message: 'Nobody has this identifier.' } };
    }
    if (balance + delta < 0) {
      const details = { balance };
      return { status: 'rejected', error: { code: 'insufficient_funds', message: 'Too little.', details } };
    }
    economy.banks.set(target, balance + delta);
    economy.applied.push({ id, target, delta });
    bridge.changed({ players: [recordOf(target, balance + delta)] });
    return { status: 'done', data: { account: 'bank', before: balance, after: balance + delta } };
  };
  const bridge: Bridge = createBridge({
    openSocket: (events) => openWebSocket({ url: url(), token })(events),
    software: { name: 'test-game', version: '1.0.0' },
    journal,
    accounts: ['bank'],
    commands: {
      kick: ({ target }) => {
        economy.kicked.push(target);
        return { status: 'done', data: { kicked: true } };
      },
      money: async ({ target, amount, action }, { id }) => {
        await before?.(target);
        return money(id, target, action === 'add' ? amount : -amount);
      },
    },
    players: {
      snapshot: () => [...economy.banks].map(([identifier, bank]) => recordOf(identifier, bank)),
      read: (identifier) => {
        const bank = economy.banks.get(identifier);
        return bank === undefined ? undefined : recordOf(identifier, bank);
      },
    },
    timings: { reconnectBaseMs: 20, reconnectMaxMs: 100, statusEveryMs: 1_000 },
  });
  bridge.start();
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    stopped ??= bridge.stop().then(() => journal.close());
    return stopped;
  };
  onTestFinished(stop);
  return { bridge, stop };
};
