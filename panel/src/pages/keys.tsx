import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type ApiKey, hub } from '../api.ts';
import { hubNow } from '../clock.ts';
import { useTexts } from '../i18n.ts';
import { boundsInWords, KeySheet, scopesInShort, scopesInWords } from '../keys/key-sheet.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Button } from '../parts/controls.tsx';
import { MenuItem } from '../parts/menu.tsx';
import { Page } from '../parts/page.tsx';
import { OwnKey, Secret } from '../parts/secret.tsx';
import { Loaded } from '../parts/state.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Foreign, isolated, plain } from '../parts/text.tsx';
import { Ago } from '../parts/time.tsx';
import { allPages, EVERY_MS, useServers } from '../queries.ts';
import { useSession } from '../session.ts';
import { nameOf, useWebhooks } from '../webhooks/webhook.ts';

type Shown = { id: string; name: string; key: string };
type Wish = { row: ApiKey; is: 'rotate' | 'revoke' };

const isExpired = ({ expiresAt }: ApiKey): boolean => expiresAt !== null && Date.parse(expiresAt) <= hubNow();
const isEnded = (row: ApiKey): boolean => row.revokedAt !== null || isExpired(row);

/** Whether a key is live and may manage keys for all servers. */
const isAdmin = (row: ApiKey): boolean => !isEnded(row) && row.servers === null && row.scopes.includes('keys:write');

const State = ({ row }: { row: ApiKey }) => {
  const { t, time } = useTexts();
  const endedAt = row.revokedAt ?? row.expiresAt;
  if (endedAt === null) return null;
  return (
    <span className="state dim" title={time(endedAt)}>
      {t(row.revokedAt === null ? 'status.expired' : 'keys.revoked')}
    </span>
  );
};

const useColumns = (onOpen: (row: ApiKey) => void): Column<ApiKey>[] => {
  const texts = useTexts();
  const { t } = texts;
  const { key: own } = useSession();
  const { data: servers = [] } = useServers();
  const serverNames = (ids: readonly string[]): string =>
    ids.map((id) => plain(servers.find(({ serverId }) => serverId === id)?.name ?? id)).join(', ');
  return [
    {
      head: t('common.name'),
      className: 'name',
      cell: (row) => (
        <>
          <button type="button" className="link" disabled={row.revokedAt !== null} onClick={() => onOpen(row)}>
            <Foreign>{row.name}</Foreign>
          </button>
          {row.id === own.id ? <span className="dim small"> {t('keys.own')}</span> : null}
        </>
      ),
    },
    { head: t('keys.prefix'), width: 120, className: 'from-1024', cell: ({ prefix }) => <code>{prefix}…</code> },
    {
      head: t('keys.scopes'),
      width: 136,
      cell: (row) => (
        <span title={[...scopesInWords(texts, row.scopes), ...boundsInWords(texts, row)].join('\n')}>
          {scopesInShort(texts, row.scopes)}
        </span>
      ),
    },
    {
      head: t('keys.limits'),
      width: 240,
      className: 'from-1600',
      cell: (row) => {
        const bounds = boundsInWords(texts, row);
        return bounds.length === 0 ? null : <span title={bounds.join('\n')}>{bounds.join(' · ')}</span>;
      },
    },
    {
      head: t('nav.servers'),
      width: 128,
      className: 'from-1024',
      cell: ({ servers: ids }) =>
        ids === null ? t('common.all') : <span title={serverNames(ids)}>{serverNames(ids)}</span>,
    },
    {
      head: t('keys.lastUse'),
      width: 136,
      cell: ({ lastUsedAt }) => (lastUsedAt === null ? t('keys.neverUsed') : <Ago iso={lastUsedAt} />),
    },
    {
      head: t('keys.expires'),
      width: 104,
      className: 'from-1024',
      cell: ({ expiresAt }) => (expiresAt === null ? null : <Ago iso={expiresAt} />),
    },
    { head: t('table.state'), width: 112, cell: (row) => (isEnded(row) ? <State row={row} /> : null) },
  ];
};

