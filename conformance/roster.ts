import type { BridgeMessage } from '../bridge-protocol/messages.ts';

const KEPT = 64;

/** Who is online by the snapshots: the first few that have the account, in the order they came. */
export const createRoster = (account: string) => {
  const online = new Set<string>();
  return {
    heard: (message: BridgeMessage): void => {
      if (message.type !== 'players.snapshot') return;
      for (const player of message.players) {
        if (player.online && account in player.accounts && online.size < KEPT) online.add(player.identifier);
      }
    },
    online: (): string[] => [...online],
  };
};
