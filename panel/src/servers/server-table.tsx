import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { hub, type Server } from '../api.ts';
import { useTexts } from '../i18n.ts';
import { MenuItem } from '../parts/menu.tsx';
import { Failed } from '../parts/state.tsx';
import { Table } from '../parts/table.tsx';
import { isolated } from '../parts/text.tsx';
import { useMay } from '../session.ts';
import { useServerColumns } from './columns.tsx';

/** A change of a server that waits for confirmation; a deletion counts the commands that it ends. */
export type ServerWish = { server: Server } & (
  | { is: 'rotate' | 'disable' }
  | { is: 'delete'; waiting: number; sent: number }
);

/** Disables or enables a server. */
export const setDisabled = (serverId: string, disabled: boolean): Promise<unknown> =>
  hub.request('patch', '/api/v2/servers/{serverId}', { path: { serverId }, body: { disabled } });

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
  const columns = useServerColumns();
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
