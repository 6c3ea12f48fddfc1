import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api, dataOf, type OrderLine } from '../api.ts';
import { describeBought } from '../commands.tsx';
import { type Texts, useTexts } from '../i18n.ts';
import { PlayerFilter } from '../parts/player-filter.tsx';
import { Empty, Failed, Loaded } from '../parts/state.tsx';
import { Foreign } from '../parts/text.tsx';
import { Ago } from '../parts/time.tsx';
import { allPages } from '../queries.ts';

const EVERY_MS = 15_000;

/** Why a line is on the list, in words. */
export const reasonOf = ({ t, has, needsMore }: Texts, code: string | null, detail: string | null): string => {
  const own = `shops.reason.${code}`;
  if (has(own)) return t(own);
  const known = `code.${code}`;
  // A line has no numbers of its refusal, but the sentence of the game server has them.
  return has(known) && !needsMore(known, 'detail') ? t(known, { detail: detail ?? '' }) : (detail ?? code ?? '');
};

/** Why a person has to decide a line. The reason of an owed one is that of the command that takes it back. */
const explainLine = (texts: Texts, { name, state, reason, detail }: OrderLine): string => {
  const isJob = name === 'job';
  // The hub adds a detail if the player has another job.
  if (isJob && reason === 'no_opposite' && detail !== null) return texts.t('shops.reason.other_job');
  const why = reasonOf(texts, reason, detail);
  if (state !== 'owed' || texts.has(`shops.reason.${reason}`)) return why;
  return texts.t(isJob ? 'shops.owedJob' : 'shops.owed', { why });
};

const buyerIn = ({ name, value }: NonNullable<OrderLine['buyer']>): string =>
  name === value ? name : `${name} (${value})`;

const Line = ({ line, integrationId }: { line: OrderLine; integrationId: string }) => {
  const texts = useTexts();
  const { t, rich } = texts;
  const client = useQueryClient();
  const [target, setTarget] = useState(line.target ?? undefined);
  const decide = useMutation({
    mutationFn: (body: { target: string } | { dismiss: true }) =>
      dataOf(
        api.POST('/api/v2/integrations/{id}/unmatched/{lineId}', {
          params: { path: { id: integrationId, lineId: line.id } },
          body,
        }),
      ),
    onSettled: () => client.invalidateQueries({ queryKey: ['shops'] }),
  });
  const canGive = line.name !== null && line.state !== 'owed';
  return (
    <li className="card stack">
      <div className="row between">
        <span>
          <strong>
            <Foreign>{line.transaction}</Foreign>
          </strong>{' '}
          {line.package === '' ? null : <Foreign>{`${line.package} (${line.number})`}</Foreign>}
        </span>
        <span className="dim small">
          <Ago iso={line.updatedAt} />
        </span>
      </div>
      <p>{explainLine(texts, line)}</p>
      <p className="dim small">
        {line.buyer === null
          ? null
          : rich('shops.buyer', {
              name: <Foreign key="name">{buyerIn(line.buyer)}</Foreign>,
            })}{' '}
        {line.name === null ? null : (
          <span className="foreign">
            {t('shops.ordered', { what: describeBought(texts, { name: line.name, params: line.params ?? {} }) })}
          </span>
        )}{' '}
        {line.commandId === null ? null : (
          <Link to="/journal/$id" params={{ id: line.commandId }}>
            {t('dialog.journal')}
          </Link>
        )}
      </p>
      {decide.error === null ? null : <Failed error={decide.error} />}
      <div className="filters">
        {canGive ? (
          <>
            <div className="grow buyer">
              <PlayerFilter target={target} name={undefined} serverId={line.serverId} onChange={setTarget} />
            </div>
            <Button
              disabled={target === undefined || decide.isPending}
              onClick={() => target !== undefined && decide.mutate({ target })}
            >
              {t('shops.give')}
            </Button>
          </>
        ) : null}
        <Button variant="default" disabled={decide.isPending} onClick={() => decide.mutate({ dismiss: true })}>
          {t('shops.dismiss')}
        </Button>
      </div>
    </li>
  );
};

/** Lines of orders that a person has to decide. */
export const StaffList = ({ integrationId }: { integrationId: string }) => {
  const { t } = useTexts();
  const lines = useQuery({
    queryKey: ['shops', integrationId, 'unmatched'],
    queryFn: () =>
      allPages((query) =>
        dataOf(api.GET('/api/v2/integrations/{id}/unmatched', { params: { path: { id: integrationId }, query } })),
      ),
    refetchInterval: EVERY_MS,
  });
  return (
    <section className="stack">
      <h2>{t('shops.staff')}</h2>
      <Loaded query={lines}>
        {(known) =>
          known.length === 0 ? (
            <Empty title={t('shops.staffEmpty')} />
          ) : (
            <ul className="plain">
              {known.map((line) => (
                <Line key={line.id} line={line} integrationId={integrationId} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </section>
  );
};
