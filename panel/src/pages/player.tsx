import { getRouteApi, Link } from '@tanstack/react-router';
import { isCode, type Player } from '../api.ts';
import { nameOfKind, newDraft } from '../commands/kinds.ts';
import { lastFilters } from '../filters.ts';
import { useTexts } from '../i18n.ts';
import { openOrder } from '../open-order.ts';
import { Explained } from '../parts/controls.tsx';
import { CopyShort } from '../parts/copy.tsx';
import { Icon } from '../parts/icon.tsx';
import { Menu } from '../parts/menu.tsx';
import { Page } from '../parts/page.tsx';
import { ServerName } from '../parts/server-state.tsx';
import { Empty, Loaded } from '../parts/state.tsx';
import { Foreign, isolated, plain, shortId } from '../parts/text.tsx';
import { Ago } from '../parts/time.tsx';
import { type Pair, Pairs, textOf } from '../parts/values.tsx';
import { Accounts, Inventory, Vehicles } from '../players/belongings.tsx';
import { History } from '../players/history.tsx';
import { GIVE, MoreItems, OrderItems, TAKE } from '../players/more-items.tsx';
import { useOffers } from '../players/offers.ts';
import { jobText, playedText } from '../players/row.tsx';
import { usePlayer, useRefresh } from '../queries.ts';
import { useMay } from '../session.ts';

/** The line below a player's name: state, server, job and short identifier. */
const PlayerLine = ({ player }: { player: Player }) => {
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

const PlayerActions = ({ player }: { player: Player }) => {
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

const MAX_SHOWN = 64;
/** Whether a field of the metadata stands elsewhere: in the head, or in a row of its own. */
const isShown = (name: string, { job, group, playedMinutes }: Player): boolean => {
  if (name === 'job' || name === 'jobLabel' || name === 'jobGrade') return job !== null;
  return (name === 'group' && group !== null) || (name === 'playedMinutes' && playedMinutes !== null);
};

/** A name of the game in words: `dateOfBirth` is *Date of birth*. */
const worded = (name: string): string => {
  const words = name.replaceAll(
    /([a-z\d])([A-Z])/g,
    (_, end: string, start: string) => `${end} ${start.toLowerCase()}`,
  );
  const text = words.replaceAll('_', ' ').trim();
  return text.charAt(0).toUpperCase() + text.slice(1);
};

/** Further facts about the player; the raw names of the game are in the titles. */
const About = ({ player }: { player: Player }) => {
  const { t, texts } = useTexts();
  const { group, playedMinutes, online, firstSeenAt, lastSeenAt, syncedAt, metadata } = player;
  const rows: Pair[] = [
    [t('player.firstSeen'), <Ago key="first" iso={firstSeenAt} />],
    [t('player.lastSeen'), online ? null : <Ago key="last" iso={lastSeenAt} />],
    [t('player.updated'), <Ago key="updated" iso={syncedAt} />],
  ];
  if (playedMinutes !== null) rows.unshift([t('players.column.played'), playedText(texts, player), 'playedMinutes']);
  if (group !== null) rows.unshift([t('players.column.group'), <Foreign key="group">{group}</Foreign>, 'group']);
  for (const [name, value] of Object.entries(metadata).slice(0, MAX_SHOWN)) {
    if (isShown(name, player)) continue;
    rows.push([worded(plain(name)), <Foreign key={name}>{textOf(value)}</Foreign>, name]);
  }
  return (
    <section className="section about">
      <h2>{t('player.about')}</h2>
      <Pairs of={rows} />
    </section>
  );
};

const Identifiers = ({ player: { identifier, identifiers } }: { player: Player }) => {
  const { t } = useTexts();
  return (
    <section className="section identifiers">
      <h2>{t('player.identifiers')}</h2>
      <ul className="plain">
        {[identifier, ...identifiers.filter((each) => each !== identifier)].map((each) => (
          <li key={each}>
            <CopyShort text={each} />
          </li>
        ))}
      </ul>
    </section>
  );
};

/** Other players of the same person. */
const AlsoKnown = ({ player: { identifier, name, alsoOn, alsoKnown } }: { player: Player }) => {
  const { t } = useTexts();
  if (alsoOn.length + alsoKnown.length === 0) return null;
  const others = [...alsoOn.map((serverId) => ({ serverId, identifier, name })), ...alsoKnown];
  return (
    <section className="section">
      <h2>{t('player.alsoKnown')}</h2>
      <ul className="plain">
        {others.map((other) => (
          <li key={`${other.serverId} ${other.identifier}`} className="row between tight">
            <Link
              to="/players/$serverId/$identifier"
              params={{ serverId: other.serverId, identifier: other.identifier }}
              title={plain(other.identifier)}
            >
              <Foreign>{other.name}</Foreign>
            </Link>
            <span className="dim">
              <Foreign>{other.serverId}</Foreign>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
};

const route = getRouteApi('/players/$serverId/$identifier');

export const PlayerPage = () => {
  const { t } = useTexts();
  const may = useMay();
  const { serverId, identifier } = route.useParams();
  const query = usePlayer(serverId, identifier);
  const player = query.data;
  if (player === undefined && isCode(query.error, 'player_not_found')) {
    return (
      <Page title={t('nav.players')}>
        <Empty title={t('player.unknown', { identifier: isolated(identifier), server: serverId })}>
          <Link to="/players" search={lastFilters('/players')}>
            {t('players.back')}
          </Link>
        </Empty>
      </Page>
    );
  }
  return (
    <Page
      title={player?.name ?? t('nav.players')}
      line={player === undefined ? undefined : <PlayerLine player={player} />}
      actions={player === undefined ? null : <PlayerActions player={player} />}
    >
      <Loaded query={query} lines={8}>
        {(known) => (
          <div className="two-columns">
            <div>
              <Accounts player={known} />
              <About player={known} />
              <Identifiers player={known} />
              <AlsoKnown player={known} />
            </div>
            <div>
              {may('commands:read') ? <History player={known} /> : null}
              <Inventory items={known.inventory} />
              <Vehicles vehicles={known.vehicles} />
            </div>
          </div>
        )}
      </Loaded>
    </Page>
  );
};
