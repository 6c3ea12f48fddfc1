import { Link } from '@tanstack/react-router';
import type { Player } from '../api.ts';
import { useTexts } from '../i18n.ts';
import { useServers } from '../queries.ts';
import { useMay } from '../session.ts';
import { Explained } from './explained.tsx';
import type { OrderDraft } from './order-dialog.tsx';

/** The reason why no command can reach the player; undefined if commands can. */
const useNothing = ({ serverId: own }: Player): string | undefined => {
  const { t } = useTexts();
  const { data: servers = [] } = useServers();
  const isDisabled = servers.some(({ serverId, disabled }) => serverId === own && disabled);
  return isDisabled ? t('code.server_disabled') : undefined;
};

/** The reason why money commands are impossible for the player; undefined if they are possible. */
export const useNoMoney = (player: Player): string | undefined => {
  const { t } = useTexts();
  return useNothing(player) ?? (Object.keys(player.accounts).length === 0 ? t('player.noAccounts') : undefined);
};

/** The actions for a player. */
export const PlayerActions = ({ player, onChoose }: { player: Player; onChoose: (draft: OrderDraft) => void }) => {
  const { t } = useTexts();
  const may = useMay();
  const noMoney = useNoMoney(player);
  const noKick = useNothing(player) ?? (player.online ? undefined : t('code.player_offline'));
  return (
    <div className="row">
      {may('commands:money') ? (
        <>
          <Explained whyNot={noMoney} onClick={() => onChoose({ kind: 'add' })}>
            {t('action.give')}
          </Explained>
          <Explained whyNot={noMoney} variant="default" onClick={() => onChoose({ kind: 'remove' })}>
            {t('action.take')}
          </Explained>
        </>
      ) : null}
      {may('commands:kick') ? (
        <Explained whyNot={noKick} color="red" onClick={() => onChoose({ kind: 'kick' })}>
          {t('action.kick')}
        </Explained>
      ) : null}
      {may('commands:custom') && may('servers:read') ? (
        <Link to="/servers/$serverId" params={{ serverId: player.serverId }} search={{ target: player.identifier }}>
          {t('action.more')}
        </Link>
      ) : null}
    </div>
  );
};
