import { useQueryClient } from '@tanstack/react-query';
import { Outlet } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import type { PanelSession } from '../api.ts';
import { useConnected } from '../connection.ts';
import { forgetPerson } from '../forget.ts';
import { useTexts } from '../i18n.ts';
import { useLive } from '../live.ts';
import { Frame } from '../parts/frame.tsx';
import { ProjectLanguage } from '../parts/settings.tsx';
import { SessionContext, useSessionQuery } from '../session.ts';
import { useWatched } from '../watched.ts';
import { SignIn } from './sign-in.tsx';

const Live = () => {
  const isConnected = useConnected();
  const isWatched = useWatched();
  useLive(isConnected && isWatched);
  return null;
};

/** Shows the panel to a signed-in user. When a session ends, typed input is kept behind the sign-in form. */
export const Gate = () => {
  const client = useQueryClient();
  const { t } = useTexts();
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
      {isConnected ? null : (
        <div className="offline" role="alert">
          {t('offline.banner')}
        </div>
      )}
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
