import type { Player } from '../api.ts';
import { nameOfKind, newDraft } from '../commands/kinds.ts';
import { useTexts } from '../i18n.ts';
import { openOrder } from '../open-order.ts';
import { Explained } from '../parts/controls.tsx';
import { CopyShort } from '../parts/copy.tsx';
import { Icon } from '../parts/icon.tsx';
import { Menu } from '../parts/menu.tsx';
import { ServerName } from '../parts/server-state.tsx';
import { Foreign } from '../parts/text.tsx';
import { shortId } from '../parts/who.tsx';
import { useRefresh } from '../queries.ts';
import { GIVE, MoreItems, OrderItems, TAKE } from './more-items.tsx';
import { useOffers } from './offers.ts';
import { jobText } from './row.tsx';

/** Who and where the player is, in one line. */
export const PlayerLine = ({ player }: { player: Player }) => {
  const { t } = useTexts();
  const { serverId, identifier, online, gameId } = player;
  const parts = [
    <span key="online">
      <span className={online ? 'dot on' : 'dot'} aria-hidden="true" /> {t(online ? 'state.online' : 'state.offline')}
    </span>,
    <ServerName key="server" id={serverId} />,
    ...(online && gameId !== null ? [<span key="number">#{gameId}</span>] : []),
    ...(jobText(player) === '' ? [] : [<Foreign key="job">{jobText(player)}</Foreign>]),
    <CopyShort key="id" text={identifier} short={shortId(identifier)} />,
  ];
  return (
    <p className="dim head-line">
      {parts.map((part, at) => (
        <span key={part.key}>
          {at === 0 ? null : <span aria-hidden="true"> · </span>}
          {part}
        </span>
      ))}
    </p>
  );
};

export const PlayerActions = ({ player }: { player: Player }) => {
  const { t } = useTexts();
  const offers = useOffers();
  const { serverId, identifier } = player;
  const refresh = useRefresh(player);
  const menu = (kinds: typeof GIVE | typeof TAKE, name: string, className: string) =>
    kinds.some((kind) => offers.isOffered(serverId, nameOfKind(kind))) ? (
      <Menu
        className={className}
        name={name}
        label={
          <>
            {name}
            <Icon name="down" />
          </>
        }
      >
        {() => <OrderItems kinds={kinds} isShort player={player} offers={offers} />}
      </Menu>
    ) : null;
  const single = (name: 'message' | 'kick') =>
    offers.isOffered(serverId, name) ? (
      <Explained
        whyNot={offers.whyNot(player, name)}
        onClick={() => openOrder({ serverId, identifier, draft: newDraft(name) })}
      >
        {t(name === 'kick' ? 'action.kick' : 'command.message')}
      </Explained>
    ) : null;
  return (
    <>
      {menu(GIVE, t('player.give'), 'button primary')}
      {menu(TAKE, t('player.take'), 'button')}
      {single('message')}
      {single('kick')}
      <Menu className="button only" name={t('action.others')} label={<Icon name="more" />}>
        {() => <MoreItems player={player} offers={offers} onAsk={() => refresh.mutate()} />}
      </Menu>
    </>
  );
};
