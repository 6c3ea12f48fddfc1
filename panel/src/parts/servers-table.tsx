import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Server } from '../api.ts';
import { useTexts } from '../i18n.ts';
import type { Statistics } from '../statistics.ts';
import { ServerState, statesOf } from './server-state.tsx';
import { Spark } from './spark.tsx';
import { Foreign } from './text.tsx';

/** The number of normal servers in the table until the user asks for all. */
const FIRST = 10;

const isNormal = (server: Server): boolean =>
  statesOf(server).length === 0 && !['warn', 'fail'].includes(server.bridge?.database?.status ?? '');

const Milliseconds = ({ value }: { value: number | undefined }) => {
  const { t, number } = useTexts();
  return value === undefined ? null : t('server.ms', { ms: number(Math.round(value * 10) / 10) });
};

const Database = ({ server: { bridge } }: { server: Server }) => {
  const { t } = useTexts();
  const { status, latencyMs } = bridge?.database ?? {};
  if (status === 'warn' || status === 'fail') {
    return <span className={status === 'fail' ? 'bad' : 'wait'}>{t(`server.database.${status}`)}</span>;
  }
  return <Milliseconds value={latencyMs} />;
};

const Row = ({ server, values }: { server: Server; values: readonly (number | null)[] | undefined }) => {
  const { t, number } = useTexts();
  const { name, serverId, bridge, connected } = server;
  const { online = 0, max } = bridge?.players ?? {};
  return (
    <tr className="server">
      <td>
        <Link to="/servers/$serverId" params={{ serverId }} className="name">
          <Foreign>{name}</Foreign>
        </Link>
      </td>
      <td>
        <ServerState server={server} />
      </td>
      <td className="figure">
        {bridge?.players === undefined ? null : (
          <Link to="/players" search={{ serverId, online: 'true' }}>
            {max === undefined ? number(online) : `${number(online)} / ${number(max)}`}
          </Link>
        )}
      </td>
      <td className="line">{values === undefined ? null : <Spark values={values} label={t('dashboard.online')} />}</td>
      <td className="figure detail">{connected ? <Milliseconds value={bridge?.tickMs} /> : null}</td>
      <td className="figure detail">{connected ? <Milliseconds value={bridge?.pingMs} /> : null}</td>
      <td className="figure detail">{connected ? <Database server={server} /> : null}</td>
    </tr>
  );
};

/** The servers, those that are not normal first. */
export const ServersTable = ({
  servers,
  statistics,
}: {
  servers: readonly Server[];
  statistics: Statistics | undefined;
}) => {
  const { t, number } = useTexts();
  const [isWhole, setWhole] = useState(false);
  const normal = servers.filter(isNormal);
  const shown = [...servers.filter((server) => !isNormal(server)), ...(isWhole ? normal : normal.slice(0, FIRST))];
  const series = new Map(statistics?.servers?.map(({ serverId, online }) => [serverId, online]));
  return (
    <section aria-label={t('dashboard.servers')}>
      <table className="table servers-table">
        <thead>
          <tr>
            <th>{t('common.server')}</th>
            <th>
              <span className="unseen">{t('journal.state')}</span>
            </th>
            <th className="figure">{t('nav.players')}</th>
            <th className="line">
              <span className="unseen">{t('dashboard.online')}</span>
            </th>
            <th className="figure detail">{t('server.tick')}</th>
            <th className="figure detail">{t('server.ping')}</th>
            <th className="figure detail">{t('server.databaseShort')}</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((server) => (
            <Row key={server.serverId} server={server} values={series.get(server.serverId)} />
          ))}
        </tbody>
      </table>
      {shown.length < servers.length ? (
        <button type="button" className="number" onClick={() => setWhole(true)}>
          {t('dashboard.allServers', { count: number(servers.length) })}
        </button>
      ) : null}
    </section>
  );
};
