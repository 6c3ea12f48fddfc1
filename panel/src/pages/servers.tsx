import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { hub, type Server } from '../api.ts';
import { keepToken } from '../fresh-token.ts';
import { useTexts } from '../i18n.ts';
import { Confirm } from '../parts/confirm.tsx';
import { Button } from '../parts/controls.tsx';
import { Page } from '../parts/page.tsx';
import { Empty, Loaded } from '../parts/state.tsx';
import { Foreign } from '../parts/text.tsx';
import { useServers } from '../queries.ts';
import { ServerTable, type ServerWish, setDisabled } from '../servers/server-table.tsx';
import { useMay } from '../session.ts';

const ServerSheet = lazy(async () => ({ default: (await import('../servers/server-sheet.tsx')).ServerSheet }));

/** The text of the question before each change of a server. */
const useSays = (): ((wish: ServerWish) => ReactNode) => {
  const { rich, number } = useTexts();
  return (wish) => {
    const server = <Foreign key="server">{wish.server.name}</Foreign>;
    if (wish.is !== 'delete') return rich(`servers.${wish.is}Says`, { server });
    return rich('servers.deleteSays', { server, waiting: number(wish.waiting), sent: number(wish.sent) });
  };
};

/** Game servers: how they are, and the lines that connect a new one. */
export const ServersPage = () => {
  const { t } = useTexts();
  const says = useSays();
  const may = useMay();
  const servers = useServers();
  const navigate = useNavigate();
  const connect = (serverId: string, token: string): void => {
    keepToken(serverId, token);
    void navigate({ to: '/servers/$serverId/connect', params: { serverId }, ignoreBlocker: true });
  };
  const [wish, setWish] = useState<ServerWish>();
  /** The server that is renamed; null: a new one is added. */
  const [open, setOpen] = useState<Server | null>();
  const client = useQueryClient();
  const read = (): Promise<void> => client.invalidateQueries({ queryKey: ['servers'] });
  const fulfil = async ({ is, server: { serverId } }: ServerWish): Promise<void> => {
    const params = { path: { serverId } };
    if (is === 'rotate') {
      const { token } = await hub.request('post', '/api/v2/servers/{serverId}/token', { ...params, body: {} });
      connect(serverId, token);
    } else if (is === 'disable') await setDisabled(serverId, true);
    else await hub.request('delete', '/api/v2/servers/{serverId}', params);
    await read();
  };
  const add = may('servers:write') ? (
    <Button isMain onClick={() => setOpen(null)}>
      {t('servers.add')}
    </Button>
  ) : null;
  return (
    <Page title={t('servers.title')} actions={add}>
      <Loaded query={servers}>
        {(known) =>
          known.length === 0 ? (
            <Empty title={t('dashboard.noServers')} />
          ) : (
            <ServerTable servers={known} onWish={setWish} onRename={setOpen} />
          )
        }
      </Loaded>
      {open === undefined ? null : (
        <Suspense fallback={null}>
          <ServerSheet
            server={open ?? undefined}
            onDone={(made) => {
              setOpen(undefined);
              if (made !== undefined) connect(made.serverId, made.token);
              void read();
            }}
            onClose={() => setOpen(undefined)}
          />
        </Suspense>
      )}
      {wish === undefined ? null : (
        <Confirm
          title={t(`servers.${wish.is}`)}
          says={says(wish)}
          isFinal={wish.is === 'delete'}
          action={() => fulfil(wish)}
          onClose={() => setWish(undefined)}
        />
      )}
    </Page>
  );
};
