import { getRouteApi, Link } from '@tanstack/react-router';
import { isCode } from '../api.ts';
import { lastFilters } from '../filters.ts';
import { useTexts } from '../i18n.ts';
import { Page } from '../parts/page.tsx';
import { Empty, Loaded } from '../parts/state.tsx';
import { isolated } from '../parts/text.tsx';
import { About, AlsoKnown, Identifiers } from '../players/about.tsx';
import { History } from '../players/history.tsx';
import { Accounts, Inventory, Vehicles } from '../players/inventory.tsx';
import { PlayerActions, PlayerLine } from '../players/player-head.tsx';
import { usePlayer } from '../queries.ts';
import { useMay } from '../session.ts';

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