/** The webhooks that a key has made, which outlive it. */
const WebhooksOf = ({ keyId }: { keyId: string }) => {
  const { t } = useTexts();
  const { data = [] } = useWebhooks();
  const made = data.filter(({ maker }) => maker.keyId === keyId);
  if (made.length === 0) return null;
  return (
    <div>
      <p>{t('webhooks.ofKey')}</p>
      <ul>
        {made.map((row) => (
          <li key={row.id}>
            <Foreign>{nameOf(row)}</Foreign>
          </li>
        ))}
      </ul>
    </div>
  );
};

export const KeysPage = () => {
  const client = useQueryClient();
  const { t, rich } = useTexts();
  const { key: own } = useSession();
  const [shown, setShown] = useState<Shown>();
  const [wish, setWish] = useState<Wish>();
  /** The key that is changed; null: a new one is made. */
  const [open, setOpen] = useState<ApiKey | null>();
  const keys = useQuery({
    queryKey: ['keys'],
    queryFn: () => allPages((query) => hub.request('get', '/api/v2/keys', { query })),
    refetchInterval: EVERY_MS,
  });
  const read = (): Promise<void> => client.invalidateQueries({ queryKey: ['keys'] });
  const columns = useColumns(setOpen);

  const fulfil = async ({ row, is }: Wish): Promise<void> => {
    const params = { path: { id: row.id } };
    if (is === 'revoke') await hub.request('delete', '/api/v2/keys/{id}', params);
    else setShown(await hub.request('post', '/api/v2/keys/{id}/rotate', { ...params, body: {} }));
    void read();
  };
  const admins = keys.data?.filter(isAdmin).length ?? 0;
  const menu = (row: ApiKey) =>
    row.revokedAt !== null ? null : (
      <>
        <MenuItem onClick={() => setOpen(row)}>{t('common.change')}</MenuItem>
        <MenuItem onClick={() => setWish({ row, is: 'rotate' })}>{t('keys.rotate')}</MenuItem>
        <MenuItem
          whyNot={isAdmin(row) && admins === 1 ? t('code.last_admin_key') : undefined}
          onClick={() => setWish({ row, is: 'revoke' })}
        >
          {t('keys.revoke')}
        </MenuItem>
      </>
    );

  return (
    <Page
      title={t('nav.keys')}
      actions={
        <Button isMain onClick={() => setOpen(null)}>
          {t('keys.add')}
        </Button>
      }
    >
      <Loaded query={keys}>
        {(known) => (
          <Table
            label={t('nav.keys')}
            columns={columns}
            rows={known.toSorted((a, b) => Number(isEnded(a)) - Number(isEnded(b)))}
            keyOf={({ id }) => id}
            nameOf={({ name }) => isolated(name)}
            isEnded={isEnded}
            menu={menu}
          />
        )}
      </Loaded>
      {open === undefined ? null : (
        <KeySheet
          row={open ?? undefined}
          onDone={(made) => {
            setOpen(undefined);
            setShown(made);
            void read();
          }}
          onClose={() => setOpen(undefined)}
        />
      )}
      {wish === undefined ? null : (
        <Confirm
          title={t(`keys.${wish.is}`)}
          says={rich(wish.is === 'rotate' && wish.row.id === own.id ? 'keys.rotateOwnSays' : `keys.${wish.is}Says`, {
            name: <Foreign key="name">{wish.row.name}</Foreign>,
          })}
          isFinal={wish.is === 'revoke'}
          action={() => fulfil(wish)}
          onClose={() => setWish(undefined)}
        >
          {wish.is === 'revoke' ? <WebhooksOf keyId={wish.row.id} /> : null}
        </Confirm>
      )}
      {shown?.id === own.id ? <OwnKey text={shown.key} onClose={() => setShown(undefined)} /> : null}
      {shown === undefined || shown.id === own.id ? null : (
        <Secret
          title={t('signIn.key')}
          says={rich('keys.shown', { name: <Foreign key="name">{shown.name}</Foreign> })}
          text={shown.key}
          onClose={() => setShown(undefined)}
        />
      )}
    </Page>
  );
};
