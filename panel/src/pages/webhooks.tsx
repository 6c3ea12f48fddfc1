import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { hub } from '../api.ts';
import { hubNow, upcoming } from '../clock.ts';
import { useTexts } from '../i18n.ts';
import { Confirm } from '../parts/confirm.tsx';
import { Button, Note, SelectField } from '../parts/controls.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { DialogForm } from '../parts/form-dialog.tsx';
import { MenuItem } from '../parts/menu.tsx';
import { Page } from '../parts/page.tsx';
import { Secret } from '../parts/secret.tsx';
import { Empty, Failed, Loaded } from '../parts/state.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Foreign, isolated } from '../parts/text.tsx';
import { Ago } from '../parts/time.tsx';
import { useServerNames } from '../queries.ts';
import { useMay } from '../session.ts';
import { Deliveries } from '../webhooks/deliveries.tsx';
import { nameOf, useWebhooks, type Webhook } from '../webhooks/webhook.ts';
import { WebhookSheet } from '../webhooks/webhook-sheet.tsx';

const HOUR_MS = 3_600_000;
const HOURS = { hour: 1, day: 24, days: 3 * 24, week: 7 * 24 } as const;
type Since = keyof typeof HOURS;
const SINCE = Object.keys(HOURS) as Since[];

/** Sends all events since a time again, as far as the hub has kept them. */
const Replay = ({ row, onDone, onClose }: { row: Webhook; onDone: () => void; onClose: () => void }) => {
  const { t, rich } = useTexts();
  const [since, setSince] = useState<Since>('day');
  const replay = useMutation({
    mutationFn: () => {
      const body = { since: new Date(hubNow() - HOURS[since] * HOUR_MS).toISOString() };
      return hub.request('post', '/api/v2/webhooks/{id}/replay', { path: { id: row.id }, body });
    },
    onSuccess: onDone,
  });
  return (
    <Dialog title={t('webhooks.replay')} isHeld={replay.isPending} onClose={onClose}>
      <DialogForm
        submit={t('webhooks.again')}
        isBusy={replay.isPending}
        onSubmit={() => replay.mutate()}
        onClose={onClose}
      >
        <p className="sentence">{rich('webhooks.replaySays', { url: <Foreign key="url">{nameOf(row)}</Foreign> })}</p>
        <SelectField
          label={t('webhooks.since')}
          value={since}
          onChange={setSince}
          options={SINCE.map((each) => [each, t(`webhooks.last.${each}`)] as const)}
          data-autofocus
        />
        {replay.error === null ? null : <Failed error={replay.error} lost="again" />}
      </DialogForm>
    </Dialog>
  );
};

type Asked = { row: Webhook; is: 'test' | 'pause' | 'resume' | 'rotate' | 'remove' };
type Wish = Asked | { row: Webhook; is: 'show' | 'change' | 'replay' } | { row: undefined; is: 'change' };
type Tested = { delivered: boolean; says: string; answer: string };

const isAsked = (wish: Wish): wish is Asked => !['show', 'change', 'replay'].includes(wish.is);

const State = ({ row: { off, offAt, failingSince, restUntil } }: { row: Webhook }) => {
  const { t } = useTexts();
  const since = off === null ? failingSince : offAt;
  if (since === null) return null;
  const next = off === null ? upcoming(restUntil) : null;
  return (
    <>
      <span className={`state ${off === 'paused' ? 'dim' : 'bad'}`}>
        {off === null ? t('webhooks.failing') : t(`webhooks.off.${off}`)}
      </span>{' '}
      <span className="dim small">
        <Ago iso={since} isShort />
        {next === null ? null : (
          <>
            {' '}
            · {t('webhooks.next')} <Ago iso={next} isShort />
          </>
        )}
      </span>
    </>
  );
};

const useColumns = (onOpen: (row: Webhook) => void): Column<Webhook>[] => {
  const { t, number, count } = useTexts();
  const names = useServerNames();
  return [
    {
      head: t('common.name'),
      className: 'name',
      cell: (row) => (
        <button type="button" className="link" title={nameOf(row)} onClick={() => onOpen(row)}>
          <Foreign>{nameOf(row)}</Foreign>
        </button>
      ),
    },
    {
      head: t('webhooks.format'),
      width: 88,
      className: 'from-1600',
      cell: ({ format }) => t(`webhooks.format.${format}`),
    },
    {
      head: t('webhooks.types'),
      width: 96,
      className: 'from-1024',
      cell: ({ types }) => (types === null ? t('common.all') : count('webhooks.some', types.length)),
    },
    {
      head: t('nav.servers'),
      width: 128,
      className: 'from-1600',
      cell: ({ servers }) => servers?.map((id) => names.get(id) ?? id).join(', ') ?? t('common.all'),
    },
    {
      head: t('webhooks.maker'),
      width: 136,
      className: 'from-1600',
      cell: ({ maker }) => <Foreign>{maker.name}</Foreign>,
    },
    {
      head: t('webhooks.waiting'),
      width: 88,
      className: 'number',
      cell: ({ waiting, behind }) => (waiting + behind === 0 ? null : number(waiting + behind)),
    },
    {
      head: t('webhooks.fault'),
      width: 184,
      className: 'from-1024',
      cell: ({ fault }) =>
        fault && (
          <span title={fault}>
            <Foreign>{fault}</Foreign>
          </span>
        ),
    },
    { head: t('table.state'), width: 208, cell: (row) => (row.off ?? row.failingSince) && <State row={row} /> },
  ];
};

