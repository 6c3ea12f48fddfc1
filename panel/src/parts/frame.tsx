import { Link, useRouterState } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useEffect, useRef } from 'react';
import { useFolded } from '../display.ts';
import { useTexts } from '../i18n.ts';
import { useWantedOrder } from '../open-order.ts';
import { useProject } from '../queries.ts';
import { useMay, useSession } from '../session.ts';
import { Account } from './account.tsx';
import { DIALOGS } from './dialog.tsx';
import { Icon } from './icon.tsx';
import { Menu } from './menu.tsx';
import { Foreign } from './text.tsx';

const OrderDesk = lazy(() => import('../orders/desk.tsx'));

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
      { to: '/project', name: 'project', scope: undefined },
    ],
  },
] as const;
type Place = (typeof GROUPS)[number]['pages'][number];
/** The places in the bar of a phone; the others are behind *More*. */
const FIRST: readonly string[] = ['/', '/players', '/journal', '/batches'];

/** How much waits for a person, by page. */
const useWaiting = (): Partial<Record<Place['name'], number>> => {
  const { data } = useProject();
  const attention = data?.attention;
  return attention === undefined
    ? {}
    : {
        journal: attention.unknown,
        schedules: attention.runs,
        servers: attention.servers,
        ...(attention.orders !== undefined && { shops: attention.orders }),
      };
};

const PlaceLink = ({ page: { to, name }, waiting }: { page: Place; waiting: number | undefined }) => {
  const { t, number } = useTexts();
  return (
    <Link
      to={to}
      className="place"
      title={t(`nav.${name}`)}
      activeOptions={{ exact: to === '/', includeSearch: false }}
      activeProps={{ 'aria-current': 'page' }}
    >
      <Icon name={name} />
      <span>{t(`nav.${name}`)}</span>
      {waiting === undefined || waiting === 0 ? null : <b>{number(waiting)}</b>}
    </Link>
  );
};

const Help = () => {
  const { t } = useTexts();
  return (
    <a href="/docs/" className="place" title={t('nav.help')}>
      <Icon name="help" />
      <span>{t('nav.help')}</span>
    </a>
  );
};

const Brand = () => {
  const { project } = useSession();
  return (
    <Link to="/" className="brand">
      <img src="/favicon.svg" alt="Causeway" width="24" height="24" />
      <Foreign>{project.name}</Foreign>
    </Link>
  );
};

type Rooms = { group: (typeof GROUPS)[number]['group']; pages: readonly Place[] }[];

const Side = ({ rooms, onSignedOut }: { rooms: Rooms; onSignedOut: () => void }) => {
  const { t } = useTexts();
  const waiting = useWaiting();
  const [isFolded, setFolded] = useFolded();
  return (
    <div className="side">
      <Brand />
      <nav aria-label={t('nav.label')}>
        {rooms.map(({ group, pages }) => (
          <div key={group}>
            <h2>{t(`nav.group.${group}`)}</h2>
            <ul>
              {pages.map((page) => (
                <li key={page.to}>
                  <PlaceLink page={page} waiting={waiting[page.name]} />
                </li>
              ))}
            </ul>
          </div>
        ))}
      </nav>
      <div className="rest">
        <button type="button" className="place fold" aria-pressed={isFolded} onClick={() => setFolded(!isFolded)}>
          <Icon name="fold" />
          <span>{t('nav.fold')}</span>
        </button>
        <Help />
        <Account onSignedOut={onSignedOut} />
      </div>
    </div>
  );
};

/** The bar of a phone. */
const Bottom = ({ rooms, onSignedOut }: { rooms: Rooms; onSignedOut: () => void }) => {
  const { t } = useTexts();
  const waiting = useWaiting();
  const pages = rooms.flatMap((room) => room.pages);
  const isFirst = ({ to }: Place): boolean => FIRST.includes(to);
  return (
    <nav aria-label={t('nav.label')} className="bottom">
      {pages.filter(isFirst).map((page) => (
        <PlaceLink key={page.to} page={page} waiting={undefined} />
      ))}
      <Menu
        className="place"
        role="dialog"
        popoverClass="more"
        name={t('nav.more')}
        label={
          <>
            <Icon name="more" />
            <span>{t('nav.more')}</span>
          </>
        }
      >
        {pages
          .filter((page) => !isFirst(page))
          .map((page) => (
            <PlaceLink key={page.to} page={page} waiting={waiting[page.name]} />
          ))}
        <Help />
        <Account onSignedOut={onSignedOut} />
      </Menu>
    </nav>
  );
};

/** Side bar, head and place of a page. */
export const Frame = ({
  isHidden,
  onSignedOut,
  children,
}: {
  isHidden: boolean;
  onSignedOut: () => void;
  children: ReactNode;
}) => {
  const { t } = useTexts();
  const may = useMay();
  const order = useWantedOrder();
  const main = useRef<HTMLElement>(null);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const first = useRef(path);
  useEffect(() => {
    // Announces the new page to screen readers.
    if (path !== first.current) main.current?.focus();
    first.current = path;
  }, [path]);
  const rooms = GROUPS.map(({ group, pages }) => ({
    group,
    pages: pages.filter(({ scope }) => scope === undefined || may(scope)),
  })).filter(({ pages }) => pages.length > 0);
  return (
    <div className="frame" inert={isHidden} hidden={isHidden}>
      <a href="#content" className="skip">
        {t('nav.skip')}
      </a>
      <Side rooms={rooms} onSignedOut={onSignedOut} />
      <div className="content">
        <main id="content" ref={main} tabIndex={-1}>
          {children}
          <Suspense>{order === undefined ? null : <OrderDesk key={order.number} order={order} />}</Suspense>
          <div id={DIALOGS} />
        </main>
      </div>
      <Bottom rooms={rooms} onSignedOut={onSignedOut} />
    </div>
  );
};
