import { useMay } from './session.ts';

/** The pages in their groups, and the scope that each one needs. */
const GROUPS = [
  {
    group: 'watch',
    pages: [
      { to: '/', name: 'overview', scope: 'servers:read' },
      { to: '/journal', name: 'journal', scope: 'commands:read' },
    ],
  },
  { group: 'people', pages: [{ to: '/players', name: 'players', scope: 'players:read' }] },
  {
    group: 'jobs',
    pages: [
      { to: '/batches', name: 'batches', scope: 'commands:read' },
      { to: '/schedules', name: 'schedules', scope: 'commands:read' },
      { to: '/shops', name: 'shops', scope: 'integrations:write' },
    ],
  },
  {
    group: 'admin',
    pages: [
      { to: '/servers', name: 'servers', scope: 'servers:read' },
      { to: '/keys', name: 'keys', scope: 'keys:write' },
      { to: '/webhooks', name: 'webhooks', scope: 'webhooks:write' },
      { to: '/project', name: 'project', scope: undefined },
    ],
  },
] as const;
export type Place = (typeof GROUPS)[number]['pages'][number];

/** The groups of pages that the key opens. */
export const usePlaceGroups = () => {
  const may = useMay();
  return GROUPS.map(({ group, pages }) => ({
    group,
    pages: pages.filter(({ scope }): boolean => scope === undefined || may(scope)) as Place[],
  })).filter(({ pages }) => pages.length > 0);
};

/** The pages that the key opens. */
export const usePlaces = (): Place[] => usePlaceGroups().flatMap(({ pages }) => pages);
