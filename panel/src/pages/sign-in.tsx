import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { HubProblem, hub } from '../api.ts';
import { useTexts } from '../i18n.ts';
import type { MessageKey } from '../messages/keys.ts';
import { Button, Note, TextField } from '../parts/controls.tsx';
import { Settings } from '../parts/settings.tsx';
import { expectSession, takeSession } from '../session.ts';

const messageFor = (error: unknown): MessageKey => {
  if (!(error instanceof HubProblem)) return 'offline.banner';
  return error.problem.code === 'rate_limited' ? 'signIn.tooMany' : 'signIn.wrong';
};

/** Takes a key, and forgets it as soon as the hub has answered. */
export const SignIn = ({ hasEnded }: { hasEnded: boolean }) => {
  const client = useQueryClient();
  const { t } = useTexts();
  const [key, setKey] = useState('');
  const [message, setMessage] = useState<MessageKey>();
  const [isBusy, setBusy] = useState(false);

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    try {
      const headers = { 'X-API-Key': key.trim() };
      const session = await hub.request('post', '/api/v2/panel/session', { headers });
      setKey('');
      expectSession(true);
      client.setQueryData(['session'], takeSession(client, session));
      void client.invalidateQueries();
    } catch (error) {
      setMessage(messageFor(error));
    } finally {
      setBusy(false);
    }
  };

  return (
    <main className="sign-in">
      <form onSubmit={(event) => void submit(event)} className="card stack">
        <img src="/favicon.svg" alt="" width="40" height="40" />
        <h1>Causeway</h1>
        {hasEnded && message === undefined ? <Note role="status">{t('signIn.ended')}</Note> : null}
        {message === undefined ? null : (
          <Note ink="bad" role="alert">
            {t(message)}
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
        <Button isMain type="submit" isBusy={isBusy}>
          {t('signIn.submit')}
        </Button>
        <Settings />
      </form>
    </main>
  );
};
