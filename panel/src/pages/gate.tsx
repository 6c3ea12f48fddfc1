import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Outlet } from '@tanstack/react-router';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { HubProblem, type PanelSession, useConnected } from '../api.ts';
import { useTexts } from '../i18n.ts';
import { useLive } from '../live.ts';
import type { MessageKey } from '../messages/keys.ts';
import { Button, Note, TextField } from '../parts/controls.tsx';
import { Frame } from '../parts/frame.tsx';
import { ProjectLanguage, Settings } from '../parts/settings.tsx';
import { useNow } from '../parts/time.tsx';
import { giveUpParked, useParked } from '../patience.ts';
import { forgetPerson, SessionContext, signInWith, useSessionQuery } from '../session.ts';

const Seconds = ({ until }: { until: number }) => {
  const { t, number } = useTexts();
  const seconds = number(Math.max(1, Math.ceil((until - useNow()) / 1000)));
  return <span role="timer">{t('limit.seconds', { seconds })}</span>;
};

/** The actions that the limit of requests has refused: each counts down and goes by itself. */
export const ParkedActions = () => {
  const { t } = useTexts();
  const parked = useParked();
  if (parked.length === 0) return null;
  return (
    <aside className="offline parked" aria-label={t('limit.name')}>
      <span role="status">{t('limit.waits')}</span> <Seconds until={Math.min(...parked.map(({ at }) => at))} />{' '}
      <Button isSmall onClick={giveUpParked}>
        {t('limit.giveUp')}
      </Button>
    </aside>
  );
};

/** A browser keeps six connections to one address: a hidden tab closes its connection. */
const HIDDEN_FOR_MS = 60_000;

/** Whether this tab is visible, or was visible a minute ago. */
const useWatched = (): boolean => {
  const [isWatched, setWatched] = useState(true);
  useEffect(() => {
    let timer: number | undefined;
    const look = (): void => {
      window.clearTimeout(timer);
      if (document.visibilityState === 'visible') setWatched(true);
      else timer = window.setTimeout(() => setWatched(false), HIDDEN_FOR_MS);
    };
    look();
    document.addEventListener('visibilitychange', look);
    return () => {
      window.clearTimeout(timer);
      document.removeEventListener('visibilitychange', look);
    };
  }, []);
  return isWatched;
};

const messageFor = (error: unknown): MessageKey => {
  if (!(error instanceof HubProblem)) return 'offline.banner';
  return error.problem.code === 'rate_limited' ? 'signIn.tooMany' : 'signIn.wrong';
};

/** Takes a key, and forgets it as soon as the hub has answered. */
const SignIn = ({ hasEnded }: { hasEnded: boolean }) => {
  const client = useQueryClient();
  const { t } = useTexts();
  const [key, setKey] = useState('');
  const enter = useMutation({
    mutationFn: () => signInWith(client, key.trim()),
    onSuccess: () => {
      setKey('');
      void client.invalidateQueries();
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    enter.mutate();
  };
  return (
    <main className="sign-in">
      <form onSubmit={submit} className="card stack">
        <img src="/favicon.svg" alt="" width="40" height="40" />
        <h1>Causeway</h1>
        {hasEnded && enter.error === null ? <Note role="status">{t('signIn.ended')}</Note> : null}
        {enter.error === null ? null : (
          <Note ink="bad" role="alert">
            {t(messageFor(enter.error))}
          </Note>
        )}
        <TextField
          type="password"
          label={t('signIn.key')}
          description={t('signIn.hint')}
          value={key}
          onChange={setKey}
          autoComplete="current-password"
          autoFocus
          required
        />
        <Button isMain type="submit" isBusy={enter.isPending}>
          {t('signIn.submit')}
        </Button>
        <Settings />
      </form>
    </main>
  );
};

const Live = () => {
  const isConnected = useConnected();
  const isWatched = useWatched();
  useLive(isConnected && isWatched);
  return null;
};

/** The hub does not answer; it is shown from the first request without an answer on. */
const Away = () => {
  const { t, locale } = useTexts();
  const [since] = useState(() => new Intl.DateTimeFormat(locale, { timeStyle: 'short' }).format(Date.now()));
  return (
    <div className="offline" role="alert">
      {t('offline.since', { time: since })}
    </div>
  );
};

/** Shows the panel to a signed-in user. When a session ends, typed input is kept behind the sign-in form. */
export const Gate = () => {
  const client = useQueryClient();
  const isConnected = useConnected();
  const { data: session } = useSessionQuery(isConnected);
  const latest = useRef<PanelSession>(undefined);
  if (session != null) latest.current = session;
  const wasConnected = useRef(true);

  useEffect(() => {
    if (isConnected && !wasConnected.current) void client.invalidateQueries();
    wasConnected.current = isConnected;
  }, [client, isConnected]);

  const forget = (): void => {
    latest.current = undefined;
    forgetPerson(client);
    client.setQueryData(['session'], null);
  };
  const known = latest.current;
  const isOut = session === null;
  return (
    <>
      {isConnected ? null : <Away />}
      {known === undefined ? null : (
        <SessionContext key={known.key.id} value={known}>
          <Frame isHidden={isOut} onSignedOut={forget}>
            {isOut ? null : <Live />}
            <ProjectLanguage />
            <Outlet />
          </Frame>
        </SessionContext>
      )}
      {isOut ? <SignIn hasEnded={known !== undefined} /> : null}
    </>
  );
};
