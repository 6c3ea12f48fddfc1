import { getRouteApi, Link } from '@tanstack/react-router';
import { useBatches } from '../batches.ts';
import { useTexts } from '../i18n.ts';
import { Charts } from '../parts/charts.tsx';
import { Segments } from '../parts/chips.tsx';
import { JournalRows } from '../parts/journal-rows.tsx';
import { NeedsYou } from '../parts/needs-you.tsx';
import { Page } from '../parts/page.tsx';
import { ServersTable } from '../parts/servers-table.tsx';
import { Empty, Failed, Loaded } from '../parts/state.tsx';
import { useCommands, useHealth, useProject, useServers, useShops } from '../queries.ts';
import { useMay } from '../session.ts';
import { RANGES, rangeOf, useStatistics } from '../statistics.ts';

const route = getRouteApi('/');
const LAST = 10;

/** The last commands, as rows of the journal. */
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

/** The overview of the project. */
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
