import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { hub, hubPage, isCode, type Server } from '../api.ts';
import { bridgeUrlOf, isLoopback, isPrivate, readHub } from '../bridge-url.ts';
import { keepToken, tokenOf } from '../fresh-token.ts';
import { useTexts } from '../i18n.ts';
import { ConfirmButton } from '../parts/confirm.tsx';
import { Button, Note, SelectField, TextField } from '../parts/controls.tsx';
import { Copy } from '../parts/copy.tsx';
import { Page } from '../parts/page.tsx';
import { Failed, Loaded } from '../parts/state.tsx';
import { Foreign, isolated } from '../parts/text.tsx';
import { Ago } from '../parts/time.tsx';
import { useMay, useSession } from '../session.ts';

type Place = 'here' | 'elsewhere' | '';

const WRONG_TEXTS = { address: 'servers.hubAddress.wrong', path: 'servers.hubAddress.path' } as const;

const linesOf = (url: string, token: string): string =>
  `set causeway_url "${url}"\nset causeway_token "${token}"\nadd_convar_permission causeway read causeway_token\nensure causeway`;

/**
 * The lines that connect a game server, with an address that it can reach. A loopback address needs the answer that both
 * run on one machine. Without a token, its place is marked.
 */
const ServerLines = ({ token }: { token: string | undefined }) => {
  const { t } = useTexts();
  const { publicUrl, listensHereOnly } = useSession();
  const [place, setPlace] = useState<Place>('');
  const [typed, setTyped] = useState('');
  const known = publicUrl ?? location.origin;
  const isAsked = isLoopback(known);
  const named = readHub(typed, location.origin);
  const hub = !isAsked || place === 'here' ? known : place === 'elsewhere' ? named.origin : undefined;
  const lines = linesOf(hub === undefined ? '…' : bridgeUrlOf(hub), token ?? 'cwb_…');
  return (
    <div className="stack">
      {isAsked ? (
        <>
          <div className="filters">
            <SelectField
              label={t('servers.place')}
              value={place}
              onChange={(value) => setPlace(value)}
              options={[
                ['', '–'],
                ['here', t('servers.place.here')],
                ['elsewhere', t('servers.place.elsewhere')],
              ]}
            />
            {place === 'elsewhere' ? (
              <TextField
                className="grow"
                label={t('servers.hubAddress')}
                placeholder="192.168.1.20"
                value={typed}
                error={typed === '' || named.wrong === undefined ? undefined : t(WRONG_TEXTS[named.wrong])}
                onChange={setTyped}
              />
            ) : null}
          </div>
          {place === 'elsewhere' && listensHereOnly ? (
            <Note ink="wait" role="alert">
              {t('connect.hereOnly')}
            </Note>
          ) : null}
          {place === 'here' ? <p className="dim small">{t('connect.loopback')}</p> : null}
        </>
      ) : null}
      {hub?.startsWith('http:') === true && !isPrivate(hub) ? (
        <Note ink="wait" role="alert">
          {t('connect.plain')}
        </Note>
      ) : null}
      <pre className="secret">{lines}</pre>
      {token === undefined ? <p className="dim small">{t('connect.noToken')}</p> : null}
      {hub !== undefined && token !== undefined ? (
        <div className="row end">
          <Copy text={lines} label={t('common.copy')} isSmall={false} />
        </div>
      ) : null}
    </div>
  );
};

const route = getRouteApi('/servers/$serverId/connect');
const LOOK_EVERY_MS = 2_000;
const KIB = 1_024;

type Zip = { name: string; bytes: number; sha256: string };

const Download = () => {
  const { t, number } = useTexts();
  const zip = useQuery({ queryKey: ['bridge-zip'], queryFn: () => hubPage<Zip>('/bridge/latest'), retry: false });
  if (isCode(zip.error, 'not_found')) return <p>{t('connect.noZip')}</p>;
  return (
    <Loaded query={zip} lines={2}>
      {({ name, bytes, sha256 }) => (
        <>
          <p>
            <a href={`/bridge/${name}`} download={name}>
              {t('connect.download', { name: isolated(name), size: number(Math.ceil(bytes / KIB)) })}
            </a>
          </p>
          <p>{t('connect.unpack')}</p>
          <p className="dim small sum">SHA-256 {sha256}</p>
        </>
      )}
    </Loaded>
  );
};

