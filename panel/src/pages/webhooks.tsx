import { useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { hub, type Schemas } from '../api.ts';
import { useTexts } from '../i18n.ts';
import { Confirm } from '../parts/confirm.tsx';
import { Button } from '../parts/controls.tsx';
import { MenuItem } from '../parts/menu.tsx';
import { Page } from '../parts/page.tsx';
import { Secret } from '../parts/secret.tsx';
import { Empty, Loaded } from '../parts/state.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Foreign, isolated } from '../parts/text.tsx';
import { Ago } from '../parts/time.tsx';

const WebhookSheet = lazy(async () => ({ default: (await import('../webhooks/webhook-sheet.tsx')).WebhookSheet }));
const Deliveries = lazy(async () => ({ default: (await import('../webhooks/deliveries.tsx')).Deliveries }));

const EVERY_MS = 15_000;

type Webhook = Schemas['Webhook'];
type Wish = { row: Webhook; is: 'test' | 'pause' | 'resume' | 'rotate' | 'remove' };

const nameOf = ({ id, url }: Webhook): string => url ?? id;

const useColumns = (onOpen: (row: Webhook) => void): Column<Webhook>[] => {
  const { t, number } = useTexts();
  return [
    {
      head: t('webhooks.url'),
      className: 'name',
      cell: (row) => (
        <button type="button" className="link" onClick={() => onOpen(row)}>
          <Foreign>{nameOf(row)}</Foreign>
        </button>
      ),
    },
    {
      head: t('webhooks.format'),
      width: 104,
      className: 'from-768',
      cell: ({ format }) => t(`webhooks.format.${format}`),
    },
    { head: t('webhooks.waiting'), width: 104, className: 'number', cell: ({ waiting }) => number(waiting) },
    {
      head: t('webhooks.maker'),
      width: 160,
      className: 'from-1024',
      cell: ({ maker }) => <Foreign>{maker.name}</Foreign>,
    },
    {
      head: t('table.state'),
      width: 200,
      cell: ({ off, offAt, failingSince }) => {
        if (off !== null)
          return (
            <span className="state bad">
              {t(`webhooks.off.${off}`)} {offAt === null ? null : <Ago iso={offAt} />}
            </span>
          );
        if (failingSince === null) return null;
        return (
          <span className="state bad">
            {t('webhooks.failing')} <Ago iso={failingSince} />
          </span>
        );
      },
    },
  ];
};

/** Where the events of the project are sent. */
export const WebhooksPage = () => {
  const client = useQueryClient();
  const { t, rich } = useTexts();
  const [isAdding, setAdding] = useState(false);
  const [open, setOpen] = useState<Webhook>();
  const [wish, setWish] = useState<Wish>();
  const [secret, setSecret] = useState<string>();
  const [tested, setTested] = useState<string>();
  const webhooks = useQuery({
    queryKey: ['webhooks'],
    queryFn: async () => (await hub.request('get', '/api/v2/webhooks')).data,
    refetchInterval: EVERY_MS,
  });
  const read = (): Promise<void> => client.invalidateQueries({ queryKey: ['webhooks'] });
  const columns = useColumns(setOpen);

  const fulfil = async ({ row, is }: Wish): Promise<void> => {
    const params = { path: { id: row.id } };
    if (is === 'remove') await hub.request('delete', '/api/v2/webhooks/{id}', params);
    if (is === 'rotate') setSecret((await hub.request('post', '/api/v2/webhooks/{id}/rotate', params)).secret);
    if (is === 'pause') await hub.request('patch', '/api/v2/webhooks/{id}', { ...params, body: { on: false } });
    if (is === 'resume') await hub.request('patch', '/api/v2/webhooks/{id}', { ...params, body: { on: true } });
    if (is === 'test') {
      const { delivered, detail } = await hub.request('post', '/api/v2/webhooks/{id}/test', params);
      setTested(delivered ? t('webhooks.tested') : (detail ?? t('webhooks.failing')));
    }
    void read();
  };
  const menu = (row: Webhook) => (
    <>
      <MenuItem onClick={() => setWish({ row, is: 'test' })}>{t('webhooks.test')}</MenuItem>
      {row.off === null ? (
        <MenuItem onClick={() => setWish({ row, is: 'pause' })}>{t('webhooks.pause')}</MenuItem>
      ) : (
        <MenuItem onClick={() => setWish({ row, is: 'resume' })}>{t('webhooks.resume')}</MenuItem>
      )}
      {row.format === 'discord' ? null : (
        <MenuItem onClick={() => setWish({ row, is: 'rotate' })}>{t('webhooks.rotate')}</MenuItem>
      )}
      <MenuItem onClick={() => setWish({ row, is: 'remove' })}>{t('webhooks.remove')}</MenuItem>
    </>
  );

  return (
    <Page
      title={t('webhooks.title')}
      actions={
        <Button isMain onClick={() => setAdding(true)}>
          {t('webhooks.add')}
        </Button>
      }
    >
      {tested === undefined ? null : (
        <p role="status">
          <Foreign>{tested}</Foreign>
        </p>
      )}
      <Loaded query={webhooks}>
        {(known) =>
          known.length === 0 ? (
            <Empty title={t('webhooks.none')} hint={t('webhooks.noneHint')} />
          ) : (
            <Table
              label={t('webhooks.title')}
              columns={columns}
              rows={known}
              keyOf={({ id }) => id}
              nameOf={(row) => isolated(nameOf(row))}
              isEnded={({ on }) => !on}
              menu={menu}
            />
          )
        }
      </Loaded>
      <Suspense fallback={null}>
        {isAdding ? (
          <WebhookSheet
            onMade={(made) => {
              setAdding(false);
              setSecret(made.secret ?? undefined);
              void read();
            }}
            onClose={() => setAdding(false)}
          />
        ) : null}
        {open === undefined ? null : <Deliveries id={open.id} onClose={() => setOpen(undefined)} />}
      </Suspense>
      {wish === undefined ? null : (
        <Confirm
          title={t(`webhooks.${wish.is}`)}
          says={rich(`webhooks.${wish.is}Says`, { url: <Foreign key="url">{nameOf(wish.row)}</Foreign> })}
          isFinal={wish.is === 'remove'}
          action={() => fulfil(wish)}
          onClose={() => setWish(undefined)}
        />
      )}
      {secret === undefined ? null : (
        <Secret
          title={t('webhooks.secret')}
          says={t('webhooks.secretSays')}
          text={secret}
          onClose={() => setSecret(undefined)}
        />
      )}
    </Page>
  );
};
