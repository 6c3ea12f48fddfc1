import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { hub, type Server } from '../api.ts';
import { useTexts } from '../i18n.ts';
import { MenuItem } from '../parts/menu.tsx';
import { ServerState, softwareOf } from '../parts/server-state.tsx';
import { Failed } from '../parts/state.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Foreign, isolated } from '../parts/text.tsx';
import { Ago } from '../parts/time.tsx';
import { useMay } from '../session.ts';

/** A change of a server that waits for confirmation; a deletion counts the commands that it ends. */
export type ServerWish = { server: Server } & (
  | { is: 'rotate' | 'disable' }
  | { is: 'delete'; waiting: number; sent: number }
);

/** Disables or enables a server. */
export const setDisabled = (serverId: string, disabled: boolean): Promise<unknown> =>
  hub.request('patch', '/api/v2/servers/{serverId}', { path: { serverId }, body: { disabled } });

const useColumns = (): Column<Server>[] => {
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
    value === undefined ? null : t('server.ms', { ms: number(Math.round(value)) });
  return [
    {
      head: t('common.name'),
      className: 'name',
      cell: ({ serverId, name }) => (
        <Link to="/servers/$serverId" params={{ serverId }} search={{}} title={serverId}>
          <Foreign>{name}</Foreign>
        </Link>
      ),
    },
    { head: t('servers.shortId'), width: 144, className: 'from-1600', cell: ({ serverId }) => <code>{serverId}</code> },
    { head: t('table.state'), width: 176, cell: (server) => <ServerState server={server} /> },
    { head: t('nav.players'), width: 120, className: 'number', cell: playersOf },
    {
      head: t('servers.runs'),
      width: 224,
      className: 'from-1024',
      cell: (server) => <span title={softwareOf(server)}>{softwareOf(server)}</span>,
    },
    { head: t('server.tick'), width: 72, className: 'number from-768', cell: ({ bridge }) => ms(bridge?.tickMs) },
    { head: t('server.ping'), width: 72, className: 'number from-768', cell: ({ bridge }) => ms(bridge?.pingMs) },
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
};

/** The game servers, each with its actions behind ⋯. Those that lose something ask first, by `onWish`. */
export const ServerTable = ({
  servers,
  onWish,
  onRename,
}: {
  servers: readonly Server[];
  onWish: (wish: ServerWish) => void;
  onRename: (server: Server) => void;
}) => {
  const client = useQueryClient();
  const { t } = useTexts();
  const may = useMay();
  const columns = useColumns();
  const enable = useMutation({
    mutationFn: (serverId: string) => setDisabled(serverId, false),
    onSettled: () => client.invalidateQueries({ queryKey: ['servers'] }),
  });
  const ask = useMutation({
    mutationFn: ({ serverId }: Server) =>
      hub.request('get', '/api/v2/servers/{serverId}/deletion', { path: { serverId } }),
    onSuccess: (ends, server) => onWish({ is: 'delete', server, ...ends }),
  });
  const error = enable.error ?? ask.error;
  const menu = (server: Server) => {
    const { serverId, disabled } = server;
    return (
      <>
        <Link to="/servers/$serverId/connect" params={{ serverId }} role="menuitem" className="place">
          <span>{t('connect.link')}</span>
        </Link>
        <MenuItem onClick={() => onRename(server)}>{t('servers.rename')}</MenuItem>
        <MenuItem onClick={() => onWish({ is: 'rotate', server })}>{t('servers.rotate')}</MenuItem>
        {disabled ? (
          <MenuItem onClick={() => enable.mutate(serverId)}>{t('servers.enable')}</MenuItem>
        ) : (
          <MenuItem onClick={() => onWish({ is: 'disable', server })}>{t('servers.disable')}</MenuItem>
        )}
        <MenuItem onClick={() => ask.mutate(server)}>{t('servers.delete')}</MenuItem>
      </>
    );
  };
  return (
    <>
      {error === null ? null : <Failed error={error} />}
      <Table
        label={t('servers.title')}
        columns={columns}
        rows={servers}
        keyOf={({ serverId }) => serverId}
        nameOf={({ name }) => isolated(name)}
        menu={may('servers:write') ? menu : undefined}
      />
    </>
  );
};
