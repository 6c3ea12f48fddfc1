import { useNavigate } from '@tanstack/react-router';
import type { PlayerSummary } from '../api.ts';
import { useTexts } from '../i18n.ts';
import type { MessageKey } from '../messages/en.ts';
import { openOrder } from '../open-order.ts';
import type { OrderDraft } from '../orders/draft.ts';
import { MenuItem } from '../parts/menu.tsx';
import { useMay } from '../session.ts';
import type { Offers } from './offers.ts';

type Item = { text: MessageKey; draft: OrderDraft };

/** The commands under the button *Give*. */
export const GIVE: readonly Item[] = [
  { text: 'command.money', draft: { name: 'money', action: 'add' } },
  { text: 'command.items', draft: { name: 'items', action: 'add' } },
  { text: 'command.vehicles', draft: { name: 'vehicles', action: 'give' } },
];
/** The commands under the button *Take*. */
export const TAKE: readonly Item[] = [
  { text: 'command.money', draft: { name: 'money', action: 'remove' } },
  { text: 'command.items', draft: { name: 'items', action: 'remove' } },
  { text: 'command.vehicles', draft: { name: 'vehicles', action: 'take' } },
];
/** The commands without a button in a row of the list. */
const OF_ROW: readonly Item[] = [
  { text: 'action.take', draft: { name: 'money', action: 'remove' } },
  { text: 'action.giveItem', draft: { name: 'items', action: 'add' } },
  { text: 'action.takeItem', draft: { name: 'items', action: 'remove' } },
  { text: 'action.message', draft: { name: 'message' } },
];
const OTHERS: readonly Item[] = [
  { text: 'action.storeVehicle', draft: { name: 'vehicles', action: 'store' } },
  { text: 'action.job', draft: { name: 'job' } },
  { text: 'action.revive', draft: { name: 'revive' } },
  { text: 'action.heal', draft: { name: 'heal' } },
  { text: 'action.freeze', draft: { name: 'freeze', frozen: true } },
  { text: 'action.unfreeze', draft: { name: 'freeze', frozen: false } },
  { text: 'action.teleport', draft: { name: 'teleport' } },
];

type Props = { player: PlayerSummary; offers: Offers };

/** The commands of a menu that the server of the player offers. */
export const OrderItems = ({ items, player, offers }: Props & { items: readonly Item[] }) => {
  const { t } = useTexts();
  const { serverId, identifier } = player;
  return items
    .filter(({ draft }) => offers.isOffered(serverId, draft.name))
    .map(({ text, draft }) => (
      <MenuItem
        key={text}
        whyNot={offers.whyNot(player, draft.name)}
        onClick={() => openOrder({ serverId, identifier, draft })}
      >
        {t(text)}
      </MenuItem>
    ));
};

/** The rest of what can be done for a player. */
export const MoreItems = ({
  player,
  offers,
  isInList = false,
  onAsk,
}: Props & { isInList?: boolean; onAsk?: () => void }) => {
  const { t } = useTexts();
  const may = useMay();
  const navigate = useNavigate();
  const { serverId, identifier } = player;
  return (
    <>
      <OrderItems items={isInList ? [...OF_ROW, ...OTHERS] : OTHERS} player={player} offers={offers} />
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
