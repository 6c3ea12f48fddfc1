import {
  createRootRoute,
  createRoute,
  createRouter,
  Link,
  lazyRouteComponent,
  Navigate,
  Outlet,
  useLocation,
} from '@tanstack/react-router';
import type { FunctionComponent } from 'react';
import type { Scope } from './api.ts';
import { useTexts, withTexts } from './i18n.ts';
import { Gate, ParkedActions } from './pages/gate.tsx';
import { PlayersPage } from './pages/players.tsx';
import { Page } from './parts/page.tsx';
import { Empty } from './parts/state.tsx';
import { PLAYER_FIELDS } from './players/query.ts';
import { useMay } from './session.ts';

/** A page that may be fetched when it is opened. */
type PageComponent = FunctionComponent & { preload?: () => Promise<void> | undefined };

/** Shows the page if the key has the scope; otherwise it names the missing scope and sends no request. */
const allowed = (scope: Scope, Page: PageComponent): PageComponent => {
  const Allowed: PageComponent = () => {
    const { t } = useTexts();
    const may = useMay();
    if (may(scope)) return <Page />;
    return <Empty title={t('common.forbidden', { scope: t(`scope.${scope}`) })} />;
  };
  // The router fetches it before it leaves the page before.
  if (Page.preload !== undefined) Allowed.preload = Page.preload;
  return Allowed;
};

const NotFound = () => {
  const { t } = useTexts();
  return (
    <Page title={t('common.notFound')}>
      <Empty title={t('common.notFoundHint')}>
        <Link to="/">{t('common.home')}</Link>
      </Empty>
    </Page>
  );
};

/** A page that is fetched with its texts when it is opened. */
const later = <N extends string>(load: () => Promise<Record<N, FunctionComponent>>, name: N) =>
  lazyRouteComponent<Record<N, FunctionComponent>, N>(() => withTexts(load()), name);

// The list of the players is what staff open first.
const SetupPage = later(() => import('./pages/setup.tsx'), 'SetupPage');
const PlayerPage = later(() => import('./pages/player.tsx'), 'PlayerPage');
const NewBatchPage = later(() => import('./pages/new-batch.tsx'), 'NewBatchPage');
const JournalPage = later(() => import('./pages/journal.tsx'), 'JournalPage');
const DashboardPage = later(() => import('./pages/dashboard.tsx'), 'DashboardPage');
const CommandPage = later(() => import('./pages/command.tsx'), 'CommandPage');
const BatchesPage = later(() => import('./pages/batches.tsx'), 'BatchesPage');
const BatchPage = later(() => import('./pages/batch.tsx'), 'BatchPage');
const ConnectPage = later(() => import('./pages/connect.tsx'), 'ConnectPage');
const EditShopPage = later(() => import('./pages/edit-shop.tsx'), 'EditShopPage');
const KeysPage = later(() => import('./pages/keys.tsx'), 'KeysPage');
const NewSchedulePage = later(() => import('./pages/schedules.tsx'), 'NewSchedulePage');
const ProjectPage = later(() => import('./pages/project.tsx'), 'ProjectPage');
const SchedulePage = later(() => import('./pages/schedule.tsx'), 'SchedulePage');
const SchedulesPage = later(() => import('./pages/schedules.tsx'), 'SchedulesPage');
const ServerPage = later(() => import('./pages/server.tsx'), 'ServerPage');
const ServersPage = later(() => import('./pages/servers.tsx'), 'ServersPage');
const ShopPage = later(() => import('./pages/shop.tsx'), 'ShopPage');
const ShopsPage = later(() => import('./pages/shops.tsx'), 'ShopsPage');
const WebhooksPage = later(() => import('./pages/webhooks.tsx'), 'WebhooksPage');

type Search = Record<string, unknown>;

/** Every field of an address is a text or absent; the page that uses it checks its meaning. */
const texts =
  <K extends string>(...names: K[]) =>
  (search: Search): { [N in K]?: string } =>
    Object.fromEntries(
      names.flatMap((name) => {
        const value = search[name];
        return value === undefined || value === '' ? [] : [[name, String(value)]];
      }),
      // The names are the ones that were given.
    ) as { [N in K]?: string };

/** The overview, or the first page that the key opens. */
const Home = () => {
  const may = useMay();
  if (may('servers:read')) return <DashboardPage />;
  return <Navigate to={may('players:read') ? '/players' : '/project'} replace />;
};

/** The setup of an empty hub is the only page without a sign-in. */
const Root = () => (
  <>
    <ParkedActions />
    {useLocation().pathname === '/setup' ? <Outlet /> : <Gate />}
  </>
);

const root = createRootRoute({ component: Root, notFoundComponent: NotFound });
const under = { getParentRoute: () => root };

const routes = [
  createRoute({ ...under, path: '/', validateSearch: texts('range'), component: Home }),
  createRoute({
    ...under,
    path: '/players',
    validateSearch: texts(...PLAYER_FIELDS),
    component: allowed('players:read', PlayersPage),
  }),
  createRoute({ ...under, path: '/players/$serverId/$identifier', component: allowed('players:read', PlayerPage) }),
  createRoute({
    ...under,
    path: '/journal',
    validateSearch: texts(
      'target',
      'actor',
      'serverId',
      'name',
      'status',
      'direction',
      'batches',
      'range',
      'since',
      'until',
    ),
    component: allowed('commands:read', JournalPage),
  }),
  createRoute({ ...under, path: '/journal/$id', component: allowed('commands:read', CommandPage) }),
  createRoute({
    ...under,
    path: '/batches',
    validateSearch: texts('serverId', 'state'),
    component: allowed('commands:read', BatchesPage),
  }),
  createRoute({ ...under, path: '/batches/new', component: allowed('commands:batch', NewBatchPage) }),
  createRoute({ ...under, path: '/batches/$id', component: allowed('commands:read', BatchPage) }),
  createRoute({ ...under, path: '/schedules', component: allowed('commands:read', SchedulesPage) }),
  createRoute({ ...under, path: '/schedules/new', component: allowed('schedules:write', NewSchedulePage) }),
  createRoute({ ...under, path: '/schedules/$id', component: allowed('commands:read', SchedulePage) }),
  createRoute({ ...under, path: '/servers', component: allowed('servers:read', ServersPage) }),
  createRoute({
    ...under,
    path: '/servers/$serverId',
    validateSearch: texts('target'),
    component: allowed('servers:read', ServerPage),
  }),
  createRoute({ ...under, path: '/servers/$serverId/connect', component: allowed('servers:read', ConnectPage) }),
  createRoute({ ...under, path: '/shops', component: allowed('integrations:write', ShopsPage) }),
  createRoute({ ...under, path: '/shops/$id', component: allowed('integrations:write', ShopPage) }),
  createRoute({ ...under, path: '/shops/$id/edit', component: allowed('integrations:write', EditShopPage) }),
  createRoute({ ...under, path: '/keys', component: allowed('keys:write', KeysPage) }),
  createRoute({ ...under, path: '/webhooks', component: allowed('webhooks:write', WebhooksPage) }),
  createRoute({ ...under, path: '/project', component: ProjectPage }),
  createRoute({ ...under, path: '/setup', component: SetupPage }),
] as const;

/** The pages of the panel; the hub serves their addresses (server/http/static.ts). */
export const createPanelRouter = () =>
  createRouter({
    routeTree: root.addChildren([...routes]),
    defaultPreload: false,
    scrollRestoration: true,
    // A page of another player, batch or schedule begins anew.
    defaultRemountDeps: ({ params }) => params,
  });
