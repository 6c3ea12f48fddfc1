import { createRootRoute, createRoute, createRouter } from '@tanstack/react-router';
import { Gate } from './pages/gate.tsx';
import { NotFound } from './pages/not-found.tsx';
import { PlayerPage } from './pages/player.tsx';
import { PlayersPage } from './pages/players.tsx';

type Search = Record<string, unknown>;
/** Every field of an address is a text or absent; what it means is known where it is used. */
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

const root = createRootRoute({ component: Gate, notFoundComponent: NotFound });

export const playersRoute = createRoute({
  getParentRoute: () => root,
  path: '/players',
  validateSearch: texts('search', 'serverId', 'online'),
  component: PlayersPage,
});

export const playerRoute = createRoute({
  getParentRoute: () => root,
  path: '/players/$serverId/$identifier',
  component: PlayerPage,
});

const homeRoute = createRoute({ getParentRoute: () => root, path: '/', component: NotFound });
const journalRoute = createRoute({ getParentRoute: () => root, path: '/journal', component: NotFound });
const serversRoute = createRoute({ getParentRoute: () => root, path: '/servers', component: NotFound });
const keysRoute = createRoute({ getParentRoute: () => root, path: '/keys', component: NotFound });
const projectRoute = createRoute({ getParentRoute: () => root, path: '/project', component: NotFound });
const commandRoute = createRoute({ getParentRoute: () => root, path: '/journal/$id', component: NotFound });

export const createPanelRouter = () =>
  createRouter({
    routeTree: root.addChildren([
      homeRoute,
      journalRoute,
      serversRoute,
      keysRoute,
      projectRoute,
      playersRoute,
      playerRoute,
      commandRoute,
    ]),
    defaultPreload: false,
    scrollRestoration: true,
  });
