import type { BridgeMessage } from '../../bridge-protocol/wire/messages.ts';
import type { Player } from '../../bridge-protocol/wire/player.ts';

const KEPT = 64;

const playersOf = (message: BridgeMessage): Player[] => {
  if (message.type === 'players.record') return message.player === undefined ? [] : [message.player];
  return message.type === 'players.snapshot' || message.type === 'players.changed' ? message.players : [];
};

/** Players as the bridge reports them: who is online, and the last balances of those and of others that are followed. */
export const createRoster = (account: string) => {
  const online = new Set<string>();
  const balances = new Map<string, number | undefined>();
  return {
    heard: (message: BridgeMessage): void => {
      const isSnapshot = message.type === 'players.snapshot';
      for (const { identifier, online: isOnline, accounts } of playersOf(message)) {
        const balance = accounts[account];
        if (balance === undefined) continue;
        const isChosen = isSnapshot && isOnline && online.size < KEPT;
        if (isChosen) online.add(identifier);
        if (isChosen || balances.has(identifier)) balances.set(identifier, balance);
      }
    },
    /** The first few that have the account, in the order they came. */
    online: (): string[] => [...online],
    /** Keeps the balance of a player from now on. */
    follow: (identifier: string): void => {
      if (!balances.has(identifier)) balances.set(identifier, undefined);
    },
    /** The balance that was reported last of a player who is online or followed. */
    balance: (identifier: string): number | undefined => balances.get(identifier),
  };
};
