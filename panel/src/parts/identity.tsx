import { Badge, Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Player } from '../api.ts';
import { useTexts } from '../i18n.ts';
import { readPlayer } from '../queries.ts';
import { Copy } from './copy.tsx';
import { Foreign } from './text.tsx';
import { Ago } from './time.tsx';

/** Who a player is, since when, and how fresh this is. */
export const Identity = ({ player }: { player: Player }) => {
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
