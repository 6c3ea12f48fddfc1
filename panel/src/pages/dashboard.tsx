import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Server } from '../api.ts';
import { useBatches } from '../batches.ts';
import { useTexts } from '../i18n.ts';
import { Charts } from '../parts/charts.tsx';
import { Segments } from '../parts/chips.tsx';
import { JournalRows } from '../parts/journal-rows.tsx';
import { NeedsYou } from '../parts/needs-you.tsx';
import { Page } from '../parts/page.tsx';
import { statesOf } from '../parts/server-state.tsx';
import { Empty, Failed, Loaded } from '../parts/state.tsx';
import { Table } from '../parts/table.tsx';
import { useCommands, useHealth, useProject, useServers, useShops } from '../queries.ts';
import { useServerColumns } from '../servers/columns.tsx';
import { useMay } from '../session.ts';
import { RANGES, rangeOf, type Statistics, useStatistics } from '../statistics.ts';

/** The number of normal servers in the table until the user asks for all. */
const FIRST = 10;

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
        label={t('dashboard.servers')}
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
      title={t('dashboard.title')}
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
