import { useQuery } from '@tanstack/react-query';
import { hub, type Player } from '../api.ts';
import { useTexts } from '../i18n.ts';
import { Loading } from '../parts/state.tsx';
import { Foreign } from '../parts/text.tsx';
import { Ago } from '../parts/time.tsx';
import { playerQuery } from '../queries.ts';
import { useMay } from '../session.ts';

const SHORT = 20;
const LINKED = 4;
const NAMESAKES = 50;

/** The ends of a long identifier, which tell it from others. */
const shortOf = (identifier: string): string =>
  identifier.length <= SHORT ? identifier : `${identifier.slice(0, 10)}…${identifier.slice(-8)}`;

/** Counts the players of the server who have this name, as far as they are found. */
const useNamesakes = ({ name, serverId }: { name: string | undefined; serverId: string }): number => {
  const search = [...(name ?? '')].slice(0, 64).join('');
  const query = useQuery({
    queryKey: ['namesakes', serverId, search],
    queryFn: () => hub.request('get', '/api/v2/players', { query: { serverId, search, limit: NAMESAKES } }),
    enabled: search.trim() !== '',
  });
  return (query.data?.data ?? []).filter((each) => each.name === name).length;
};

const Facts = ({ player }: { player: Player }) => {
  const { t, rich, count } = useTexts();
  const { name, identifier, identifiers, online, lastSeenAt, firstSeenAt, serverId, job } = player;
  const namesakes = useNamesakes({ name, serverId });
  const linked = identifiers.filter((each) => each !== identifier).slice(0, LINKED);
  return (
    <>
      <div className="row">
        <strong>
          <Foreign>{name}</Foreign>
        </strong>
        <code title={identifier}>
          <Foreign>{shortOf(identifier)}</Foreign>
        </code>
        <span className={online ? 'state good' : 'state dim'}>{t(online ? 'state.online' : 'state.offline')}</span>
      </div>
      <p className="dim small">
        {online ? null : <>{rich('shops.lastSeen', { time: <Ago key="time" iso={lastSeenAt} /> })} · </>}
        {rich('shops.firstSeen', { time: <Ago key="time" iso={firstSeenAt} /> })}
        {job === null ? null : (
          <>
            {' · '}
            <Foreign>{job.label}</Foreign>
          </>
        )}
        {linked.map((each) => (
          <span key={each} title={each}>
            {' · '}
            <Foreign>{shortOf(each)}</Foreign>
          </span>
        ))}
      </p>
      {namesakes > 1 ? (
        <p className="small" role="note">
          {count('shops.namesakes', namesakes)}
        </p>
      ) : null}
    </>
  );
};

/** The player, if the hub knows them and the key may see them. */
export const useRecipient = (serverId: string, target: string) => {
  const may = useMay();
  return useQuery({ ...playerQuery(serverId, target), enabled: may('players:read'), retry: false });
};

/** Who gets something: the name, and what tells people of one name apart. */
export const Recipient = ({ serverId, target }: { serverId: string; target: string }) => {
  const { t } = useTexts();
  const may = useMay();
  const { data: player, isPending } = useRecipient(serverId, target);
  if (player !== undefined) return <Facts player={player} />;
  if (may('players:read') && isPending) return <Loading lines={2} />;
  return (
    <>
      <code>
        <Foreign>{target}</Foreign>
      </code>
      {may('players:read') ? <p className="small">{t('shops.unknownPlayer')}</p> : null}
    </>
  );
};
