import { useMutation } from '@tanstack/react-query';
import { Link, useRouterState } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useCallback, useEffect, useRef, useState } from 'react';
import { hub, isCode } from '../api.ts';
import { useFolded } from '../display.ts';
import { useTexts, withTexts } from '../i18n.ts';
import { closeOrder, useWantedOrder } from '../open-order.ts';
import { type Place, usePlaceGroups, usePlaces, useSingleKeys } from '../places.ts';
import { useProject } from '../queries.ts';
import { expectSession, useSession } from '../session.ts';
import { Button } from './controls.tsx';
import { DIALOGS, topDialog } from './dialog.tsx';
import { Icon } from './icon.tsx';
import { Menu } from './menu.tsx';
import { Settings } from './settings.tsx';
import { Failed } from './state.tsx';
import { Foreign, plain } from './text.tsx';
import { Toasts } from './toasts.tsx';
import { UnansweredRequests } from './unanswered.tsx';

/** The signed-in person: how the panel looks to them, and the way out. */
const Account = ({ onSignedOut }: { onSignedOut: () => void }) => {
  const { t, rich } = useTexts();
  const { key } = useSession();
  const leave = (): void => {
    expectSession(false);
    onSignedOut();
  };
  const signOut = useMutation({
    mutationFn: () => hub.request('delete', '/api/v2/panel/session'),
    onSuccess: leave,
    onError: (error) => {
      if (isCode(error, 'signed_out')) leave();
    },
  });
  return (
    <Menu
      className="place account"
      role="dialog"
      popoverClass="menu settings"
      title={plain(key.name)}
      label={
        <>
          <Icon name="person" />
          <span>
            <Foreign>{key.name}</Foreign>
          </span>
          <span className="unseen">, {t('menu.settings')}</span>
        </>
      }
    >
      {() => (
        <>
          <p className="dim">{rich('menu.signedInAs', { name: <Foreign key="name">{key.name}</Foreign> })}</p>
          <Settings />
          {signOut.error === null ? null : <Failed error={signOut.error} />}
          <Button isBusy={signOut.isPending} onClick={() => signOut.mutate()}>
            {t('menu.signOut')}
          </Button>
        </>
      )}
    </Menu>
  );
};

const Palette = lazy(() => withTexts(import('../palette/palette.tsx')));
const KeyList = lazy(() => withTexts(import('../palette/keys.tsx')));
const OrderDesk = lazy(() => withTexts(import('../orders/desk.tsx')));

/** The places in the bar of a phone, in its order; the others are behind *More*. */
const FIRST: readonly string[] = ['/', '/players', '/journal', '/batches'];

/** The number of things that wait for a person, by page. */
const useWaiting = (): Partial<Record<Place['name'], number>> => {
  const { data } = useProject();
  const attention = data?.attention;
  return attention === undefined
    ? {}
    : {
        journal: attention.unknown,
        schedules: attention.runs,
        servers: attention.servers,
        webhooks: attention.webhooks,
        ...(attention.orders !== undefined && { shops: attention.orders }),
      };
};

const Count = ({ of }: { of: number | undefined }) => {
  const { number } = useTexts();
  return of === undefined || of === 0 ? null : <b>{number(of)}</b>;
};

const PlaceLink = ({
  page: { to, name },
  waiting,
  word: given,
}: {
  page: Place;
  waiting: number | undefined;
  /** Instead of its name. */
  word?: string | undefined;
}) => {
  const { t } = useTexts();
  const word = given ?? t(`nav.${name}`);
  return (
    <Link
      to={to}
      className="place"
      title={word}
      activeOptions={{ exact: to === '/', includeSearch: false }}
      activeProps={{ 'aria-current': 'page' }}
    >
      <Icon name={name} />
      <span>{word}</span>
      <Count of={waiting} />
    </Link>
  );
};

const HELP = [
  { to: '/docs/', name: 'help' },
  { to: '/docs/guides/fivem/troubleshooting', name: 'trouble' },
] as const;

