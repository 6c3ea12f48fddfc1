import { Button, Checkbox, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api, dataOf, type Scope } from '../api.ts';
import { useTexts } from '../i18n.ts';
import { en } from '../messages/en.ts';
import { useServers } from '../queries.ts';
import { useSession } from '../session.ts';
import { BatchBounds, NO_BOUNDS, readBounds } from './batch-bounds.tsx';
import { Failed } from './state.tsx';
import { plain } from './text.tsx';
import { UnsentForm } from './unsent.tsx';

/** The default scopes, for a community moderator. */
const USUAL: readonly Scope[] = ['players:read', 'commands:kick', 'commands:read', 'servers:read'];

const PREFIX = 'scope.';
const ALL = Object.keys(en).flatMap((key) => (key.startsWith(PREFIX) ? [key.slice(PREFIX.length) as Scope] : []));

/** The scopes that the user's own key lacks, and how it gets them: keys of earlier releases lack newer scopes. */
const Lacking = () => {
  const { t, rich } = useTexts();
  const { scopes, key, project } = useSession();
  const lacking = ALL.filter((scope) => !scopes.includes(scope));
  if (lacking.length === 0) return null;
  return (
    <p className="dim small">
      {rich('keys.lacking', {
        scopes: lacking.map((scope) => t(`scope.${scope}`)).join(', '),
        command: <code key="command">{`causeway key set ${key.id} --project ${project.slug} --scopes all`}</code>,
      })}
    </p>
  );
};

const toggled = <T,>(list: readonly T[], value: T): T[] =>
  list.includes(value) ? list.filter((each) => each !== value) : [...list, value];

/** Creates a key. Only the scopes of the user's own key are offered, because it cannot grant others. */
export const KeyForm = ({ onMade }: { onMade: (made: { id: string; name: string; key: string }) => void }) => {
  const { t, locale } = useTexts();
  const session = useSession();
  const { data: servers = [] } = useServers();
  const { scopes: offered } = session;
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<readonly Scope[]>(USUAL.filter((scope) => offered.includes(scope)));
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [typed, setTyped] = useState(NO_BOUNDS);
  const mayBatch = scopes.includes('commands:batch');
  const { players, money } = readBounds(mayBatch ? typed : NO_BOUNDS, locale);
  const make = useMutation({
    mutationFn: () => {
      const limited = chosen.length > 0 ? [...chosen] : session.servers;
      const bounds = {
        ...(typeof players === 'number' && { maxBatchTargets: players }),
        ...(typeof money === 'number' && { maxBatchTotal: money }),
      };
      const body = { name: name.trim(), scopes: [...scopes], servers: limited, ...bounds };
      return dataOf(api.POST('/api/v2/keys', { body }));
    },
    onSuccess: (made) => {
      setName('');
      setTyped(NO_BOUNDS);
      onMade(made);
    },
  });
  const isWrong = typeof players === 'string' || typeof money === 'string';
  const isReady = name.trim() !== '' && scopes.length > 0 && !isWrong && !make.isPending;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isReady) make.mutate();
  };
  return (
    <form onSubmit={submit} className="card stack">
      <UnsentForm isDirty={name !== ''} />
      <h2>{t('keys.add')}</h2>
      {make.error === null ? null : <Failed error={make.error} />}
      <TextInput
        label={t('keys.person')}
        value={name}
        maxLength={128}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <fieldset>
        <legend>{t('keys.scopes')}</legend>
        {offered.map((scope) => (
          <Checkbox
            key={scope}
            label={t(`scope.${scope}`)}
            checked={scopes.includes(scope)}
            onChange={() => setScopes((list) => toggled(list, scope))}
          />
        ))}
        <Lacking />
      </fieldset>
      {mayBatch ? <BatchBounds typed={typed} onType={setTyped} /> : null}
      {servers.length < 2 ? null : (
        <fieldset>
          <legend>{t('keys.servers')}</legend>
          {servers.map(({ serverId, name: label }) => (
            <Checkbox
              key={serverId}
              label={plain(label)}
              checked={chosen.includes(serverId)}
              onChange={() => setChosen((list) => toggled(list, serverId))}
            />
          ))}
        </fieldset>
      )}
      <div>
        <Button type="submit" disabled={!isReady}>
          {t('keys.add')}
        </Button>
      </div>
    </form>
  );
};
