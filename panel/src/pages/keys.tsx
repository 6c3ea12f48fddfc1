import { Badge, Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type ApiKey, api, dataOf } from '../api.ts';
import { useTexts } from '../i18n.ts';
import { Confirm } from '../parts/confirm.tsx';
import { Explained } from '../parts/explained.tsx';
import { KeyForm } from '../parts/key-form.tsx';
import { OwnKey } from '../parts/own-key.tsx';
import { Page } from '../parts/page.tsx';
import { Secret } from '../parts/secret.tsx';
import { Loaded } from '../parts/state.tsx';
import { Foreign } from '../parts/text.tsx';
import { Ago } from '../parts/time.tsx';
import { allPages } from '../queries.ts';
import { useSession } from '../session.ts';

const EVERY_MS = 15_000;

type Shown = { id: string; name: string; key: string };
type Wish = { row: ApiKey; is: 'rotate' | 'revoke' };

/** Whether a key is live and may manage keys for all servers. */
const isAdmin = ({ revokedAt, expiresAt, servers, scopes }: ApiKey): boolean =>
  revokedAt === null &&
  (expiresAt === null || Date.parse(expiresAt) > Date.now()) &&
  servers === null &&
  scopes.includes('keys:write');

const Row = ({ row, isLastAdmin, onWish }: { row: ApiKey; isLastAdmin: boolean; onWish: (wish: Wish) => void }) => {
  const { key: own } = useSession();
  const { t, rich, has, number } = useTexts();
  const { name, prefix, scopes, servers, maxBatchTargets, maxBatchTotal, rateLimit, lastUsedAt, expiresAt, revokedAt } =
    row;
  const scopeName = (scope: string): string => {
    const key = `scope.${scope}`;
    return has(key) ? t(key) : scope;
  };
  return (
    <li className="card stack">
      <div className="row between">
        <span>
          <strong>
            <Foreign>{name}</Foreign>
          </strong>{' '}
          <code className="dim small">{prefix}…</code>{' '}
          {row.id === own.id ? <Badge variant="light">{t('keys.own')}</Badge> : null}
        </span>
        <span className="dim small">
          {lastUsedAt === null
            ? t('keys.neverUsed')
            : rich('keys.lastUse', { time: <Ago key="time" iso={lastUsedAt} /> })}
          {expiresAt === null ? null : <> · {rich('keys.expires', { time: <Ago key="time" iso={expiresAt} /> })}</>}
        </span>
      </div>
      <p className="dim small">
        {scopes.map(scopeName).join(' · ')}
        {servers === null ? '' : ` (${servers.join(', ')})`}
        {maxBatchTargets === null ? '' : ` · ${t('keys.players')}: ${number(maxBatchTargets)}`}
        {maxBatchTotal === null ? '' : ` · ${t('keys.money')}: ${number(maxBatchTotal)}`}
        {rateLimit === null ? '' : ` · ${t('keys.requests')}: ${number(rateLimit)}`}
      </p>
      {revokedAt === null ? (
        <div className="row">
          <Button variant="default" size="xs" onClick={() => onWish({ row, is: 'rotate' })}>
            {t('keys.rotate')}
          </Button>
          <Explained
            variant="default"
            size="xs"
            whyNot={isLastAdmin ? t('code.last_admin_key') : undefined}
            onClick={() => onWish({ row, is: 'revoke' })}
          >
            {t('keys.revoke')}
          </Explained>
        </div>
      ) : (
        <div>
          <Badge color="gray" variant="light">
            {rich('keys.revoked', { time: <Ago key="time" iso={revokedAt} /> })}
          </Badge>
        </div>
      )}
    </li>
  );
};

const admins = (keys: readonly ApiKey[]): number => keys.filter(isAdmin).length;

/** The keys of people and of programs, with their permissions. */
export const KeysPage = () => {
  const client = useQueryClient();
  const { t, rich } = useTexts();
  const { key: own } = useSession();
  const [shown, setShown] = useState<Shown>();
  const [wish, setWish] = useState<Wish>();
  const keys = useQuery({
    queryKey: ['keys'],
    queryFn: () => allPages((query) => dataOf(api.GET('/api/v2/keys', { params: { query } }))),
    refetchInterval: EVERY_MS,
  });
  const read = (): Promise<void> => client.invalidateQueries({ queryKey: ['keys'] });

  const fulfil = async ({ row, is }: Wish): Promise<void> => {
    const params = { path: { id: row.id } };
    if (is === 'revoke') await dataOf(api.DELETE('/api/v2/keys/{id}', { params }));
    else setShown(await dataOf(api.POST('/api/v2/keys/{id}/rotate', { params, body: {} })));
    void read();
  };

  return (
    <Page title={t('keys.title')}>
      <KeyForm
        onMade={(made) => {
          setShown(made);
          void read();
        }}
      />
      <Loaded query={keys}>
        {(known) => (
          <>
            <p className="dim small">{t('keys.lastUseHint')}</p>
            <ul className="plain">
              {known
                .toSorted((a, b) => Number(a.revokedAt !== null) - Number(b.revokedAt !== null))
                .map((row) => (
                  <Row key={row.id} row={row} isLastAdmin={isAdmin(row) && admins(known) === 1} onWish={setWish} />
                ))}
            </ul>
          </>
        )}
      </Loaded>
      {wish === undefined ? null : (
        <Confirm
          title={t(`keys.${wish.is}`)}
          says={rich(wish.is === 'rotate' && wish.row.id === own.id ? 'keys.rotateOwnSays' : `keys.${wish.is}Says`, {
            name: <Foreign key="name">{wish.row.name}</Foreign>,
          })}
          action={() => fulfil(wish)}
          onClose={() => setWish(undefined)}
        />
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
