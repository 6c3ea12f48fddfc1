import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api, type Command, dataOf } from '../api.ts';
import { describe, isCustom, OBSTACLES, paramsByRole } from '../commands.tsx';
import { lastFilters } from '../filters.ts';
import { useTexts } from '../i18n.ts';
import { FromServer, Target } from '../parts/command-list.tsx';
import { Page } from '../parts/page.tsx';
import { Resolve } from '../parts/resolve.tsx';
import { explainCode, Loaded } from '../parts/state.tsx';
import { Status } from '../parts/status.tsx';
import { TakeBack } from '../parts/take-back.tsx';
import { Foreign } from '../parts/text.tsx';
import { Values } from '../parts/values.tsx';
import { useMay } from '../session.ts';

const route = getRouteApi('/journal/$id');
const FOLLOW_MS = 2_000;
const isOpen = ({ status }: Command): boolean =>
  status === 'waiting' || status === 'accepted' || status === 'dispatched';

const Step = ({ at, children }: { at: string; children: ReactNode }) => {
  const { time } = useTexts();
  return (
    <li>
      <time dateTime={at} className="dim small">
        {time(at)}
      </time>
      <span>{children}</span>
    </li>
  );
};

const Timeline = ({ command }: { command: Command }) => {
  const { t, rich, count, time } = useTexts();
  const { actor, createdAt, dispatchedAt, settledAt, attempts, status, resolution } = command;
  return (
    <ol className="timeline">
      <Step at={createdAt}>{rich('detail.asked', { actor: <Foreign key="actor">{actor.name}</Foreign> })}</Step>
      {dispatchedAt === null ? (
        isOpen(command) ? (
          <Step at={createdAt}>
            {command.waitingFor === undefined ? '' : `${t(OBSTACLES[command.waitingFor])} · `}
            {t('detail.expires', { time: time(command.expiresAt) })}
          </Step>
        ) : null
      ) : (
        <Step at={dispatchedAt}>
          {t('detail.sent', { server: command.serverId })}
          {attempts > 1 ? `, ${count('detail.attempts', attempts)}` : ''}
        </Step>
      )}
      {settledAt === null ? null : (
        <Step at={settledAt}>
          {t('detail.settled', { status: t(`status.${resolution === undefined ? status : 'indeterminate'}`) })}
        </Step>
      )}
      {resolution === undefined ? null : (
        <Step at={resolution.at}>
          {rich('detail.resolvedBy', {
            actor: <Foreign key="actor">{resolution.actor.name}</Foreign>,
            note: <Foreign key="note">{resolution.note}</Foreign>,
          })}
        </Step>
      )}
    </ol>
  );
};

const Detail = ({ command }: { command: Command }) => {
  const texts = useTexts();
  const { t, number } = texts;
  const may = useMay();
  const { params, result, error, target, serverId } = command;
  const custom = isCustom(command) ? paramsByRole(command) : undefined;
  const reason = custom === undefined ? params['reason'] : custom.reason;
  const { before, after, applied } = result ?? {};
  const reported = error?.details?.['reported'];
  return (
    <div className="stack">
      <section className="card stack">
        <div className="row">
          <Status command={command} />
          <strong>
            {describe(texts, command)}
            <FromServer command={command} />
          </strong>
          {custom === undefined && typeof before === 'number' && typeof after === 'number' ? (
            <span>
              {number(before)} → {number(after)}
              {typeof applied === 'number' && applied !== (params['amount'] ?? params['count'])
                ? ` ${t('detail.applied', { applied: number(applied) })}`
                : null}
            </span>
          ) : null}
        </div>
        {target === null ? null : (
          <p className="row">
            <Link to="/players/$serverId/$identifier" params={{ serverId, identifier: target }} className="row">
              <Target command={command} />
            </Link>
            <Link to="/journal" search={{ target, serverId }} className="small">
              {t('player.wholeHistory')}
            </Link>
          </p>
        )}
        {typeof reason === 'string' ? (
          <p>
            <span className="dim">{t('common.reason')}:</span> <Foreign>{reason}</Foreign>
          </p>
        ) : null}
        {custom === undefined ? null : <Values of={custom.others} />}
        {custom !== undefined && result !== null && result !== undefined ? (
          <>
            <h2>{t('detail.result')}</h2>
            <Values of={result} />
          </>
        ) : null}
        {error === undefined ? null : <p>{explainCode(texts, error)}</p>}
        {typeof reported === 'object' && reported !== null ? (
          <>
            <h2>{t('detail.reported')}</h2>
            <Values of={{ ...reported }} />
          </>
        ) : null}
        <p className="dim small">
          <Foreign>{command.id}</Foreign>
        </p>
      </section>
      <section className="card">
        <h2>{t('detail.timeline')}</h2>
        <Timeline command={command} />
      </section>
      {may('commands:resolve') && command.status === 'indeterminate' ? <Resolve command={command} /> : null}
      {may('commands:resolve') && isOpen(command) ? <TakeBack id={command.id} /> : null}
    </div>
  );
};

/** One command: its request, its outcome, and the open actions. */
export const CommandPage = () => {
  const { t } = useTexts();
  const { id } = route.useParams();
  const query = useQuery({
    queryKey: ['command', id],
    queryFn: () => dataOf(api.GET('/api/v2/commands/{id}', { params: { path: { id } } })),
    refetchInterval: ({ state }) => (state.data !== undefined && isOpen(state.data) ? FOLLOW_MS : false),
  });
  return (
    <Page
      title={t('journal.title')}
      actions={
        <Link to="/journal" search={lastFilters('/journal')}>
          {t('journal.back')}
        </Link>
      }
    >
      <Loaded query={query}>{(command) => <Detail command={command} />}</Loaded>
    </Page>
  );
};
