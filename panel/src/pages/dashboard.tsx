import { getRouteApi, Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { Integration, Schemas, Server } from '../api.ts';
import { useBatches } from '../batches.ts';
import { type Texts, useTexts } from '../i18n.ts';
import { Charts } from '../parts/charts.tsx';
import { Segments } from '../parts/chips.tsx';
import { JournalRows } from '../parts/journal-rows.tsx';
import { Page } from '../parts/page.tsx';
import { isNew, isStuck, statesOf } from '../parts/server-state.tsx';
import { Empty, Failed, Loaded } from '../parts/state.tsx';
import { Table } from '../parts/table.tsx';
import { Foreign, isolated } from '../parts/text.tsx';
import { useCommands, useHealth, useProject, useServers, useShops } from '../queries.ts';
import { useServerColumns } from '../servers/columns.tsx';
import { useMay } from '../session.ts';
import { RANGES, rangeOf, type Statistics, useStatistics } from '../statistics.ts';
import { nameOf, useWebhooks } from '../webhooks/webhook.ts';

type Need = { key: string; ink: 'ask' | 'bad' | 'wait' | 'dim'; says: ReactNode; link: ReactNode };

/** Lines of what needs a person, and normal servers, until all are wanted. */
const FIRST = 10;

/** The troubles of a server; `isAway` comes before the others. */
const ofServer = ({ t, number }: Texts, server: Server): (Need & { isAway?: boolean })[] => {
  const { disabled, connected, bridge, serverId } = server;
  const name = isolated(server.name);
  const params = { serverId };
  const need = (ink: Need['ink'], says: string, link: ReactNode) => ({ key: `${serverId} ${says}`, ink, says, link });
  if (disabled) {
    const link = <Link to="/servers">{t('attention.enable')}</Link>;
    return [need('dim', t('attention.disabled', { server: name }), link)];
  }
  if (isNew(server)) {
    const link = (
      <Link to="/servers/$serverId/connect" params={params}>
        {t('attention.install')}
      </Link>
    );
    return [need('dim', t('attention.never', { server: name }), link)];
  }
  const show = (
    <Link to="/servers/$serverId" params={params}>
      {t('attention.open')}
    </Link>
  );
  if (!connected) return [{ ...need('bad', t('attention.offline', { server: name }), show), isAway: true }];
  const wait = (isSo: boolean, says: string): Need[] => (isSo ? [need('wait', says, show)] : []);
  return [
    ...wait(bridge?.draining === true, t('attention.draining', { server: name })),
    ...wait(isStuck(server), t('attention.stuck', { server: name, ms: number(bridge?.tickMs ?? 0) })),
    ...wait(['warn', 'fail'].includes(bridge?.database?.status ?? ''), t('attention.database', { server: name })),
  ];
};

const ofShops = ({ t, count }: Texts, shops: readonly Integration[]): Need[] =>
  shops
    .filter(({ unmatched }) => unmatched > 0)
    .map(({ id, name, unmatched }) => ({
      key: id,
      ink: 'ask',
      says: (
        <>
          <Foreign>{name}</Foreign>: {count('attention.shop', unmatched)}
        </>
      ),
      link: (
        <Link to="/shops/$id" params={{ id }}>
          {t('attention.open')}
        </Link>
      ),
    }));

/** The list of things that wait for a person, the most urgent first: one line each. */
const NeedsYou = ({
  servers,
  shops,
  project: { attention },
  hasFailedBackup,
}: {
  servers: readonly Server[];
  shops: readonly Integration[];
  project: Schemas['Project'];
  hasFailedBackup: boolean;
}) => {
  const texts = useTexts();
  const may = useMay();
  const { t, count, number } = texts;
  const [isWhole, setWhole] = useState(false);
  const { unknown, runs, webhooks } = attention;
  const ofServers = servers.flatMap((server) => ofServer(texts, server));
  const mayRead = may('commands:read');
  const { data: hooks = [] } = useWebhooks(webhooks > 0);
  const troubled = hooks.filter((each) => each.troubled).map(nameOf);
  const open = t('attention.open');
  const inDoubt = (
    <Link to="/journal" search={{ status: 'indeterminate', range: 'custom' }}>
      {open}
    </Link>
  );
  const ofWebhooks = (
    <>
      {count('attention.webhooks', webhooks)} <Foreign>{troubled.join(', ')}</Foreign>
    </>
  );
  const some = (isSo: boolean, ink: Need['ink'], key: string, says: ReactNode, link: ReactNode): Need[] =>
    isSo ? [{ key, ink, says, link }] : [];
  const needs: Need[] = [
    ...some(unknown > 0, 'ask', 'unknown', count('attention.indeterminate', unknown), mayRead && inDoubt),
    ...ofShops(texts, shops),
    ...ofServers.filter(({ isAway }) => isAway),
    ...some(runs > 0, 'wait', 'runs', count('attention.notMade', runs), mayRead && <Link to="/schedules">{open}</Link>),
    ...some(webhooks > 0, 'bad', 'webhooks', ofWebhooks, may('webhooks:write') && <Link to="/webhooks">{open}</Link>),
    ...some(hasFailedBackup, 'bad', 'backup', t('attention.backup'), <Link to="/project">{open}</Link>),
    ...ofServers.filter(({ isAway }) => !isAway),
  ];
  return (
    <section aria-label={t('dashboard.attention')} aria-live="polite">
      {needs.length === 0 ? <p className="attention dim">{t('dashboard.fine')}</p> : null}
      <ul className="attention">
        {(isWhole ? needs : needs.slice(0, FIRST)).map(({ key, ink, says, link }) => (
          <li key={key}>
            <span className={`sign ${ink}`} aria-hidden="true" />
            <span className="says">{says}</span>
            {link}
          </li>
        ))}
      </ul>
      {isWhole || needs.length <= FIRST ? null : (
        <button type="button" className="number" onClick={() => setWhole(true)}>
          {t('player.showAll', { count: number(needs.length) })}
        </button>
      )}
    </section>
  );
};

const isNormal = (server: Server): boolean =>
  statesOf(server).length === 0 && !['warn', 'fail'].includes(server.bridge?.database?.status ?? '');

/** The servers, those that are not normal first. */
const ServersTable = ({ servers, statistics }: { servers: readonly Server[]; statistics: Statistics | undefined }) => {
  const { t, number } = useTexts();
  const [isWhole, setWhole] = useState(false);
  const columns = useServerColumns(new Map(statistics?.servers?.map(({ serverId, online }) => [serverId, online])));
  const normal = servers.filter(isNormal);
  const shown = [...servers.filter((server) => !isNormal(server)), ...(isWhole ? normal : normal.slice(0, FIRST))];
  return (
    <section>
      <Table
        label={t('nav.servers')}
        columns={columns}
        rows={shown}
        keyOf={({ serverId }) => serverId}
        nameOf={({ name }) => name}
        rowClass="server"
      />
      {shown.length < servers.length ? (
        <button type="button" className="number" onClick={() => setWhole(true)}>
          {t('dashboard.allServers', { count: number(servers.length) })}
        </button>
      ) : null}
    </section>
  );
};

const route = getRouteApi('/');
const LAST = 10;

const LastCommands = () => {
  const { t } = useTexts();
  const commands = useCommands({ batches: 'none' });
  const batches = useBatches();
  const isMissing = commands.data === undefined || batches.data === undefined;
  const isEmpty = !isMissing && [...commands.data.pages, ...batches.data.pages].every(({ data }) => data.length === 0);
  return (
    <section className="last">
      <div className="row between">
        <h2>{t('dashboard.last')}</h2>
        <Link to="/journal">{t('dashboard.all')}</Link>
      </div>
      {commands.error === null ? null : <Failed error={commands.error} />}
      {isEmpty ? <p className="dim">{t('dashboard.noCommands')}</p> : null}
      {isMissing || isEmpty ? null : <JournalRows commands={commands} batches={batches} most={LAST} list="last" />}
    </section>
  );
};

export const DashboardPage = () => {
  const { t } = useTexts();
  const may = useMay();
  const range = rangeOf(route.useSearch().range);
  const navigate = route.useNavigate();
  const servers = useServers();
  const project = useProject();
  const shops = useShops();
  const health = useHealth();
  const statistics = useStatistics(range);
  const isAsked = may('integrations:write');
  // All at once, so that nothing moves when the next answer comes.
  const isThere = project.data !== undefined && (!isAsked || shops.data !== undefined || shops.error !== null);
  const known = isThere ? servers.data : undefined;
  return (
    <Page
      title={t('nav.overview')}
      actions={
        <Segments
          label={t('journal.range')}
          value={range}
          options={RANGES.map((each) => [each, t(`dashboard.range.${each}`)] as const)}
          onChange={(each) => void navigate({ search: each === '24h' ? {} : { range: each }, replace: true })}
        />
      }
    >
      <Loaded query={{ ...servers, data: known, error: servers.error ?? project.error }} lines={8}>
        {(all) => (
          <>
            {project.data === undefined ? null : (
              <NeedsYou
                servers={all}
                shops={shops.data ?? []}
                project={project.data}
                hasFailedBackup={health.data?.backup?.status === 'warn'}
              />
            )}
            {shops.error === null ? null : <Failed error={shops.error} />}
            {all.length === 0 ? (
              <Empty title={t('dashboard.noServers')}>
                <Link to="/servers">{t('dashboard.addServer')}</Link>
              </Empty>
            ) : (
              <ServersTable servers={all} statistics={statistics.data} />
            )}
            <div className="charts-place">
              <Loaded query={statistics}>{(found) => <Charts statistics={found} range={range} />}</Loaded>
            </div>
            {may('commands:read') ? <LastCommands /> : null}
          </>
        )}
      </Loaded>
    </Page>
  );
};
