import { Button } from '@mantine/core';
import { useClickOutside, useWindowEvent } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { Link, useRouterState } from '@tanstack/react-router';
import { type FocusEvent, type ReactNode, useEffect, useRef } from 'react';
import { api, dataOf, isCode } from '../api.ts';
import { useConnected } from '../connection.ts';
import { useTexts } from '../i18n.ts';
import { expectSession, useMay, useSession } from '../session.ts';
import { DIALOGS } from './dialog.tsx';
import { Settings } from './settings.tsx';
import { Failed } from './state.tsx';
import { Foreign } from './text.tsx';

/** The pages, and the scope that each one needs. */
const PAGES = [
  { to: '/', name: 'dashboard', scope: 'servers:read' },
  { to: '/players', name: 'players', scope: 'players:read' },
  { to: '/journal', name: 'journal', scope: 'commands:read' },
  { to: '/batches', name: 'batches', scope: 'commands:read' },
  { to: '/schedules', name: 'schedules', scope: 'commands:read' },
  { to: '/servers', name: 'servers', scope: 'servers:read' },
  { to: '/shops', name: 'shops', scope: 'integrations:write' },
  { to: '/keys', name: 'keys', scope: 'keys:write' },
  { to: '/project', name: 'project', scope: undefined },
] as const;

const Menu = () => {
  const { t } = useTexts();
  const may = useMay();
  const menu = useRef<HTMLElement>(null);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  useEffect(() => {
    // The menu of a phone is wider than the phone.
    if (path !== '')
      menu.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [path]);
  return (
    <nav aria-label={t('nav.label')} className="menu" ref={menu}>
      {PAGES.filter(({ scope }) => scope === undefined || may(scope)).map(({ to, name }) => (
        <Link
          key={to}
          to={to}
          activeOptions={{ exact: to === '/', includeSearch: false }}
          activeProps={{ 'aria-current': 'page' }}
        >
          {t(`nav.${name}`)}
        </Link>
      ))}
    </nav>
  );
};

const Account = ({ onSignedOut }: { onSignedOut: () => void }) => {
  const { t, rich } = useTexts();
  const { key } = useSession();
  const leave = (): void => {
    expectSession(false);
    onSignedOut();
  };
  const signOut = useMutation({
    mutationFn: () => dataOf(api.DELETE('/api/v2/panel/session')),
    onSuccess: leave,
    onError: (error) => {
      if (isCode(error, 'signed_out')) leave();
    },
  });
  // Not a state: the toggle event comes late, and a key may come before it.
  const close = (): void => place.current?.removeAttribute('open');
  const place = useClickOutside<HTMLDetailsElement>(close);
  const leaveByKey = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || place.current?.open !== true) return;
    close();
    place.current.querySelector('summary')?.focus();
  };
  useWindowEvent('keydown', leaveByKey);
  const leaveByTab = ({ relatedTarget }: FocusEvent): void => {
    if (relatedTarget instanceof Node && place.current?.contains(relatedTarget) === false) close();
  };
  return (
    <details className="account" ref={place} onBlur={leaveByTab}>
      <summary>
        <Foreign>{key.name}</Foreign>
        <span className="unseen">, {t('menu.settings')}</span>
      </summary>
      <div className="card stack">
        <p className="dim">{rich('menu.signedInAs', { name: <Foreign key="name">{key.name}</Foreign> })}</p>
        <Settings />
        {signOut.error === null ? null : <Failed error={signOut.error} />}
        <Button variant="default" loading={signOut.isPending} onClick={() => signOut.mutate()}>
          {t('menu.signOut')}
        </Button>
      </div>
    </details>
  );
};

/** Head, menu and place of a page. */
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
  const { project } = useSession();
  const isConnected = useConnected();
  const main = useRef<HTMLElement>(null);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const first = useRef(path);
  useEffect(() => {
    // Announces the new page to screen readers.
    if (path !== first.current) main.current?.focus();
    first.current = path;
  }, [path]);
  return (
    <div className="frame" inert={isHidden} hidden={isHidden}>
      <a href="#content" className="skip">
        {t('nav.skip')}
      </a>
      <header>
        <Link to="/" className="brand">
          <img src="/favicon.svg" alt="Causeway" width="26" height="26" />
          <Foreign>{project.name}</Foreign>
        </Link>
        <Menu />
        <Account onSignedOut={onSignedOut} />
      </header>
      <main id="content" ref={main} tabIndex={-1} className={isConnected ? '' : 'stale'}>
        {children}
        <div id={DIALOGS} />
      </main>
    </div>
  );
};
