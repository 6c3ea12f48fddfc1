import { Badge } from '@mantine/core';
import type { Player } from '../api.ts';
import { useTexts } from '../i18n.ts';
import { Copy } from './copy.tsx';
import { Freshness } from './freshness.tsx';
import { Foreign } from './text.tsx';
import { Ago } from './time.tsx';

/** The player's identity, first and last time seen, and the age of the data. */
export const Identity = ({ player }: { player: Player }) => {
  const { t, rich } = useTexts();
  const { serverId, identifier } = player;
  return (
    <section className="card">
      <div className="row between">
        <span className="row">
          <Badge color={player.online ? 'green' : 'gray'} variant="light">
            {t(player.online ? 'state.online' : 'state.offline')}
          </Badge>
          <strong>{serverId}</strong>
        </span>
        <Freshness player={player} />
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