export const WebhooksPage = () => {
  const client = useQueryClient();
  const { t, rich, number } = useTexts();
  const may = useMay();
  const [wish, setWish] = useState<Wish>();
  const [secret, setSecret] = useState<string>();
  const [tested, setTested] = useState<Tested>();
  const webhooks = useWebhooks();
  const read = (): Promise<void> => client.invalidateQueries({ queryKey: ['webhooks'] });
  const columns = useColumns((row) => setWish({ row, is: 'show' }));
  const mayGive = may('commands:read');

  const fulfil = async ({ row, is }: Asked): Promise<void> => {
    const path = { id: row.id };
    if (is === 'remove') await hub.request('delete', '/api/v2/webhooks/{id}', { path });
    if (is === 'rotate') setSecret((await hub.request('post', '/api/v2/webhooks/{id}/rotate', { path })).secret);
    if (is === 'pause' || is === 'resume') {
      await hub.request('patch', '/api/v2/webhooks/{id}', { path, body: { on: is === 'resume' } });
    }
    if (is === 'test') {
      const { delivered, status, detail, tookMs, answer } = await hub.request('post', '/api/v2/webhooks/{id}/test', {
        path,
      });
      const name = isolated(nameOf(row));
      const says = delivered
        ? t('webhooks.tested', { name, ms: number(tookMs) })
        : t('webhooks.notTested', { name, detail: status === null ? isolated(detail ?? '') : `HTTP ${status}` });
      setTested({ delivered, says, answer });
    }
    void read();
    void client.invalidateQueries({ queryKey: ['project'] });
  };
  const menu = (row: Webhook) => {
    const item = (is: 'change' | 'replay' | Asked['is'], text: string) => (
      <MenuItem onClick={() => setWish({ row, is })}>{text}</MenuItem>
    );
    return (
      <>
        {mayGive ? item('change', t('common.change')) : null}
        {item('test', t('webhooks.test'))}
        {item('replay', t('webhooks.replay'))}
        {mayGive
          ? row.off === null
            ? item('pause', t('webhooks.pause'))
            : item('resume', t('webhooks.resume'))
          : null}
        {row.format === 'discord' ? null : item('rotate', t('webhooks.rotate'))}
        {item('remove', t('webhooks.remove'))}
      </>
    );
  };
  /** As it is now, not as it was when it was opened. */
  const latest = (row: Webhook): Webhook => webhooks.data?.find(({ id }) => id === row.id) ?? row;
  const close = (): void => setWish(undefined);
  const done = (): void => {
    close();
    void read();
  };

  return (
    <Page
      title={t('nav.webhooks')}
      actions={
        mayGive ? (
          <Button isMain onClick={() => setWish({ row: undefined, is: 'change' })}>
            {t('webhooks.add')}
          </Button>
        ) : null
      }
    >
      {tested === undefined ? null : (
        <Note ink={tested.delivered ? 'good' : 'bad'} role="status">
          <p>{tested.says}</p>
          {tested.answer === '' ? null : <code className="foreign small">{tested.answer}</code>}
        </Note>
      )}
      <Loaded query={webhooks}>
        {(known) => (
          <Table
            label={t('nav.webhooks')}
            columns={columns}
            rows={known}
            keyOf={({ id }) => id}
            nameOf={(row) => isolated(nameOf(row))}
            isEnded={({ on }) => !on}
            menu={menu}
            empty={<Empty title={t('webhooks.none')} hint={t('webhooks.noneHint')} />}
          />
        )}
      </Loaded>
      {wish?.is === 'change' ? (
        <WebhookSheet
          row={wish.row}
          onDone={(made) => {
            done();
            setSecret(made ?? undefined);
          }}
          onClose={close}
        />
      ) : null}
      {wish?.is === 'show' ? <Deliveries row={latest(wish.row)} onClose={close} /> : null}
      {wish?.is === 'replay' ? <Replay row={wish.row} onDone={done} onClose={close} /> : null}
      {wish === undefined || !isAsked(wish) ? null : (
        <Confirm
          title={t(`webhooks.${wish.is}`)}
          says={rich(`webhooks.${wish.is}Says`, { url: <Foreign key="url">{nameOf(wish.row)}</Foreign> })}
          isFinal={wish.is === 'remove'}
          action={() => fulfil(wish)}
          onClose={close}
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
