import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { HubProblem } from '../api.ts';
import { useTexts } from '../i18n.ts';
import type { MessageKey } from '../messages/keys.ts';
import { Button, Note, TextField } from '../parts/controls.tsx';
import { Settings } from '../parts/settings.tsx';
import { signInWith } from '../session.ts';

const messageFor = (error: unknown): MessageKey => {
  if (!(error instanceof HubProblem)) return 'offline.banner';
  return error.problem.code === 'rate_limited' ? 'signIn.tooMany' : 'signIn.wrong';
};

/** Takes a key, and forgets it as soon as the hub has answered. */
export const SignIn = ({ hasEnded }: { hasEnded: boolean }) => {
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
