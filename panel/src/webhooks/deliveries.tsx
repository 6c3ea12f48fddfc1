import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { hub, type Schemas } from '../api.ts';
import { upcoming } from '../clock.ts';
import { describeName } from '../commands.tsx';
import { useTexts } from '../i18n.ts';
import { More } from '../parts/command-list.tsx';
import { Button, SelectField } from '../parts/controls.tsx';
import { CopyShort } from '../parts/copy.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Empty, Failed, Loaded } from '../parts/state.tsx';
import { Foreign } from '../parts/text.tsx';
import { Ago } from '../parts/time.tsx';
import { Pairs } from '../parts/values.tsx';
import { usePages, useServerNames } from '../queries.ts';
import { nameOf, typeInWords, type Webhook } from './webhook.ts';

const LOOK_EVERY_MS = 5_000;
/** The end of an event's id, by which people tell events apart. */
const SHOWN_OF_ID = 6;
const STATES = ['delivered', 'waiting', 'given_up'] as const;
const INKS = { delivered: 'dim', waiting: 'wait', given_up: 'bad' } as const;

type Delivery = Schemas['WebhookDelivery'];

/** What an event was about; commands and batches are links to their pages. */
const About = ({ type, about }: { type: string; about: NonNullable<Delivery['about']> }) => {
  const texts = useTexts();
  const { command, says, subject } = about;
  const kind = command === null ? '' : describeName(texts, command);
  const words = <Foreign>{[kind, says].filter((text) => text !== '').join(' · ')}</Foreign>;
  const params = { id: subject };
  if (type.startsWith('command.')) {
    return (
      <Link to="/journal/$id" params={params}>
        {words}
      </Link>
    );
  }
  if (type !== 'batch.settled') return words;
  return (
    <Link to="/batches/$id" params={params}>
      {words}
    </Link>
  );
};

const Row = ({ row, again }: { row: Delivery; again: () => void }) => {
  const texts = useTexts();
  const { t, number, count } = texts;
  const { eventId, type, events, about, state, status, detail, answer, at, nextAt, attempts, tookMs } = row;
  const next = upcoming(nextAt);
  const isSummary = events > 1;
  return (
    <li className="delivery">
      <span className="row between">
        <span>
          {isSummary ? count('webhooks.summary', events) : typeInWords(texts, type)}{' '}
          <span className={`state ${INKS[state]}`}>{t(`webhooks.state.${state}`)}</span>
        </span>
        {isSummary ? null : (
          <Button isSmall onClick={again}>
            {t('webhooks.again')}
          </Button>
        )}
      </span>
      {about === null ? null : <About type={type} about={about} />}
      <span className="small dim">
        <Ago iso={at} /> · {status === null ? null : `HTTP ${status} · `}
        {t('server.ms', { ms: number(tookMs) })} · {count('webhooks.attempts', attempts)}
        {next === null ? null : (
          <>
            {' '}
            · {t('webhooks.next')} <Ago iso={next} />
          </>
        )}
      </span>
      {isSummary ? null : <CopyShort text={eventId} short={`…${eventId.slice(-SHOWN_OF_ID)}`} />}
      {detail === null || status !== null ? null : <Foreign>{detail}</Foreign>}
      {answer === '' ? null : <code className="foreign small dim">{answer}</code>}
    </li>
  );
};

const Facts = ({ row }: { row: Webhook }) => {
  const texts = useTexts();
  const { t, number } = texts;
  const names = useServerNames();
  const { types, servers, maker, behind, waiting, givenUp, previousSecretEndsAt, eventsSince } = row;
  const { fault, failingSince, restUntil } = row;
  const ago = (iso: string | null) => iso && <Ago iso={iso} />;
  return (
    <Pairs
      of={[
        [t('webhooks.url'), row.name === null ? null : <Foreign key="url">{row.url ?? row.id}</Foreign>],
        [t('webhooks.fault'), fault && <Foreign key="fault">{fault}</Foreign>],
        [t('webhooks.failingSince'), ago(failingSince)],
        [t('webhooks.nextTry'), ago(upcoming(restUntil))],
        [t('webhooks.waiting'), waiting === 0 ? null : number(waiting)],
        [t('webhooks.types'), types?.map((type) => typeInWords(texts, type)).join(' · ') ?? t('webhooks.allTypes')],
        [t('nav.servers'), servers?.map((id) => names.get(id) ?? id).join(', ') ?? t('common.allServers')],
        [t('webhooks.maker'), <Foreign key="maker">{maker.name}</Foreign>],
        [t('webhooks.behind'), behind === 0 ? null : number(behind)],
        [t('webhooks.state.given_up'), givenUp === 0 ? null : number(givenUp)],
        [t('webhooks.oldSecret'), ago(previousSecretEndsAt)],
        [t('webhooks.eventsSince'), ago(eventsSince)],
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
        query: { ...cursor, state: state || undefined },
      }),
    refetchInterval: () => LOOK_EVERY_MS,
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
            if (known.length === 0)
              return <Empty title={t(state === '' ? 'webhooks.nothingSent' : 'webhooks.noneSuch')} />;
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
