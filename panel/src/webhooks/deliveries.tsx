import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { hub, type Schemas } from '../api.ts';
import { hubNow } from '../clock.ts';
import { useTexts } from '../i18n.ts';
import { More } from '../parts/command-list.tsx';
import { Button, SelectField } from '../parts/controls.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Pairs } from '../parts/pairs.tsx';
import { Empty, Failed, Loaded } from '../parts/state.tsx';
import { Foreign } from '../parts/text.tsx';
import { Ago } from '../parts/time.tsx';
import { usePages, useServerNames } from '../queries.ts';
import { nameOf, typeInWords, type Webhook } from './webhook.ts';

const EVERY_MS = 5_000;
const STATES = ['delivered', 'waiting', 'given_up'] as const;
const INKS = { delivered: 'dim', waiting: 'wait', given_up: 'bad' } as const;

type Delivery = Schemas['WebhookDelivery'];

const Row = ({ row, again }: { row: Delivery; again: () => void }) => {
  const texts = useTexts();
  const { t, number, count } = texts;
  const { type, state, status, detail, answer, at, nextAt, attempts, tookMs } = row;
  return (
    <li className="delivery">
      <span className="row between">
        <span>
          <span title={row.eventId}>{typeInWords(texts, type)}</span>{' '}
          <span className={`state ${INKS[state]}`}>{t(`webhooks.state.${state}`)}</span>
        </span>
        <Button isSmall onClick={again}>
          {t('webhooks.again')}
        </Button>
      </span>
      <span className="small dim">
        <Ago iso={at} /> · {status === null ? null : `HTTP ${status} · `}
        {t('server.ms', { ms: number(tookMs) })} · {count('webhooks.attempts', attempts)}
        {nextAt === null || Date.parse(nextAt) <= hubNow() ? null : (
          <>
            {' '}
            · {t('webhooks.next')} <Ago iso={nextAt} />
          </>
        )}
      </span>
      {detail === null || status !== null ? null : <Foreign>{detail}</Foreign>}
      {answer === '' ? null : <code className="foreign small dim">{answer}</code>}
    </li>
  );
};

const Facts = ({ row }: { row: Webhook }) => {
  const texts = useTexts();
  const { t, number } = texts;
  const names = useServerNames();
  const { types, servers, maker, behind, givenUp, previousSecretEndsAt } = row;
  return (
    <Pairs
      of={[
        [t('webhooks.types'), types?.map((type) => typeInWords(texts, type)).join(' · ') ?? t('webhooks.allTypes')],
        [t('nav.servers'), servers?.map((id) => names.get(id) ?? id).join(', ') ?? t('common.allServers')],
        [t('webhooks.maker'), <Foreign key="maker">{maker.name}</Foreign>],
        [t('webhooks.behind'), behind === 0 ? null : number(behind)],
        [t('webhooks.state.given_up'), givenUp === 0 ? null : number(givenUp)],
        [t('webhooks.oldSecret'), previousSecretEndsAt === null ? null : <Ago key="ends" iso={previousSecretEndsAt} />],
      ]}
    />
  );
};

/** What a webhook gets, and the events that were sent to it, the newest first; each can be sent again. */
export const Deliveries = ({ row, onClose }: { row: Webhook; onClose: () => void }) => {
  const { t } = useTexts();
  const { id } = row;
  const [state, setState] = useState<Delivery['state'] | ''>('');
  const rows = usePages({
    queryKey: ['webhook', id, state],
    read: (cursor) =>
      hub.request('get', '/api/v2/webhooks/{id}/deliveries', {
        path: { id },
        query: { ...cursor, ...(state !== '' && { state }) },
      }),
    refetchInterval: EVERY_MS,
  });
  const retry = useMutation({
    mutationFn: (eventId: string) =>
      hub.request('post', '/api/v2/webhooks/{id}/deliveries/{eventId}/retry', { path: { id, eventId } }),
    onSuccess: () => rows.refetch(),
  });
  return (
    <Dialog title={t('webhooks.deliveries')} isSheet onClose={onClose}>
      <div className="sheet-fields stack">
        <Foreign>{nameOf(row)}</Foreign>
        <Facts row={row} />
        <SelectField
          label={t('table.state')}
          value={state}
          onChange={setState}
          options={[['', t('common.all')], ...STATES.map((each) => [each, t(`webhooks.state.${each}`)] as const)]}
        />
        {retry.error === null ? null : <Failed error={retry.error} lost="again" />}
        <Loaded query={rows}>
          {({ pages }) => {
            const known = pages.flatMap(({ data }) => data);
            if (known.length === 0) return <Empty title={t('webhooks.nothingSent')} />;
            return (
              <ul className="plain" aria-label={t('webhooks.deliveries')}>
                {known.map((each) => (
                  <Row key={each.eventId} row={each} again={() => retry.mutate(each.eventId)} />
                ))}
              </ul>
            );
          }}
        </Loaded>
        <More query={rows} />
      </div>
    </Dialog>
  );
};
