import { Button, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { api, dataOf, type Server } from '../api.ts';
import { useTexts } from '../i18n.ts';
import { Confirm } from '../parts/confirm.tsx';
import { Page } from '../parts/page.tsx';
import { Secret } from '../parts/secret.tsx';
import { ServerBadges } from '../parts/server-badges.tsx';
import { Empty, Failed, Loaded } from '../parts/state.tsx';
import { Foreign, isolated } from '../parts/text.tsx';
import { Ago } from '../parts/time.tsx';
import { useServers } from '../queries.ts';
import { useMay } from '../session.ts';

const ID = /^[a-z0-9][a-z0-9_-]{0,62}$/;
/** A server, and how many of its commands end when it is deleted. */
type Ends = { server: Server; waiting: number; sent: number };
type Shown = { server: string; token: string };

/** What goes into server.cfg, with the address under which this page was reached. */
const snippetOf = (token: string): string => {
  const url = `${location.origin.replace(/^http/, 'ws')}/bridge`;
  return `set causeway_url "${url}"\nset causeway_token "${token}"\nadd_convar_permission causeway read causeway_token\nensure causeway`;
};

const AddServer = ({ onMade }: { onMade: (shown: Shown) => void }) => {
  const client = useQueryClient();
  const { t } = useTexts();
  const [id, setId] = useState('');
  const [name, setName] = useState('');
  const isWrong = id !== '' && !ID.test(id);
  const add = useMutation({
    mutationFn: () =>
      dataOf(api.POST('/api/v2/servers', { body: { serverId: id, ...(name.trim() !== '' && { name: name.trim() }) } })),
    onSuccess: (made) => {
      setId('');
      setName('');
      onMade({ server: made.name, token: made.token });
      void client.invalidateQueries({ queryKey: ['servers'] });
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (ID.test(id) && !add.isPending) add.mutate();
  };
  return (
    <form onSubmit={submit} className="card stack">
      <h2>{t('servers.add')}</h2>
      {add.error === null ? null : <Failed error={add.error} />}
      <div className="filters">
        <TextInput
          label={t('servers.id')}
          value={id}
          maxLength={63}
          error={isWrong ? t('servers.idWrong') : undefined}
          onChange={(event) => setId(event.currentTarget.value)}
        />
        <TextInput
          label={t('common.name')}
          value={name}
          maxLength={128}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Button type="submit" disabled={!ID.test(id)} loading={add.isPending}>
          {t('servers.add')}
        </Button>
      </div>
    </form>
  );
};

const Row = ({
  server,
  onRotate,
  onDelete,
}: {
  server: Server;
  onRotate: () => void;
  onDelete: (ends: Ends) => void;
}) => {
  const client = useQueryClient();
  const { t, rich } = useTexts();
  const may = useMay();
  const { serverId, disabled, connected, bridge, lastConnectedAt } = server;
  const change = useMutation({
    mutationFn: () =>
      dataOf(
        api.PATCH('/api/v2/servers/{serverId}', { params: { path: { serverId } }, body: { disabled: !disabled } }),
      ),
    onSettled: () => client.invalidateQueries({ queryKey: ['servers'] }),
  });
  const ask = useMutation({
    mutationFn: () => dataOf(api.GET('/api/v2/servers/{serverId}/deletion', { params: { path: { serverId } } })),
    onSuccess: (ends) => onDelete({ server, ...ends }),
  });
  const error = change.error ?? ask.error;
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
        <div className="row">
          <Button variant="default" size="xs" onClick={onRotate}>
            {t('servers.rotate')}
          </Button>
          <Button variant="default" size="xs" loading={change.isPending} onClick={() => change.mutate()}>
            {t(disabled ? 'servers.enable' : 'servers.disable')}
          </Button>
          <Button variant="default" size="xs" loading={ask.isPending} onClick={() => ask.mutate()}>
            {t('servers.delete')}
          </Button>
        </div>
      ) : null}
    </li>
  );
};

/** Game servers: how they are, and the lines that connect a new one. */
export const ServersPage = () => {
  const { t, rich, number } = useTexts();
  const may = useMay();
  const servers = useServers();
  const [shown, setShown] = useState<Shown>();
  const [rotating, setRotating] = useState<Server>();
  const [deleting, setDeleting] = useState<Ends>();
  const client = useQueryClient();
  const rotate = async ({ serverId, name }: Server): Promise<void> => {
    const path = { serverId };
    const { token } = await dataOf(api.POST('/api/v2/servers/{serverId}/token', { params: { path }, body: {} }));
    setShown({ server: name, token });
  };
  const remove = async ({ server: { serverId } }: Ends): Promise<void> => {
    await dataOf(api.DELETE('/api/v2/servers/{serverId}', { params: { path: { serverId } } }));
    await client.invalidateQueries({ queryKey: ['servers'] });
  };
  return (
    <Page title={t('servers.title')}>
      <Loaded query={servers}>
        {(known) => (
          <>
            {known.length === 0 ? <Empty title={t('dashboard.noServers')} /> : null}
            <ul className="plain">
              {known.map((server) => (
                <Row
                  key={server.serverId}
                  server={server}
                  onRotate={() => setRotating(server)}
                  onDelete={setDeleting}
                />
              ))}
            </ul>
          </>
        )}
      </Loaded>
      {may('servers:write') ? <AddServer onMade={setShown} /> : null}
      {rotating === undefined ? null : (
        <Confirm
          title={t('servers.rotate')}
          says={rich('servers.rotateSays', { server: <Foreign key="server">{rotating.name}</Foreign> })}
          action={() => rotate(rotating)}
          onClose={() => setRotating(undefined)}
        />
      )}
      {deleting === undefined ? null : (
        <Confirm
          title={t('servers.delete')}
          says={rich('servers.deleteSays', {
            server: <Foreign key="server">{deleting.server.name}</Foreign>,
            waiting: number(deleting.waiting),
            sent: number(deleting.sent),
          })}
          action={() => remove(deleting)}
          onClose={() => setDeleting(undefined)}
        />
      )}
      {shown === undefined ? null : (
        <Secret
          title="server.cfg"
          says={rich('servers.snippet', { server: <Foreign key="server">{shown.server}</Foreign> })}
          text={snippetOf(shown.token)}
          onClose={() => setShown(undefined)}
        />
      )}
    </Page>
  );
};