const Lines = ({ server: { serverId, name, tokenPrefix } }: { server: Server }) => {
  const may = useMay();
  const token = tokenOf(serverId, tokenPrefix);
  return (
    <>
      <ServerLines token={token} />
      {may('servers:write') && token === undefined ? <NewToken serverId={serverId} name={name} /> : null}
    </>
  );
};

const NewToken = ({ serverId, name }: { serverId: string; name: string }) => {
  const client = useQueryClient();
  const { t, rich } = useTexts();
  const rotate = async (): Promise<void> => {
    const params = { path: { serverId } };
    keepToken(serverId, (await hub.request('post', '/api/v2/servers/{serverId}/token', { ...params, body: {} })).token);
    await client.invalidateQueries({ queryKey: ['servers'] });
  };
  return (
    <div className="row end">
      <ConfirmButton
        isSmall
        title={t('servers.rotate')}
        says={rich('servers.rotateSays', { server: <Foreign key="server">{name}</Foreign> })}
        action={rotate}
      />
    </div>
  );
};

const Waiting = ({ server }: { server: Server }) => {
  const { t, rich } = useTexts();
  const { tokenRefusedAt } = server;
  if (tokenRefusedAt !== null) {
    return (
      <Note ink="bad" role="alert">
        {rich('connect.wrongToken', { time: <Ago key="time" iso={tokenRefusedAt} /> })}
      </Note>
    );
  }
  return (
    <>
      <p>{t('connect.waiting')}</p>
      <ul className="dim small">
        <li>{t('connect.checkConsole')}</li>
        <li>{t('connect.checkFolder')}</li>
        <li>{t('connect.checkAddress')}</li>
      </ul>
    </>
  );
};

const Connected = ({ serverId, bridge }: { serverId: string; bridge: NonNullable<Server['bridge']> }) => {
  const { t, number, count } = useTexts();
  const { software, players } = bridge;
  const playing = ({ online, max }: NonNullable<typeof players>): string =>
    max === undefined
      ? count('dashboard.playersOnly', online)
      : t('dashboard.players', { online: number(online), max: number(max) });
  const { framework, frameworkVersion, game, name, version } = software;
  return (
    <>
      <p>
        <strong>{t('server.connected')}</strong>
        {': '}
        <Foreign>{[framework ?? game ?? name, frameworkVersion].filter(Boolean).join(' ')}</Foreign>
        {players === undefined ? null : `, ${playing(players)}`}
      </p>
      <p className="dim small">
        <Foreign>{`${name} ${version}`}</Foreign>
      </p>
      <p>
        <Link to="/players" search={{ serverId, online: 'true' }}>
          {t('connect.try')}
        </Link>
      </p>
    </>
  );
};

const useServer = (serverId: string) =>
  useQuery({
    queryKey: ['servers', serverId],
    queryFn: () => hub.request('get', '/api/v2/servers/{serverId}', { path: { serverId } }),
    refetchInterval: LOOK_EVERY_MS,
  });

export const ConnectPage = () => {
  const { t } = useTexts();
  const may = useMay();
  const { serverId } = route.useParams();
  const query = useServer(serverId);
  const enable = useMutation({
    mutationFn: () =>
      hub.request('patch', '/api/v2/servers/{serverId}', { path: { serverId }, body: { disabled: false } }),
    onSettled: () => query.refetch(),
  });
  return (
    <Page
      title={t('connect.title', { server: query.data?.name ?? serverId })}
      actions={<Link to="/servers">{t('servers.back')}</Link>}
    >
      <Loaded query={query}>
        {(server) => (
          <ol className="plain stack steps">
            <li className="card stack">
              <h2>{t('connect.step1')}</h2>
              <Download />
            </li>
            <li className="card stack">
              <h2>{t('connect.step2')}</h2>
              <Lines server={server} />
            </li>
            <li className="card stack" aria-live="polite">
              <h2>{t('connect.step3')}</h2>
              {enable.error === null ? null : <Failed error={enable.error} />}
              {server.disabled ? (
                <div className="row between">
                  <p>{t('server.disabled')}</p>
                  {may('servers:write') ? (
                    <Button isSmall isBusy={enable.isPending} onClick={() => enable.mutate()}>
                      {t('servers.enable')}
                    </Button>
                  ) : null}
                </div>
              ) : server.connected && server.bridge !== null ? (
                <Connected serverId={serverId} bridge={server.bridge} />
              ) : (
                <Waiting server={server} />
              )}
            </li>
          </ol>
        )}
      </Loaded>
    </Page>
  );
};
