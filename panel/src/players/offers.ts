import { useMemo } from 'react';
import type { Command, Player, PlayerSummary } from '../api.ts';
import { isLasting, isUndoable } from '../commands/kinds.ts';
import { isAnnounced } from '../commands.tsx';
import { useTexts } from '../i18n.ts';
import type { OrderName } from '../orders/order.ts';
import { useServers } from '../queries.ts';
import { useMay, useMaySend } from '../session.ts';

/** The commands that can be sent for players. */
export type Offers = {
  /** Whether the key may send a command, and the bridge of the server offers it, as far as the key may know. */
  isOffered: (serverId: string, name: OrderName) => boolean;
  /** The reason why a command is impossible for the player now; undefined if it is possible. */
  whyNot: (player: Pick<PlayerSummary, 'serverId' | 'online' | 'accounts'>, name: OrderName) => string | undefined;
};

export const useOffers = (): Offers => {
  const may = useMay();
  const maySend = useMaySend();
  const { t } = useTexts();
  const { data: servers } = useServers();
  return useMemo(() => {
    const byId = new Map(servers?.map((server) => [server.serverId, server]));
    return {
      isOffered: (serverId, name) => {
        if (!maySend(name)) return false;
        const server = byId.get(serverId);
        if (!may('servers:read')) return true;
        // Nearly every bridge can kick, and what lasts can wait: these are shown while it is away, too.
        if (server === undefined || server.bridge === null) return name === 'kick' || isLasting(name);
        return isAnnounced(server, name);
      },
      whyNot: ({ serverId, online, accounts }, name) => {
        if (byId.get(serverId)?.disabled === true) return t('code.server_disabled');
        if (name === 'money' && Object.keys(accounts).length === 0) return t('player.noAccounts');
        return !isLasting(name) && !online ? t('code.player_offline') : undefined;
      },
    };
  }, [may, maySend, servers, t]);
};

/** Whether a command of the player's history can be undone now, by this key. */
export const canUndo = (offers: Offers, player: Player, command: Command): boolean => {
  const name = command.name as OrderName;
  return (
    isUndoable(command) &&
    isLasting(name) &&
    offers.isOffered(player.serverId, name) &&
    offers.whyNot(player, name) === undefined
  );
};
