import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTexts } from '../i18n.ts';
import { signInWith } from '../session.ts';
import { Button } from './controls.tsx';
import { Copy } from './copy.tsx';
import { Dialog } from './dialog.tsx';
import { Failed } from './state.tsx';

/** Something that is shown once. It closes by its button only, so that no stray click loses it. */
export const Secret = ({
  title,
  says,
  text,
  onClose,
  action,
  children,
}: {
  title: string;
  says: ReactNode;
  text: string;
  onClose: () => void;
  action?: ReactNode;
  children?: ReactNode;
}) => {
  const { t } = useTexts();
  return (
    <Dialog title={title} className="wide" isHeld onClose={onClose}>
      <div className="stack">
        <p>{says}</p>
        {children}
        <pre className="secret">{text}</pre>
        <div className="row end">
          <Copy text={text} label={t('common.copy')} isSmall={false} />
          <Button onClick={onClose}>{t('common.close')}</Button>
          {action}
        </div>
      </div>
    </Dialog>
  );
};

/** The new secret of the user's own key. The old one works until the new one signs in. */
export const OwnKey = ({ text, onClose }: { text: string; onClose: () => void }) => {
  const client = useQueryClient();
  const { t } = useTexts();
  const enter = useMutation({ mutationFn: () => signInWith(client, text), onSuccess: onClose });
  return (
    <Secret
      title={t('signIn.key')}
      says={t('keys.shownOwn')}
      text={text}
      onClose={onClose}
      action={
        <Button isMain isBusy={enter.isPending} onClick={() => enter.mutate()}>
          {t('keys.enter')}
        </Button>
      }
    >
      {enter.error === null ? null : <Failed error={enter.error} />}
    </Secret>
  );
};
