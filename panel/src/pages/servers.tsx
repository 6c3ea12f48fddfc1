import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { hub, type Server } from '../api.ts';
import { keepToken } from '../fresh-token.ts';
import { useTexts } from '../i18n.ts';
import { Confirm } from '../parts/confirm.tsx';
import { Button, TextField } from '../parts/controls.tsx';
import { Sheet } from '../parts/form-dialog.tsx';
import { MenuItem } from '../parts/menu.tsx';
import { Page } from '../parts/page.tsx';
import { Empty, Failed, Loaded } from '../parts/state.tsx';
import { Table } from '../parts/table.tsx';
import { Foreign, isolated } from '../parts/text.tsx';
import { useServers } from '../queries.ts';
import { useServerColumns } from '../servers/columns.tsx';
import { useMay } from '../session.ts';

/** A change of a server that waits for confirmation; a deletion counts the commands that it ends. */
type ServerWish = { server: Server } & ({ is: 'rotate' | 'disable' } | { is: 'delete'; waiting: number; sent: number });

const setDisabled = (serverId: string, disabled: boolean): Promise<unknown> =>
  hub.request('patch', '/api/v2/servers/{serverId}', { path: { serverId }, body: { disabled } });

const ID = /^[a-z0-9][a-z0-9_-]{0,62}$/;

type Made = { serverId: string; token: string };

/** Adds a server, or renames `server`. `onDone` gets the token of a new one. */
const ServerSheet = ({
  server,
  onDone,
  onClose,
}: {
  server: Server | undefined;
  onDone: (made: Made | undefined) => void;
  onClose: () => void;
}) => {
  const { t } = useTexts();
  const [id, setId] = useState('');
  const [name, setName] = useState(server?.name ?? '');
  const trimmed = name.trim();
  const save = useMutation({
    mutationFn: async (): Promise<Made | undefined> => {
      if (server === undefined) {
        const body = { serverId: id, ...(trimmed !== '' && { name: trimmed }) };
        return hub.request('post', '/api/v2/servers', { body });
      }
      const params = { path: { serverId: server.serverId } };
      await hub.request('patch', '/api/v2/servers/{serverId}', { ...params, body: { name: trimmed } });
      return undefined;
    },
    onSuccess: onDone,
  });
  const isDirty = id !== '' || name !== (server?.name ?? '');
  return (
    <Sheet
      title={t(server === undefined ? 'servers.add' : 'servers.rename')}
      submit={t(server === undefined ? 'servers.make' : 'common.save')}
      isDirty={isDirty && !save.isSuccess}
      isReady={server === undefined ? ID.test(id) : trimmed !== '' && isDirty}
      isPending={save.isPending}
      error={save.error}
      onSubmit={() => save.mutate()}
      onClose={onClose}
    >
      {server === undefined ? (
        <TextField
          label={t('servers.id')}
          value={id}
          maxLength={63}
          data-autofocus
          description={t('servers.idSays')}
          error={id === '' || ID.test(id) ? undefined : t('servers.idWrong')}
          onChange={setId}
        />
      ) : null}
      <TextField
        label={t('common.name')}
        value={name}
        maxLength={128}
        data-autofocus={server !== undefined || undefined}
        onChange={setName}
      />
    </Sheet>
  );
};

export const ServersPage = () => {
  const { t, rich, number } = useTexts();
  const may = useMay();
  const columns = useServerColumns();
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
  const enable = useMutation({ mutationFn: (serverId: string) => setDisabled(serverId, false), onSettled: read });
  const ask = useMutation({
    mutationFn: ({ serverId }: Server) =>
      hub.request('get', '/api/v2/servers/{serverId}/deletion', { path: { serverId } }),
    onSuccess: (ends, server) => setWish({ is: 'delete', server, ...ends }),
  });
  const error = enable.error ?? ask.error;
  const says = (wish: ServerWish): ReactNode => {
    const server = <Foreign key="server">{wish.server.name}</Foreign>;
    if (wish.is !== 'delete') return rich(`servers.${wish.is}Says`, { server });
    return rich('servers.deleteSays', { server, waiting: number(wish.waiting), sent: number(wish.sent) });
  };
  const fulfil = async ({ is, server: { serverId } }: ServerWish): Promise<void> => {
    const params = { path: { serverId } };
    if (is === 'rotate') {
      const { token } = await hub.request('post', '/api/v2/servers/{serverId}/token', { ...params, body: {} });
      connect(serverId, token);
    } else if (is === 'disable') await setDisabled(serverId, true);
    else await hub.request('delete', '/api/v2/servers/{serverId}', params);
    await read();
  };
  const menu = (server: Server) => {
    const { serverId, disabled } = server;
    return (
      <>
        <Link to="/servers/$serverId/connect" params={{ serverId }} role="menuitem" className="place">
          <span>{t('connect.link')}</span>
        </Link>
        <MenuItem onClick={() => setOpen(server)}>{t('servers.rename')}</MenuItem>
        <MenuItem onClick={() => setWish({ is: 'rotate', server })}>{t('servers.rotate')}</MenuItem>
        {disabled ? (
          <MenuItem onClick={() => enable.mutate(serverId)}>{t('servers.enable')}</MenuItem>
        ) : (
          <MenuItem onClick={() => setWish({ is: 'disable', server })}>{t('servers.disable')}</MenuItem>
        )}
        <MenuItem onClick={() => ask.mutate(server)}>{t('servers.delete')}</MenuItem>
      </>
    );
  };
  const add = may('servers:write') ? (
    <Button isMain onClick={() => setOpen(null)}>
      {t('servers.add')}
    </Button>
  ) : null;
  return (
    <Page title={t('nav.servers')} actions={add}>
      <Loaded query={servers}>
        {(known) => (
          <>
            {error === null ? null : <Failed error={error} />}
            <Table
              label={t('nav.servers')}
              columns={columns}
              rows={known}
              keyOf={({ serverId }) => serverId}
              nameOf={({ name }) => isolated(name)}
              menu={may('servers:write') ? menu : undefined}
              empty={<Empty title={t('dashboard.noServers')} />}
            />
          </>
        )}
      </Loaded>
      {open === undefined ? null : (
        <ServerSheet
          server={open ?? undefined}
          onDone={(made) => {
            setOpen(undefined);
            if (made !== undefined) connect(made.serverId, made.token);
            void read();
          }}
          onClose={() => setOpen(undefined)}
        />
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