const Help = () => {
  const { t } = useTexts();
  return HELP.map(({ to, name }) => (
    <a key={name} href={to} className="place" title={t(`nav.${name}`)}>
      <Icon name={name} />
      <span>{t(`nav.${name}`)}</span>
    </a>
  ));
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

const Side = ({ onSignedOut }: { onSignedOut: () => void }) => {
  const { t } = useTexts();
  const waiting = useWaiting();
  const groups = usePlaceGroups();
  const [isFolded, setFolded] = useFolded();
  return (
    <aside className="side" aria-label={t('nav.side')}>
      <Brand />
      <nav aria-label={t('nav.label')}>
        {groups.map(({ group, pages }) => (
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
    </aside>
  );
};

/** The bar of a phone. */
const Bottom = ({ onSignedOut }: { onSignedOut: () => void }) => {
  const { t } = useTexts();
  const waiting = useWaiting();
  const pages = usePlaces();
  const isFirst = ({ to }: Place): boolean => FIRST.includes(to);
  const others = pages.filter((page) => !isFirst(page));
  const behind = others.reduce((sum, { name }) => sum + (waiting[name] ?? 0), 0);
  return (
    <nav aria-label={t('nav.label')} className="bottom">
      {FIRST.flatMap((first) => pages.filter(({ to }) => to === first)).map((page) => (
        <PlaceLink
          key={page.to}
          page={page}
          waiting={waiting[page.name]}
          word={page.name === 'batches' ? t('nav.group.jobs') : undefined}
        />
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
            <Count of={behind} />
          </>
        }
      >
        {others.map((page) => (
          <PlaceLink key={page.to} page={page} waiting={waiting[page.name]} />
        ))}
        <Help />
        <Account onSignedOut={onSignedOut} />
      </Menu>
    </nav>
  );
};

/** Takes what a person types before the palette has been fetched and has the focus. */
const useTypedAhead = (isOpen: boolean, type: (change: (before: string) => string) => void): void => {
  useEffect(() => {
    if (!isOpen) return undefined;
    const press = (event: KeyboardEvent): void => {
      const { key, ctrlKey, metaKey, altKey } = event;
      const isThere = topDialog()?.contains(document.activeElement);
      if (isThere || ctrlKey || metaKey || altKey) return;
      if (key === 'Backspace') type((before) => before.slice(0, -1));
      else if (key.length === 1) type((before) => before + key);
      else return;
      event.preventDefault();
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, [isOpen, type]);
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
  const [isOpen, setOpen] = useState(false);
  const [typed, setTyped] = useState('');
  const open = useCallback((): void => {
    setTyped('');
    setOpen(true);
  }, []);
  const [areKeysShown, setKeysShown] = useState(false);
  const showKeys = useCallback(() => setKeysShown(true), []);
  const order = useWantedOrder();
  const main = useRef<HTMLElement>(null);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const first = useRef(path);
  useEffect(() => {
    // Announces the new page to screen readers.
    if (path === first.current) return;
    closeOrder();
    main.current?.focus();
    first.current = path;
  }, [path]);
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      // A payment in a dialog must not go unseen.
      if (topDialog() === undefined) open();
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, [open]);
  useTypedAhead(isOpen, setTyped);
  useSingleKeys(isOpen || order !== undefined, showKeys);
  return (
    <div className="frame" inert={isHidden} hidden={isHidden}>
      <a href="#content" className="skip">
        {t('nav.skip')}
      </a>
      <Side onSignedOut={onSignedOut} />
      <div className="content">
        <header>
          <Brand />
          <button type="button" className="search" aria-keyshortcuts="Control+K" onClick={open}>
            <Icon name="search" />
            <span>{t('palette.title')}</span>
            <kbd>{'Ctrl K'}</kbd>
          </button>
        </header>
        <main id="content" ref={main} tabIndex={-1}>
          <UnansweredRequests />
          {children}
          <div id={DIALOGS} />
          <Suspense>
            {isOpen ? <Palette typed={typed} onType={setTyped} onClose={() => setOpen(false)} /> : null}
            {areKeysShown ? <KeyList onClose={() => setKeysShown(false)} /> : null}
            {order === undefined ? null : <OrderDesk key={order.number} order={order} />}
          </Suspense>
        </main>
        <Toasts />
      </div>
      <Bottom onSignedOut={onSignedOut} />
    </div>
  );
};
