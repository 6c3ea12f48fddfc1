import { Badge, Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { type Command, isCode, type Player } from '../api.ts';
import { type Texts, useTexts } from '../i18n.ts';
import { Accounts } from '../parts/accounts.tsx';
import { CommandList } from '../parts/command-list.tsx';
import { Copy } from '../parts/copy.tsx';
import { Explained } from '../parts/explained.tsx';
import { Inventory } from '../parts/inventory.tsx';
import { OrderDialog, type OrderDraft } from '../parts/order-dialog.tsx';
import { Page } from '../parts/page.tsx';
import { Empty, Loaded } from '../parts/state.tsx';
import { Foreign, isolated } from '../parts/text.tsx';
import { Ago } from '../parts/time.tsx';
import { Values } from '../parts/values.tsx';
import { Vehicles } from '../parts/vehicles.tsx';
import { readPlayer, useCommands, usePlayer } from '../queries.ts';
import { useMay } from '../session.ts';

const route = getRouteApi('/players/$serverId/$identifier');

/** Of the reason that is undone, so that there is room for more. */
const MAX_QUOTED = 300;

const opposite = ({ t }: Texts, { params, result }: Command): OrderDraft => ({
  kind: params['action'] === 'add' ? 'remove' : 'add',
  account: String(result?.['account'] ?? params['type']),
  amount: String(params['amount']),
  reason: t('action.undoReason', { reason: [...String(params['reason'] ?? '')].slice(0, MAX_QUOTED).join('') }),
});

const Actions = ({ player, onChoose }: { player: Player; onChoose: (draft: OrderDraft) => void }) => {
  const { t } = useTexts();
  const may = useMay();
  const noMoney = Object.keys(player.accounts).length === 0 ? t('player.noAccounts') : undefined;
  const noKick = player.online ? undefined : t('code.player_offline');
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
        {player.online ? null : <>{rich('player.lastSeen', { time: <Ago key="time" iso={player.lastSeenAt} /> })} · </>}
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
      <div className="row between">
        <h2>{t('player.history')}</h2>
        <Link to="/journal" search={{ target: player.identifier, serverId: player.serverId }} className="small">
          {t('player.wholeHistory')}
        </Link>
      </div>
      <CommandList query={commands} empty={t('player.noHistory')} isOfPlayer />
    </section>
  );
};

/** Everything about one player, and what may be done. */
export const PlayerPage = () => {
  const texts = useTexts();
  const { t } = texts;
  const may = useMay();
  const { serverId, identifier } = route.useParams();
  const query = usePlayer(serverId, identifier);
  const [dialog, setDialog] = useState<{ draft: OrderDraft; number: number }>();
  const open = (draft: OrderDraft): void => setDialog((old) => ({ draft, number: (old?.number ?? 0) + 1 }));
  const player = query.data;
  if (player === undefined && isCode(query.error, 'player_not_found')) {
    return (
      <Page title={t('nav.players')}>
        <Empty title={t('player.unknown', { identifier: isolated(identifier), server: serverId })}>
          <Link to="/players">{t('players.back')}</Link>
        </Empty>
      </Page>
    );
  }
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
            {Object.keys(known.metadata).length === 0 ? null : (
              <section className="card whole">
                <h2>{t('player.metadata')}</h2>
                <Values of={known.metadata} />
              </section>
            )}
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
          onUndo={(command) => open(opposite(texts, command))}
        />
      )}
    </Page>
  );
};
