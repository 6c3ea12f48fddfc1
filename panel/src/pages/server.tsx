import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { Schemas, Server } from '../api.ts';
import { CUSTOM, newDraft } from '../commands/kinds.ts';
import { isAnnounced } from '../commands.tsx';
import { playerParamOf } from '../fields.ts';
import { useTexts } from '../i18n.ts';
import { openOrder } from '../open-order.ts';
import { Button } from '../parts/controls.tsx';
import { Page } from '../parts/page.tsx';
import { ServerState, softwareOf } from '../parts/server-state.tsx';
import { Empty, Loaded } from '../parts/state.tsx';
import { Foreign, plain } from '../parts/text.tsx';
import { Ago } from '../parts/time.tsx';
import { Pairs } from '../parts/values.tsx';
import { playerQuery, useCustomCommands, useServers } from '../queries.ts';
import { useMay } from '../session.ts';

const route = getRouteApi('/servers/$serverId');

const For = ({ serverId, target }: { serverId: string; target: string }) => {
  const { rich } = useTexts();
  const { data } = useQuery({ ...playerQuery(serverId, target), enabled: useMay()('players:read') });
  return (
    <p title={plain(target)}>
      {rich('custom.for', { target: <Foreign key="target">{data?.name ?? target}</Foreign> })}
    </p>
  );
};

const CustomCommands = ({ server, target }: { server: Server; target: string | undefined }) => {
  const { t } = useTexts();
  const { serverId } = server;
  const names = server.bridge?.customCommands ?? [];
  const query = useCustomCommands(server);
  const open = (custom: Schemas['Action']): void => {
    const typed = target === undefined ? {} : { [playerParamOf(custom)]: target };
    openOrder({ serverId, draft: { name: CUSTOM + custom.name, given: {}, typed }, custom });
  };
  return (
    <section className="card stack">
      <h2>{t('custom.title')}</h2>
      {target === undefined ? null : <For serverId={serverId} target={target} />}
      {names.length === 0 ? (
        <p className="dim">{t('custom.none')}</p>
      ) : (
        <Loaded query={query}>
          {(commands) => (
            <ul className="plain">
              {commands.map((command) => (
                <li key={command.name} className="row between custom">
                  <span className="who">
                    <span>
                      <Foreign isStrong>{command.name}</Foreign> <span className="dim small">{t('custom.from')}</span>
                    </span>
                    <span className="dim small">
                      <Foreign>{command.description}</Foreign>
                    </span>
                  </span>
                  <Button
                    isSmall
                    aria-label={t('custom.runNamed', { name: command.name })}
                    onClick={() => open(command)}
                  >
                    {t('custom.run')}
                  </Button>
                </li>
              ))}
            </ul>
          )}
        </Loaded>
      )}
    </section>
  );
};

const Facts = ({ server }: { server: Server }) => {
  const { t, number } = useTexts();
  const { serverId, bridge, connected } = server;
  const id = [t('servers.shortId'), <code key="id">{serverId}</code>] as const;
  if (bridge === null || !connected) return <Pairs of={[id]} />;
  const { players, tickMs, pingMs, database, accounts } = bridge;
  const ms = (value: number | undefined): string | null =>
    value === undefined ? null : t('server.ms', { ms: number(Math.round(value)) });
  const databaseIn = (status: string): string | undefined =>
    status === 'warn' || status === 'fail' ? t(`server.database.${status}`) : undefined;
  return (
    <Pairs
      of={[
        id,
        [t('servers.runs'), softwareOf(server)],
        [
          t('nav.players'),
          players === undefined ? null : (
            <Link key="players" to="/players" search={{ serverId, online: 'true' }}>
              {t('server.online', { count: number(players.online) })}
            </Link>
          ),
        ],
        [t('server.tick'), ms(tickMs)],
        [t('server.ping'), ms(pingMs)],
        [
          t('server.databaseShort'),
          database === undefined
            ? null
            : plain(
                [database.engine, databaseIn(database.status) ?? ms(database.latencyMs)].filter(Boolean).join(', '),
              ),
        ],
        [t('player.accounts'), plain(accounts.join(', '))],
      ]}
    />
  );
};

const State = ({ server }: { server: Server }) => {
  const { t, rich } = useTexts();
  const may = useMay();
  const { bridge, connected, lastConnectedAt, serverId } = server;
  return (
    <section className="card stack">
      <ServerState server={server} />
      <p className="dim">
        {bridge !== null && connected
          ? rich('servers.since', { time: <Ago key="time" iso={bridge.connectedAt} /> })
          : lastConnectedAt === null
            ? t('servers.neverHint')
            : rich('servers.lastSeen', { time: <Ago key="time" iso={lastConnectedAt} /> })}
      </p>
      <Facts server={server} />
      {may('commands:announce') && isAnnounced(server, 'announce') ? (
        <div>
          <Button onClick={() => openOrder({ serverId, draft: newDraft('announce') })}>{t('action.announce')}</Button>
        </div>
      ) : null}
    </section>
  );
};

export const ServerPage = () => {
  const { t } = useTexts();
  const may = useMay();
  const { serverId } = route.useParams();
  const { target } = route.useSearch();
  const query = useServers();
  const server = query.data?.find((each) => each.serverId === serverId);
  return (
    <Page title={server?.name ?? serverId} actions={<Link to="/servers">{t('servers.back')}</Link>}>
      <Loaded query={query}>
        {() =>
          server === undefined ? (
            <Empty title={t('common.notFound')} />
          ) : (
            <>
              <State server={server} />
              {may('commands:custom') && server.connected ? <CustomCommands server={server} target={target} /> : null}
            </>
          )
        }
      </Loaded>
    </Page>
  );
};
