import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api, dataOf, type Server } from '../api.ts';
import { useTexts } from '../i18n.ts';
import { useMay } from '../session.ts';
import { ServerBadges } from './server-badges.tsx';
import { Failed } from './state.tsx';
import { Foreign, isolated } from './text.tsx';
import { Ago } from './time.tsx';

/** A change of a server that waits for confirmation; a deletion counts the commands that it ends. */
export type ServerWish = { server: Server } & (
  | { is: 'rotate' | 'disable' }
  | { is: 'delete'; waiting: number; sent: number }
);

/** Disables or enables a server. */
export const setDisabled = (serverId: string, disabled: boolean): Promise<unknown> =>
  dataOf(api.PATCH('/api/v2/servers/{serverId}', { params: { path: { serverId } }, body: { disabled } }));

/** One server with its buttons. Disable and Delete stand apart from New token, and ask first. */
export const ServerRow = ({ server, onWish }: { server: Server; onWish: (wish: ServerWish) => void }) => {
  const client = useQueryClient();
  const { t, rich } = useTexts();
  const may = useMay();
  const { serverId, disabled, connected, bridge, lastConnectedAt } = server;
  const enable = useMutation({
    mutationFn: () => setDisabled(serverId, false),
    onSettled: () => client.invalidateQueries({ queryKey: ['servers'] }),
  });
  const ask = useMutation({
    mutationFn: () => dataOf(api.GET('/api/v2/servers/{serverId}/deletion', { params: { path: { serverId } } })),
    onSuccess: (ends) => onWish({ is: 'delete', server, ...ends }),
  });
  const error = enable.error ?? ask.error;
  return (
    <li className="card stack">
      <div className="row between">
        <span>
          <Link to="/servers/$serverId" params={{ serverId }} search={{}}>
            <strong>
              <Foreign>{server.name}</Foreign>
            </strong>
          </Link>{' '}
          <span className="dim">{serverId}</span>
        </span>
        <ServerBadges server={server} />
      </div>
      <p className="dim small">
        {bridge === null || !connected
          ? lastConnectedAt === null
            ? t('servers.neverHint')
            : rich('servers.lastSeen', { time: <Ago key="time" iso={lastConnectedAt} /> })
          : t('servers.software', {
              name: isolated(String(bridge.software['name'] ?? '')),
              version: isolated(String(bridge.software['version'] ?? '')),
            })}
      </p>
      {error === null ? null : <Failed error={error} />}
      {may('servers:write') ? (
        <div className="row between">
          <span className="row">
            <Link to="/servers/$serverId/connect" params={{ serverId }}>
              {t('connect.link')}
            </Link>
            <Button variant="default" size="xs" onClick={() => onWish({ is: 'rotate', server })}>
              {t('servers.rotate')}
            </Button>
          </span>
          <span className="row">
            {disabled ? (
              <Button variant="default" size="xs" loading={enable.isPending} onClick={() => enable.mutate()}>
                {t('servers.enable')}
              </Button>
            ) : (
              <Button variant="default" size="xs" onClick={() => onWish({ is: 'disable', server })}>
                {t('servers.disable')}
              </Button>
            )}
            <Button variant="default" size="xs" loading={ask.isPending} onClick={() => ask.mutate()}>
              {t('servers.delete')}
            </Button>
          </span>
        </div>
      ) : null}
    </li>
  );
};
