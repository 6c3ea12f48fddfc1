import { Button, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useState } from 'react';
import { flushSync } from 'react-dom';
import { api, dataOf } from '../api.ts';
import { keepToken } from '../fresh-token.ts';
import { useTexts } from '../i18n.ts';
import { Confirm } from '../parts/confirm.tsx';
import { Page } from '../parts/page.tsx';
import { ServerRow, type ServerWish, setDisabled } from '../parts/server-row.tsx';
import { Empty, Failed, Loaded } from '../parts/state.tsx';
import { Foreign } from '../parts/text.tsx';
import { UnsentForm } from '../parts/unsent.tsx';
import { useServers } from '../queries.ts';
import { useMay } from '../session.ts';

const ID = /^[a-z0-9][a-z0-9_-]{0,62}$/;

const AddServer = ({ onMade }: { onMade: (serverId: string, token: string) => void }) => {
  const client = useQueryClient();
  const { t } = useTexts();
  const [id, setId] = useState('');
  const [name, setName] = useState('');
  const isWrong = id !== '' && !ID.test(id);
  const add = useMutation({
    mutationFn: () =>
      dataOf(api.POST('/api/v2/servers', { body: { serverId: id, ...(name.trim() !== '' && { name: name.trim() }) } })),
    onSuccess: (made) => {
      // An unsent form holds back the way to the next page.
      flushSync(() => {
        setId('');
        setName('');
      });
      onMade(made.serverId, made.token);
      void client.invalidateQueries({ queryKey: ['servers'] });
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (ID.test(id) && !add.isPending) add.mutate();
  };
  return (
    <form onSubmit={submit} className="card stack">
      <UnsentForm isDirty={id !== '' || name !== ''} />
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
    void navigate({ to: '/servers/$serverId/connect', params: { serverId } });
  };
  const [wish, setWish] = useState<ServerWish>();
  const client = useQueryClient();
  const fulfil = async ({ is, server: { serverId } }: ServerWish): Promise<void> => {
    const params = { path: { serverId } };
    if (is === 'rotate') {
      const { token } = await dataOf(api.POST('/api/v2/servers/{serverId}/token', { params, body: {} }));
      connect(serverId, token);
    } else if (is === 'disable') await setDisabled(serverId, true);
    else await dataOf(api.DELETE('/api/v2/servers/{serverId}', { params }));
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
                <ServerRow key={server.serverId} server={server} onWish={setWish} />
              ))}
            </ul>
          </>
        )}
      </Loaded>
      {may('servers:write') ? <AddServer onMade={connect} /> : null}
      {wish === undefined ? null : (
        <Confirm
          title={t(`servers.${wish.is}`)}
          says={says(wish)}
          action={() => fulfil(wish)}
          onClose={() => setWish(undefined)}
        />
      )}
    </Page>
  );
};
