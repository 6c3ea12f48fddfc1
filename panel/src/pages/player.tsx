import { Badge, Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Command, Player } from '../api.ts';
import { useTexts } from '../i18n.ts';
import { Accounts } from '../parts/accounts.tsx';
import { CommandList } from '../parts/command-list.tsx';
import { Copy } from '../parts/copy.tsx';
import { Inventory } from '../parts/inventory.tsx';
import { OrderDialog, type OrderDraft } from '../parts/order-dialog.tsx';
import { Page } from '../parts/page.tsx';
import { Loaded } from '../parts/state.tsx';
import { Foreign } from '../parts/text.tsx';
import { Ago } from '../parts/time.tsx';
import { Vehicles } from '../parts/vehicles.tsx';
import { readPlayer, useCommands, usePlayer } from '../queries.ts';
import { useMay } from '../session.ts';

const route = getRouteApi('/players/$serverId/$identifier');

const opposite = ({ id, params, result }: Command): OrderDraft => ({
  kind: params['action'] === 'add' ? 'remove' : 'add',
  account: String(result?.['account'] ?? params['type']),
  amount: String(params['amount']),
  reason: `↶ ${id}`,
});

const Actions = ({ player, onChoose }: { player: Player; onChoose: (draft: OrderDraft) => void }) => {
  const { t } = useTexts();
  const may = useMay();
  return (
    <div className="row">
      {may('commands:money') ? (
        <>
          <Button onClick={() => onChoose({ kind: 'add' })}>{t('action.give')}</Button>
          <Button variant="default" onClick={() => onChoose({ kind: 'remove' })}>
            {t('action.take')}
          </Button>
        </>
      ) : null}
      {may('commands:kick') ? (
        <Button color="red" disabled={!player.online} onClick={() => onChoose({ kind: 'kick' })}>
          {t('action.kick')}
        </Button>
      ) : null}
      {may('commands:custom') && may('servers:read') ? (
        <Link to="/servers/$serverId" params={{ serverId: player.serverId }} search={{ target: player.identifier }}>
          {t('action.more')}
        </Link>
      ) : null}
    </div>
  );
};

const Identity = ({ player }: { player: Player }) => {
  const { t, rich } = useTexts();
  const client = useQueryClient();
  const { serverId, identifier } = player;
  const refresh = useMutation({
    mutationFn: () => readPlayer(serverId, identifier, true),
    onSuccess: (fresh) => client.setQueryData(['player', serverId, identifier], fresh),
  });
  return (
    <section className="card">
      <div className="row between">
        <span className="row">
          <Badge color={player.online ? 'green' : 'gray'} variant="light">
            {t(player.online ? 'state.online' : 'state.offline')}
          </Badge>
          <strong>{serverId}</strong>
        </span>
        <span className="row">
          <span className="dim small">{rich('player.synced', { time: <Ago key="time" iso={player.syncedAt} /> })}</span>
          <Button size="compact-xs" variant="default" loading={refresh.isPending} onClick={() => refresh.mutate()}>
            {t('player.refresh')}
          </Button>
        </span>
      </div>
      <p className="dim small">
        {rich('player.lastSeen', { time: <Ago key="time" iso={player.lastSeenAt} /> })} ·{' '}
        {rich('player.firstSeen', { time: <Ago key="time" iso={player.firstSeenAt} /> })}
        {player.alsoOn.length === 0 ? null : ` · ${t('player.alsoOn', { servers: player.alsoOn.join(', ') })}`}
      </p>
      <h2>{t('player.identifiers')}</h2>
      <ul className="plain">
        {[identifier, ...player.identifiers.filter((each) => each !== identifier)].map((each) => (
          <li key={each} className="row between tight">
            <code>
              <Foreign>{each}</Foreign>
            </code>
            <Copy text={each} />
          </li>
        ))}
      </ul>
    </section>
  );
};

const History = ({ player }: { player: Player }) => {
  const { t } = useTexts();
  const commands = useCommands({ target: player.identifier, serverId: player.serverId });
  return (
    <section className="card whole">
      <h2>{t('player.history')}</h2>
      <CommandList query={commands} empty={t('player.noHistory')} isOfPlayer />
    </section>
  );
};

/** Everything about one player, and what may be done. */
export const PlayerPage = () => {
  const { t } = useTexts();
  const may = useMay();
  const { serverId, identifier } = route.useParams();
  const query = usePlayer(serverId, identifier);
  const [dialog, setDialog] = useState<{ draft: OrderDraft; number: number }>();
  const open = (draft: OrderDraft): void => setDialog((old) => ({ draft, number: (old?.number ?? 0) + 1 }));
  const player = query.data;
  return (
    <Page
      title={player?.name ?? t('nav.players')}
      actions={player === undefined ? null : <Actions player={player} onChoose={open} />}
    >
      <Loaded query={query} lines={8}>
        {(known) => (
          <div className="grid">
            <Identity player={known} />
            <Accounts player={known} />
            <Inventory items={known.inventory} />
            <Vehicles vehicles={known.vehicles} />
            {may('commands:read') ? <History player={known} /> : null}
          </div>
        )}
      </Loaded>
      {dialog === undefined || player === undefined ? null : (
        <OrderDialog
          key={dialog.number}
          player={player}
          draft={dialog.draft}
          onClose={() => setDialog(undefined)}
          onUndo={(command) => open(opposite(command))}
        />
      )}
    </Page>
  );
};
