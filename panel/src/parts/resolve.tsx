import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type Command, hub, type Player } from '../api.ts';
import { useTexts } from '../i18n.ts';
import { readPlayer, usePlayer } from '../queries.ts';
import { useMay } from '../session.ts';
import { AreaField, Button } from './controls.tsx';
import { Failed } from './state.tsx';
import { Foreign } from './text.tsx';
import { Ago } from './time.tsx';
import { UnsentForm } from './unsent.tsx';

/** The age of a player's record, and a button that reads it from the game server. */
const Freshness = ({ player: { serverId, identifier, syncedAt } }: { player: Player }) => {
  const { t, rich } = useTexts();
  const client = useQueryClient();
  const refresh = useMutation({
    mutationFn: () => readPlayer(serverId, identifier, true),
    onSuccess: (fresh) => client.setQueryData(['player', serverId, identifier], fresh),
  });
  return (
    <span className="row">
      <span className="dim small">{rich('player.synced', { time: <Ago key="time" iso={syncedAt} /> })}</span>
      <Button isSmall isBusy={refresh.isPending} onClick={() => refresh.mutate()}>
        {t('player.refresh')}
      </Button>
    </span>
  );
};

/** The player's balances; nothing if the player no longer exists. */
const Balances = ({ serverId, target }: { serverId: string; target: string }) => {
  const { t, number } = useTexts();
  const { data: player } = usePlayer(serverId, target);
  if (player === undefined) return null;
  return (
    <div className="row">
      <span className="dim">{t('detail.resolve.balances')}</span>
      {Object.entries(player.accounts).map(([type, balance]) => (
        <span key={type} data-balance={type}>
          <Foreign>{type}</Foreign> <strong>{number(balance)}</strong>
        </span>
      ))}
      <Freshness player={player} />
    </div>
  );
};

/** The balance that the hub knew when it lost sight of a payment, to compare with the one of now. */
const Known = ({ balance: { account, balance, at } }: { balance: NonNullable<Command['knownBalance']> }) => {
  const { rich, number } = useTexts();
  return (
    <div className="row">
      <span className="dim">{rich('detail.resolve.known', { time: <Ago key="time" iso={at} /> })}</span>
      <span data-known={account}>
        <Foreign>{account}</Foreign> <strong>{number(balance)}</strong>
      </span>
    </div>
  );
};

/** Resolves an indeterminate command, with the player's balances of before and now beside the question. */
export const Resolve = ({ command }: { command: Command }) => {
  const { id, serverId, target, knownBalance } = command;
  const may = useMay();
  const client = useQueryClient();
  const { t } = useTexts();
  const [note, setNote] = useState('');
  const resolve = useMutation({
    mutationFn: (applied: boolean) =>
      hub.request('post', '/api/v2/commands/{id}/resolve', { path: { id }, body: { applied, note: note.trim() } }),
    onSettled: () =>
      Promise.all(['command', 'commands', 'project'].map((name) => client.invalidateQueries({ queryKey: [name] }))),
  });
  const isReady = note.trim() !== '' && !resolve.isPending;
  return (
    <section className="card stack">
      <UnsentForm isDirty={note !== '' && !resolve.isSuccess} />
      <h2>{t('detail.resolve.title')}</h2>
      <p>{t('detail.resolve.says')}</p>
      {knownBalance === undefined ? null : <Known balance={knownBalance} />}
      {may('players:read') && target !== null ? <Balances serverId={serverId} target={target} /> : null}
      {resolve.error === null ? null : <Failed error={resolve.error} lost="once" />}
      <AreaField label={t('detail.resolve.note')} maxLength={1000} value={note} onChange={setNote} />
      <div className="row">
        <Button disabled={!isReady} onClick={() => resolve.mutate(true)}>
          {t('detail.resolve.applied')}
        </Button>
        <Button disabled={!isReady} onClick={() => resolve.mutate(false)}>
          {t('detail.resolve.notApplied')}
        </Button>
      </div>
    </section>
  );
};
