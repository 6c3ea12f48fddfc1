import { useMutation } from '@tanstack/react-query';
import { hub, isCode } from '../api.ts';
import { useTexts } from '../i18n.ts';
import { expectSession, useSession } from '../session.ts';
import { Button } from './controls.tsx';
import { Icon } from './icon.tsx';
import { Menu } from './menu.tsx';
import { Settings } from './settings.tsx';
import { Failed } from './state.tsx';
import { Foreign, plain } from './text.tsx';

/** The signed-in person: how the panel looks to them, and the way out. */
export const Account = ({ onSignedOut }: { onSignedOut: () => void }) => {
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
