import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTexts } from '../i18n.ts';
import { signInWith } from '../session.ts';
import { Button } from './controls.tsx';
import { Secret } from './secret.tsx';
import { Failed } from './state.tsx';

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
