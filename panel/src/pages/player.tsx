import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { type Command, isCode, type Player } from '../api.ts';
import { lastFilters } from '../filters.ts';
import { useTexts } from '../i18n.ts';
import { OrderDialog } from '../orders/dialog.tsx';
import { type OrderDraft, opposite } from '../orders/draft.ts';
import { Accounts } from '../parts/accounts.tsx';
import { CommandList } from '../parts/command-list.tsx';
import { Identity } from '../parts/identity.tsx';
import { Inventory } from '../parts/inventory.tsx';

import { Page } from '../parts/page.tsx';
import { PlayerActions, useCanUndo } from '../parts/player-actions.tsx';
import { Empty, Loaded } from '../parts/state.tsx';
import { isolated } from '../parts/text.tsx';
import { Values } from '../parts/values.tsx';
import { Vehicles } from '../parts/vehicles.tsx';
import { useCommands, usePlayer } from '../queries.ts';
import { useMay } from '../session.ts';

const route = getRouteApi('/players/$serverId/$identifier');

const History = ({ player, onUndo }: { player: Player; onUndo: (command: Command) => void }) => {
  const { t } = useTexts();
  const canUndo = useCanUndo(player);
  const filters = { target: player.identifier, serverId: player.serverId };
  const commands = useCommands(filters);
  return (
    <section className="card whole stack">
      <div className="row between">
        <h2>{t('player.history')}</h2>
        <Link to="/journal" search={filters} className="small">
          {t('player.wholeHistory')}
        </Link>
      </div>
      <CommandList
        query={commands}
        filters={filters}
        empty={t('player.noHistory')}
        isOfPlayer
        onUndo={onUndo}
        canUndo={canUndo}
      />
    </section>
  );
};

/** All data about one player, and the actions for the player. */
export const PlayerPage = () => {
  const texts = useTexts();
  const { t } = texts;
  const may = useMay();
  const { serverId, identifier } = route.useParams();
  const query = usePlayer(serverId, identifier);
  const [dialog, setDialog] = useState<{ draft: OrderDraft; number: number }>();
  const open = (draft: OrderDraft): void => setDialog((old) => ({ draft, number: (old?.number ?? 0) + 1 }));
  const player = query.data;
  const undo = (command: Command): void => {
    const draft = player && opposite(texts, command, player);
    if (draft !== undefined) open(draft);
  };
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
      actions={player === undefined ? null : <PlayerActions player={player} onChoose={open} />}
    >
      <Loaded query={query} lines={8}>
        {(known) => (
          <div className="grid">
            <Identity player={known} />
            <Accounts player={known} />
            <Inventory items={known.inventory} />
            <Vehicles vehicles={known.vehicles} />
            {Object.keys(known.metadata).length === 0 ? null : (
              <section className="card whole">
                <h2>{t('player.metadata')}</h2>
                <Values of={known.metadata} />
              </section>
            )}
            {may('commands:read') ? <History player={known} onUndo={undo} /> : null}
          </div>
        )}
      </Loaded>
      {dialog === undefined || player === undefined ? null : (
        <OrderDialog key={dialog.number} player={player} draft={dialog.draft} onClose={() => setDialog(undefined)} />
      )}
    </Page>
  );
};
