import { useNavigate } from '@tanstack/react-router';
import type { PlayerSummary } from '../api.ts';
import { type Kind, nameOfKind, newDraft } from '../commands/kinds.ts';
import { useTexts } from '../i18n.ts';
import { openOrder } from '../open-order.ts';
import { MenuItem } from '../parts/menu.tsx';
import { useMay } from '../session.ts';
import type { Offers } from './offers.ts';

/** The commands under the button *Give*. */
export const GIVE = ['give', 'giveItem', 'giveVehicle'] as const;
/** The commands under the button *Take*. */
export const TAKE = ['take', 'takeItem', 'takeVehicle'] as const;
/** The commands without a button in a row of the list. */
export const OF_ROW = ['take', 'giveItem', 'takeItem', 'message'] as const;
/** A row on a phone has no other buttons. */
export const OF_PHONE_ROW = ['give', 'kick', ...OF_ROW] as const;
const OTHERS = ['storeVehicle', 'job', 'revive', 'heal', 'freeze', 'unfreeze', 'teleport'] as const;

type Props = { player: PlayerSummary; offers: Offers };

/** The commands of a menu that the server of the player offers. `isShort`: the menu says what is done with them. */
export const OrderItems = ({
  kinds,
  isShort = false,
  player,
  offers,
}: Props & { kinds: readonly Exclude<Kind, 'announce'>[]; isShort?: boolean }) => {
  const { t } = useTexts();
  const { serverId, identifier } = player;
  return kinds
    .filter((kind) => offers.isOffered(serverId, nameOfKind(kind)))
    .map((kind) => (
      <MenuItem
        key={kind}
        whyNot={offers.whyNot(player, nameOfKind(kind))}
        onClick={() => openOrder({ serverId, identifier, draft: newDraft(kind) })}
      >
        {t(isShort ? `command.${nameOfKind(kind)}` : `action.${kind}`)}
      </MenuItem>
    ));
};

/** The rest of what can be done for a player. `first`: what the place of the menu has no button for. */
export const MoreItems = ({
  player,
  offers,
  first = [],
  onAsk,
}: Props & { first?: typeof OF_ROW | typeof OF_PHONE_ROW | []; onAsk?: () => void }) => {
  const { t } = useTexts();
  const may = useMay();
  const navigate = useNavigate();
  const { serverId, identifier } = player;
  return (
    <>
      <OrderItems kinds={[...first, ...OTHERS]} player={player} offers={offers} />
      {may('commands:custom') && may('servers:read') ? (
        <MenuItem
          onClick={() =>
            void navigate({ to: '/servers/$serverId', params: { serverId }, search: { target: identifier } })
          }
        >
          {t('action.more')}
        </MenuItem>
      ) : null}
      {onAsk === undefined ? null : <MenuItem onClick={onAsk}>{t('player.refresh')}</MenuItem>}
      {may('commands:read') ? (
        <MenuItem
          onClick={() => void navigate({ to: '/journal', search: { target: identifier, serverId, range: 'custom' } })}
        >
          {t('player.wholeHistory')}
        </MenuItem>
      ) : null}
    </>
  );
};
