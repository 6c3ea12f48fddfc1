import { Link } from '@tanstack/react-router';
import type { Server } from '../api.ts';
import { useTexts } from '../i18n.ts';
import { ServerState, softwareOf, statesOf } from '../parts/server-state.tsx';
import type { Column } from '../parts/table.tsx';
import { Foreign } from '../parts/text.tsx';
import { Ago } from '../parts/time.tsx';
import { useMay } from '../session.ts';

const WIDTH = 160;
const HEIGHT = 24;
const EDGE = 2;

/** A small line of values over time, with gaps where nothing is known. */
const Spark = ({ values, label }: { values: readonly (number | null)[]; label: string }) => {
  const most = Math.max(1, ...values.map((value) => value ?? 0));
  const step = WIDTH / Math.max(1, values.length - 1);
  let isOpen = false;
  const path = values.map((value, at) => {
    if (value === null) {
      isOpen = false;
      return '';
    }
    const kind = isOpen ? 'L' : 'M';
    isOpen = true;
    return `${kind}${(at * step).toFixed(1)} ${(HEIGHT - EDGE - (value / most) * (HEIGHT - 2 * EDGE)).toFixed(1)}`;
  });
  return (
    <svg className="spark" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
      <path d={path.join('')} />
    </svg>
  );
};

/** The columns of game servers. With `online`, the players of each over a range, they are those of the overview. */
export const useServerColumns = (online?: ReadonlyMap<string, readonly (number | null)[]>): Column<Server>[] => {
  const { t, rich, number } = useTexts();
  const may = useMay();
  const playersOf = ({ bridge, connected, serverId }: Server) => {
    const players = connected ? bridge?.players : undefined;
    if (players === undefined) return null;
    const { online, max } = players;
    const says = max === undefined ? number(online) : `${number(online)} / ${number(max)}`;
    return may('players:read') ? (
      <Link to="/players" search={{ serverId, online: 'true' }}>
        {says}
      </Link>
    ) : (
      says
    );
  };
  const ms = (value: number | undefined): string | null =>
    value === undefined
      ? null
      : t('server.ms', { ms: number(value < 100 ? Math.round(value * 10) / 10 : Math.round(value)) });
  const columns: (Column<Server> & { is?: 'whole' | 'overview' })[] = [
    {
      head: t('common.name'),
      className: 'name',
      cell: ({ serverId, name }) => (
        <Link to="/servers/$serverId" params={{ serverId }} search={{}} title={serverId}>
          <Foreign>{name}</Foreign>
        </Link>
      ),
    },
    {
      is: 'whole',
      head: t('servers.shortId'),
      width: 144,
      className: 'from-1600',
      cell: ({ serverId }) => <code>{serverId}</code>,
    },
    {
      head: t('table.state'),
      width: 160,
      cell: (server) => (statesOf(server).length === 0 ? null : <ServerState server={server} />),
    },
    { head: t('nav.players'), width: 120, className: 'number', cell: playersOf },
    {
      is: 'overview',
      head: t('dashboard.online'),
      width: 184,
      className: 'from-1024 line',
      cell: ({ serverId }) => {
        const values = online?.get(serverId);
        return values === undefined ? null : <Spark values={values} label={t('dashboard.online')} />;
      },
    },
    {
      is: 'whole',
      head: t('servers.runs'),
      width: 224,
      className: 'from-1024',
      cell: (server) => softwareOf(server) && <span title={softwareOf(server)}>{softwareOf(server)}</span>,
    },
    { head: t('server.tick'), width: 80, className: 'number from-768', cell: ({ bridge }) => ms(bridge?.tickMs) },
    { head: t('server.ping'), width: 80, className: 'number from-1024', cell: ({ bridge }) => ms(bridge?.pingMs) },
    {
      head: t('server.databaseShort'),
      width: 128,
      className: 'from-768',
      cell: ({ bridge }) => {
        const { engine, status, latencyMs } = bridge?.database ?? {};
        if (status === 'warn' || status === 'fail')
          return <span className={status === 'fail' ? 'bad' : 'wait'}>{t(`server.database.${status}`)}</span>;
        return engine === undefined ? null : (
          <>
            <Foreign>{engine}</Foreign> <span className="dim">{ms(latencyMs)}</span>
          </>
        );
      },
    },
    {
      is: 'whole',
      head: t('servers.seen'),
      width: 176,
      className: 'from-1600',
      cell: ({ connected, bridge, lastConnectedAt }) => {
        if (connected && bridge !== null)
          return rich('servers.since', { time: <Ago key="time" iso={bridge.connectedAt} /> });
        return lastConnectedAt === null
          ? null
          : rich('servers.lastSeen', { time: <Ago key="time" iso={lastConnectedAt} /> });
      },
    },
  ];
  return columns.filter(({ is }) => is !== (online === undefined ? 'overview' : 'whole'));
};
