import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useEffect, useState } from 'react';
import { HubProblem, hubPage } from '../api.ts';
import { keepToken } from '../fresh-token.ts';
import { useTexts } from '../i18n.ts';
import { Button, Note, TextField } from '../parts/controls.tsx';
import { Copy } from '../parts/copy.tsx';
import { Settings } from '../parts/settings.tsx';
import { explain } from '../parts/state.tsx';
import { signInWith } from '../session.ts';

type Made = { serverId: string; key: string; token: string };

/** The id of a game server, from its name. */
const idOf = (name: string): string =>
  name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 63) || 'main';

/** `link`: this browser has opened no link yet. `key`: the hub is set up, and its key was never used. */
type Step = 'link' | 'names' | 'key';

/** Exchanges the token of the address once. A reload goes on with the cookie. */
const openLink = async (): Promise<Step> => {
  const token = location.hash.slice(1);
  if (token !== '') {
    // Before the request: a copied address or the history must not have it.
    history.replaceState(history.state, '', '/setup');
    await hubPage('/setup/open', { token });
  }
  return (await hubPage<{ step: Step }>('/setup/state')).step;
};
let opening: Promise<Step> | undefined;

/** A link that is opened in a tab with this page changes only the hash. */
const openNewLink = (): void => {
  if (location.hash.length > 1) location.reload();
};

const Card = ({ title, children }: { title: string; children: ReactNode }) => (
  <main className="sign-in">
    <div className="card stack">
      <img src="/favicon.svg" alt="" width="40" height="40" />
      <h1>{title}</h1>
      {children}
      <Settings />
    </div>
  </main>
);

const Refused = ({ error }: { error: unknown }) => {
  const texts = useTexts();
  return (
    <Note ink="bad" role="alert">
      {explain(texts, error)}
    </Note>
  );
};

const Names = ({ onMade }: { onMade: (made: Made) => void }) => {
  const { t } = useTexts();
  const [community, setCommunity] = useState('');
  const [server, setServer] = useState('');
  const make = useMutation({
    mutationFn: async (): Promise<Made> => {
      const serverId = idOf(server);
      const body = { community: community.trim(), serverId, serverName: server.trim() };
      return { serverId, ...(await hubPage<{ key: string; token: string }>('/setup/finish', body)) };
    },
    onSuccess: onMade,
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    make.mutate();
  };
  return (
    <Card title={t('setup.title')}>
      {make.error === null ? <p>{t('setup.says')}</p> : <Refused error={make.error} />}
      <form onSubmit={submit} className="stack">
        <TextField
          label={t('setup.community')}
          value={community}
          maxLength={128}
          onChange={setCommunity}
          autoFocus
          required
        />
        <TextField
          label={t('setup.server')}
          description={server.trim() === '' ? t('setup.serverHint') : t('setup.serverId', { id: idOf(server) })}
          value={server}
          maxLength={128}
          onChange={setServer}
          required
        />
        <Button isMain type="submit" isBusy={make.isPending} disabled={community.trim() === '' || server.trim() === ''}>
          {t('setup.make')}
        </Button>
      </form>
    </Card>
  );
};

const Key = ({ made }: { made: Made }) => {
  const client = useQueryClient();
  const navigate = useNavigate();
  const { t } = useTexts();
  const enter = useMutation({
    mutationFn: async () => {
      await signInWith(client, made.key);
      keepToken(made.serverId, made.token);
      await navigate({ to: '/servers/$serverId/connect', params: { serverId: made.serverId } });
    },
  });
  return (
    <Card title={t('setup.keyTitle')}>
      {enter.error === null ? null : <Refused error={enter.error} />}
      <p>{t('setup.keySays')}</p>
      <pre className="secret">{made.key}</pre>
      <div className="row end">
        <Copy text={made.key} label={t('common.copy')} isSmall={false} />
        <Button isMain onClick={() => enter.mutate()} isBusy={enter.isPending}>
          {t('setup.goOn')}
        </Button>
      </div>
    </Card>
  );
};

/** Before the first sign-in, a lost key is replaced. */
const Again = ({ onMade }: { onMade: (made: Made) => void }) => {
  const { t } = useTexts();
  const renew = useMutation({ mutationFn: () => hubPage<Made>('/setup/renew', {}), onSuccess: onMade });
  return (
    <Card title={t('setup.keyTitle')}>
      {renew.error === null ? <p>{t('setup.again')}</p> : <Refused error={renew.error} />}
      <div className="row end">
        <a className="button" href="/servers">
          {t('signIn.submit')}
        </a>
        <Button isMain onClick={() => renew.mutate()} isBusy={renew.isPending}>
          {t('setup.renew')}
        </Button>
      </div>
    </Card>
  );
};

/** Sets an empty hub up: names, the owner's key, and on to the page that connects the game server. */
export const SetupPage = () => {
  const { t } = useTexts();
  const [step, setStep] = useState<Step>();
  const [error, setError] = useState<unknown>();
  const [made, setMade] = useState<Made>();
  useEffect(() => {
    document.title = `${t('setup.title')} · Causeway`;
    opening ??= openLink();
    opening.then(setStep, setError);
  }, [t]);
  useEffect(() => {
    addEventListener('hashchange', openNewLink);
    return () => removeEventListener('hashchange', openNewLink);
  }, []);
  if (made !== undefined) return <Key made={made} />;
  if (step === 'names') return <Names onMade={setMade} />;
  if (step === 'key') return <Again onMade={setMade} />;
  return (
    <Card title={t('setup.title')}>
      {step === 'link' ? <p>{t('setup.link')}</p> : null}
      {step === 'link' ? null : error === undefined ? (
        <p role="status">{t('common.loading')}</p>
      ) : (
        <Refused error={error} />
      )}
      {error instanceof HubProblem && error.problem.code === 'setup_link_gone' ? (
        <p>
          <a href="/">{t('signIn.submit')}</a>
        </p>
      ) : null}
    </Card>
  );
};
