import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Navigate,
  Outlet,
  useLocation,
} from '@tanstack/react-router';
import { Gate } from './pages/gate.tsx';
import { NotFound } from './pages/not-found.tsx';
import { PlayersPage } from './pages/players.tsx';
import { allowed } from './parts/allowed.tsx';
import { ParkedActions } from './parts/parked.tsx';
import { PLAYER_FIELDS } from './players/query.ts';
import { useMay } from './session.ts';

// The list of the players is what staff open first; the others are loaded when they are opened.
const DashboardPage = lazyRouteComponent(() => import('./pages/dashboard.tsx'), 'DashboardPage');

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
  createRoute({
    ...under,
    path: '/players/$serverId/$identifier',
    component: allowed(
      'players:read',
      lazyRouteComponent(() => import('./pages/player.tsx'), 'PlayerPage'),
    ),
  }),
  createRoute({
    ...under,
    path: '/journal',
    validateSearch: texts('target', 'actor', 'serverId', 'name', 'status', 'batches', 'range', 'since', 'until'),
    component: allowed(
      'commands:read',
      lazyRouteComponent(() => import('./pages/journal.tsx'), 'JournalPage'),
    ),
  }),
  createRoute({
    ...under,
    path: '/journal/$id',
    component: allowed(
      'commands:read',
      lazyRouteComponent(() => import('./pages/command.tsx'), 'CommandPage'),
    ),
  }),
  createRoute({
    ...under,
    path: '/batches',
    validateSearch: texts('serverId', 'state'),
    component: allowed(
      'commands:read',
      lazyRouteComponent(() => import('./pages/batches.tsx'), 'BatchesPage'),
    ),
  }),
  createRoute({
    ...under,
    path: '/batches/new',
    component: allowed(
      'commands:batch',
      lazyRouteComponent(() => import('./pages/new-batch.tsx'), 'NewBatchPage'),
    ),
  }),
  createRoute({
    ...under,
    path: '/batches/$id',
    component: allowed(
      'commands:read',
      lazyRouteComponent(() => import('./pages/batch.tsx'), 'BatchPage'),
    ),
  }),
  createRoute({
    ...under,
    path: '/schedules',
    component: allowed(
      'commands:read',
      lazyRouteComponent(() => import('./pages/schedules.tsx'), 'SchedulesPage'),
    ),
  }),
  createRoute({
    ...under,
    path: '/schedules/new',
    component: allowed(
      'schedules:write',
      lazyRouteComponent(() => import('./pages/schedules.tsx'), 'NewSchedulePage'),
    ),
  }),
  createRoute({
    ...under,
    path: '/schedules/$id',
    component: allowed(
      'commands:read',
      lazyRouteComponent(() => import('./pages/schedule.tsx'), 'SchedulePage'),
    ),
  }),
  createRoute({
    ...under,
    path: '/servers',
    component: allowed(
      'servers:read',
      lazyRouteComponent(() => import('./pages/servers.tsx'), 'ServersPage'),
    ),
  }),
  createRoute({
    ...under,
    path: '/servers/$serverId',
    validateSearch: texts('target'),
    component: allowed(
      'servers:read',
      lazyRouteComponent(() => import('./pages/server.tsx'), 'ServerPage'),
    ),
  }),
  createRoute({
    ...under,
    path: '/servers/$serverId/connect',
    component: allowed(
      'servers:read',
      lazyRouteComponent(() => import('./pages/connect.tsx'), 'ConnectPage'),
    ),
  }),
  createRoute({
    ...under,
    path: '/shops',
    component: allowed(
      'integrations:write',
      lazyRouteComponent(() => import('./pages/shops.tsx'), 'ShopsPage'),
    ),
  }),
  createRoute({
    ...under,
    path: '/shops/$id',
    component: allowed(
      'integrations:write',
      lazyRouteComponent(() => import('./pages/shop.tsx'), 'ShopPage'),
    ),
  }),
  createRoute({
    ...under,
    path: '/shops/$id/edit',
    component: allowed(
      'integrations:write',
      lazyRouteComponent(() => import('./pages/edit-shop.tsx'), 'EditShopPage'),
    ),
  }),
  createRoute({
    ...under,
    path: '/keys',
    component: allowed(
      'keys:write',
      lazyRouteComponent(() => import('./pages/keys.tsx'), 'KeysPage'),
    ),
  }),
  createRoute({
    ...under,
    path: '/project',
    component: lazyRouteComponent(() => import('./pages/project.tsx'), 'ProjectPage'),
  }),
  createRoute({
    ...under,
    path: '/setup',
    component: lazyRouteComponent(() => import('./pages/setup.tsx'), 'SetupPage'),
  }),
] as const;

/** The pages of the panel; the hub serves their addresses (server/http/static.ts). */
export const createPanelRouter = () =>
  createRouter({ routeTree: root.addChildren([...routes]), defaultPreload: false, scrollRestoration: true });
