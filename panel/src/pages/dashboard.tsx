import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Integration, Schemas, Server } from '../api.ts';
import { type Texts, useTexts } from '../i18n.ts';
import { Charts } from '../parts/charts.tsx';
import { LastBackup } from '../parts/last-backup.tsx';
import { Page } from '../parts/page.tsx';
import { isNew, isStuck, ServerBadges } from '../parts/server-badges.tsx';
import { Empty, Failed, Loaded } from '../parts/state.tsx';
import { Foreign, isolated } from '../parts/text.tsx';
import { useHealth, useProject, useServers, useShops } from '../queries.ts';
import { useMay } from '../session.ts';

const ServerCard = ({ server }: { server: Server }) => {
  const { t, count, number } = useTexts();
  const { name, serverId, bridge } = server;
  const players = bridge?.players;
  const max = players?.max;
  const online = players?.online ?? 0;
  return (
    <Link to="/players" search={{ serverId, online: 'true' }} className="card server">
      <strong>
        <Foreign>{name}</Foreign>
      </strong>
      <span className="dim small">{serverId}</span>
      <span>
        {players === undefined
          ? '–'
          : max === undefined
            ? count('dashboard.playersOnly', online)
            : t('dashboard.players', { online: number(online), max: number(max) })}
      </span>
      <ServerBadges server={server} />
    </Link>
  );
};

type Problem = { text: string; link?: 'attention.install' | 'attention.enable'; serverId: string };

const problemsOf = (texts: Texts, server: Server): Problem[] =>
  statesOf(texts, server).map((state) => ({ ...state, serverId: server.serverId }));

const statesOf = ({ t, number }: Texts, server: Server): Omit<Problem, 'serverId'>[] => {
  const { disabled, connected, bridge } = server;
  const name = isolated(server.name);
  if (disabled) return [{ text: t('attention.disabled', { server: name }), link: 'attention.enable' }];
  if (isNew(server)) return [{ text: t('attention.never', { server: name }), link: 'attention.install' }];
  if (!connected) return [{ text: t('attention.offline', { server: name }) }];
  return [
    ...(bridge?.draining === true ? [{ text: t('attention.draining', { server: name }) }] : []),
    ...(isStuck(server) ? [{ text: t('attention.stuck', { server: name, ms: number(bridge?.tickMs ?? 0) }) }] : []),
    ...(['warn', 'fail'].includes(bridge?.database?.status ?? '')
      ? [{ text: t('attention.database', { server: name }) }]
      : []),
  ];
};

/** The shops whose orders leave a decision to the staff. */
const ShopDecisions = ({ shops }: { shops: readonly Integration[] }) => {
  const { t, count } = useTexts();
  return shops
    .filter(({ unmatched }) => unmatched > 0)
    .map(({ id, name, unmatched }) => (
      <li key={id}>
        <Foreign>{name}</Foreign>: {count('attention.shop', unmatched)}{' '}
        <Link to="/shops/$id" params={{ id }}>
          {t('attention.open')}
        </Link>
      </li>
    ));
};

const Attention = ({ servers, project }: { servers: readonly Server[]; project: Schemas['Project'] }) => {
  const texts = useTexts();
  const may = useMay();
  const { t, count } = texts;
  const { indeterminate, dispatched } = project.commands;
  const { notMade } = project.schedules;
  const link = (status: 'indeterminate' | 'dispatched'): ReactNode =>
    may('commands:read') ? (
      <Link to="/journal" search={{ status }}>
        {t('attention.open')}
      </Link>
    ) : null;
  const problems = servers.flatMap((server) => problemsOf(texts, server));
  const shops = useShops();
  const isDecided = !may('integrations:write') || shops.data?.every(({ unmatched }) => unmatched === 0) === true;
  const isFine = problems.length + indeterminate + dispatched + notMade === 0 && isDecided;
  return (
    <section className="card" aria-live="polite">
      <h2>{t('dashboard.attention')}</h2>
      {isFine ? <p>{t('dashboard.fine')}</p> : null}
      {shops.error === null ? null : <Failed error={shops.error} />}
      <ul className="attention">
        {indeterminate > 0 ? (
          <li>
            {count('attention.indeterminate', indeterminate)} {link('indeterminate')}
          </li>
        ) : null}
        {notMade > 0 ? (
          <li>
            {count('attention.notMade', notMade)}{' '}
            {may('commands:read') ? <Link to="/schedules">{t('attention.open')}</Link> : null}
          </li>
        ) : null}
        <ShopDecisions shops={shops.data ?? []} />
        {problems.map(({ text, link: to, serverId }) => (
          <li key={text}>
            {text} {to === 'attention.enable' ? <Link to="/servers">{t(to)}</Link> : null}
            {to === 'attention.install' ? (
              <Link to="/servers/$serverId/connect" params={{ serverId }}>
                {t(to)}
              </Link>
            ) : null}
          </li>
        ))}
        {dispatched > 0 ? (
          <li>
            {count('attention.dispatched', dispatched)} {link('dispatched')}
          </li>
        ) : null}
      </ul>
    </section>
  );
};

/** How things stand, in one look. */
export const DashboardPage = () => {
  const { t } = useTexts();
  const servers = useServers();
  const project = useProject();
  const health = useHealth();
  return (
    <Page title={t('dashboard.title')}>
      <Loaded query={servers}>
        {(known) => (
          <>
            <Loaded query={project}>{(of) => <Attention servers={known} project={of} />}</Loaded>
            {health.data === undefined ? null : <LastBackup health={health.data} />}
            <section aria-label={t('dashboard.servers')} className="servers">
              {known.map((server) => (
                <ServerCard key={server.serverId} server={server} />
              ))}
            </section>
            {known.length === 0 ? (
              <Empty title={t('dashboard.noServers')}>
                <Link to="/servers">{t('dashboard.addServer')}</Link>
              </Empty>
            ) : null}
          </>
        )}
      </Loaded>
      <div className="grid">
        <Charts />
      </div>
    </Page>
  );
};
