import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { type Command, hub, type Player } from '../api.ts';
import { draftAgain } from '../commands/form.ts';
import { isUndoable } from '../commands/kinds.ts';
import {
  brief,
  changeOf,
  describeName,
  isCustom,
  isOnce,
  OBSTACLES,
  paramsByRole,
  reasonOf,
  wordsOf,
} from '../commands.tsx';
import { lastFilters } from '../filters.ts';
import { useTexts } from '../i18n.ts';
import { openAgain, openOrder, openUndo } from '../open-order.ts';
import { TakeBack } from '../orders/outcome.tsx';
import { Target, useLabels } from '../parts/command-list.tsx';
import { AreaField, Button } from '../parts/controls.tsx';
import { CopyShort } from '../parts/copy.tsx';
import { Page } from '../parts/page.tsx';
import { ServerName } from '../parts/server-state.tsx';
import { explainCode, Failed, Loaded } from '../parts/state.tsx';
import { Status } from '../parts/status.tsx';
import { Foreign, withoutMarks } from '../parts/text.tsx';
import { Ago } from '../parts/time.tsx';
import { UnsentForm } from '../parts/unsent.tsx';
import { Pairs, Values } from '../parts/values.tsx';
import { EVERY_MS, usePlayer, useRefresh } from '../queries.ts';
import { useMay, useMaySend } from '../session.ts';

/** Undoes a command, after a question. Nothing for a command that has no opposite or that is undone. */
const Undo = ({ command }: { command: Command }) => {
  const { t } = useTexts();
  const maySend = useMaySend();
  const { opposite } = command;
  if (opposite === undefined || !isUndoable(command) || !maySend(opposite.name)) return null;
  return <Button onClick={() => openUndo(command)}>{t('action.undoShort')}</Button>;
};

/**
 * Sends a command again that ended without an effect: in the dialog of its kind with the same values, or after a question
 * if no dialog has them all. Nothing for any other command.
 */
const Again = ({ command }: { command: Command }) => {
  const { t } = useTexts();
  const may = useMay();
  const maySend = useMaySend();
  const { name, target, serverId, executed, settledAt, batchId, undoes } = command;
  const isOver = executed === 'no' && settledAt !== null && batchId === undefined && undoes === undefined;
  if (!isOver || !maySend(name)) return null;
  const ask = (): void => {
    const draft = target === null || may('players:read') ? draftAgain(command) : undefined;
    if (draft === undefined) openAgain(command);
    else openOrder({ serverId, draft, again: command, ...(target !== null && { identifier: target }) });
  };
  return <Button onClick={ask}>{t('detail.again')}</Button>;
};

/** The age of a player's record, and a button that reads it from the game server. */
const Freshness = ({ player }: { player: Player }) => {
  const { t, rich } = useTexts();
  const refresh = useRefresh(player);
  return (
    <span className="row">
      <span className="dim small">{rich('player.synced', { time: <Ago key="time" iso={player.syncedAt} /> })}</span>
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
const Resolve = ({ command }: { command: Command }) => {
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

const route = getRouteApi('/journal/$id');
const FOLLOW_MS = 2_000;
const isOpen = ({ status }: Command): boolean =>
  status === 'waiting' || status === 'accepted' || status === 'dispatched';
/** Whether its page looks again: it has not ended, or its undo has not. */
const isFollowed = (command: Command): boolean => isOpen(command) || command.undoneBy?.executed === 'unknown';

const Step = ({ at, children }: { at: string; children: ReactNode }) => {
  const { time } = useTexts();
  return (
    <li>
      <time dateTime={at} className="dim small">
        {time(at)}
      </time>
      <span>{children}</span>
    </li>
  );
};

const Timeline = ({ command }: { command: Command }) => {
  const { t, rich, count, time } = useTexts();
  const { actor, createdAt, dispatchedAt, settledAt, attempts, status, resolution, error } = command;
  const isDoubt = status === 'indeterminate' || resolution !== undefined;
  return (
    <ol className="timeline">
      <Step at={createdAt}>{rich('detail.asked', { actor: <Foreign key="actor">{actor.name}</Foreign> })}</Step>
      {dispatchedAt === null ? (
        isOpen(command) ? (
          <Step at={createdAt}>
            {command.waitingFor === undefined ? '' : `${t(OBSTACLES[command.waitingFor])} · `}
            {t('detail.expires', { time: time(command.expiresAt) })}
          </Step>
        ) : null
      ) : (
        <Step at={dispatchedAt}>
          {t('detail.sent', { server: command.serverId })}
          {attempts > 1 ? `, ${count('detail.attempts', attempts)}` : ''}
        </Step>
      )}
      {settledAt === null ? null : (
        <Step at={settledAt}>
          {t('detail.settled', { status: t(`status.${resolution === undefined ? status : 'indeterminate'}`) })}
          {isDoubt && error !== undefined ? <span lang="en"> · {error.message}</span> : null}
        </Step>
      )}
      {resolution === undefined ? null : (
        <Step at={resolution.at}>
          {rich('detail.resolvedBy', { actor: <Foreign key="actor">{resolution.actor.name}</Foreign> })}
        </Step>
      )}
    </ol>
  );
};

/** The sender of a command: a shop with a link, after the person who decided. */
const By = ({ command: { actor, decidedBy } }: { command: Command }) => (
  <>
    {decidedBy === undefined ? null : (
      <>
        <Foreign>{decidedBy.name}</Foreign>
        {' · '}
      </>
    )}
    {actor.keyId.startsWith('int_') ? (
      <Link to="/shops/$id" params={{ id: actor.keyId }}>
        <Foreign>{actor.name}</Foreign>
      </Link>
    ) : (
      <Foreign>{actor.name}</Foreign>
    )}
  </>
);

const Decision = ({ resolution }: { resolution: NonNullable<Command['resolution']> }) => {
  const { rich } = useTexts();
  const { applied, actor, note } = resolution;
  return (
    <p>
      {rich(applied ? 'detail.decided.yes' : 'detail.decided.no', {
        actor: <Foreign key="actor">{actor.name}</Foreign>,
        note: <Foreign key="note">{note}</Foreign>,
      })}
    </p>
  );
};

const WholeTarget = ({ command, target }: { command: Command; target: string }) => {
  const { t } = useTexts();
  const { serverId } = command;
  return (
    <>
      <Link to="/players/$serverId/$identifier" params={{ serverId, identifier: target }}>
        <Target command={command} />
      </Link>
      {' · '}
      <Link to="/journal" search={{ target, serverId, range: 'custom' }}>
        {t('player.wholeHistory')}
      </Link>
      <p>
        <CopyShort text={target} />
      </p>
    </>
  );
};

const Facts = ({ command }: { command: Command }) => {
  const texts = useTexts();
  const { t, number } = texts;
  const { id, params, result, error, target, serverId, resolution, batchId } = command;
  const custom = isCustom(command) ? paramsByRole(command) : undefined;
  const reason = reasonOf(command);
  const change = changeOf(texts, useLabels(command));
  const applied = result?.['applied'];
  const isPart = typeof applied === 'number' && applied !== (params['amount'] ?? params['count']);
  const words = wordsOf(command);
  return (
    <Pairs
      of={[
        [t('journal.what'), custom && t('journal.custom', { name: describeName(texts, command.name) })],
        [
          t('journal.state'),
          <div key="state">
            <Status command={command} />
            {resolution === undefined ? (
              error && <p>{explainCode(texts, error)}</p>
            ) : (
              <Decision resolution={resolution} />
            )}
          </div>,
        ],
        [t('journal.player'), target === null ? null : <WholeTarget key="target" command={command} target={target} />],
        [
          t('detail.change'),
          isPart && change !== undefined ? `${change} · ${t('detail.applied', { applied: number(applied) })}` : change,
        ],
        [t('dialog.message.field'), words && <Foreign key="words">{words}</Foreign>],
        [t('common.reason'), reason && <Foreign key="reason">{reason}</Foreign>],
        [t('journal.by'), <By key="by" command={command} />],
        [t('common.server'), <ServerName key="server" id={serverId} />],
        [
          t('batches.title'),
          batchId && (
            <Link key="batch" to="/batches/$id" params={{ id: batchId }}>
              {t('batches.all')}
            </Link>
          ),
        ],
        [t('detail.id'), <CopyShort key="id" text={id} />],
      ]}
    />
  );
};

/** Values that the panel does not know, of a custom command or a wrong answer. */
const Others = ({ command }: { command: Command }) => {
  const { t } = useTexts();
  const { result, error } = command;
  const custom = isCustom(command) ? paramsByRole(command).others : {};
  const reported = error?.details?.['reported'];
  return (
    <>
      <Values of={custom} />
      {isCustom(command) && result !== null && result !== undefined ? (
        <section>
          <h2>{t('detail.result')}</h2>
          <Values of={result} />
        </section>
      ) : null}
      {typeof reported === 'object' && reported !== null ? (
        <section>
          <h2>{t('detail.reported')}</h2>
          <Values of={{ ...reported }} />
        </section>
      ) : null}
    </>
  );
};

/** Links to the command that was to undo this one, and to the one that this one undoes or repeats. */
const Undone = ({ command: { undoneBy, undoes, repeats } }: { command: Command }) => {
  const { t, rich } = useTexts();
  const to = (id: string): ReactNode => (
    <Link key="link" to="/journal/$id" params={{ id }}>
      {t('detail.undo.link')}
    </Link>
  );
  return (
    <>
      {undoneBy === undefined ? null : (
        <p>
          {rich(
            undoneBy.executed === 'yes'
              ? 'detail.undo.done'
              : undoneBy.executed === 'no'
                ? 'detail.undo.failed'
                : 'detail.undo.open',
            { link: to(undoneBy.id) },
          )}
        </p>
      )}
      {undoes === undefined ? null : <p>{rich('detail.undo.of', { link: to(undoes) })}</p>}
      {repeats === undefined ? null : <p>{rich('detail.again.of', { link: to(repeats) })}</p>}
    </>
  );
};

const Detail = ({ command }: { command: Command }) => {
  const { t } = useTexts();
  const may = useMay();
  const isAsked = command.status === 'indeterminate' && isOnce(command.name);
  return (
    <div className="halves">
      <div className="stack">
        <Facts command={command} />
        <Undone command={command} />
        <Others command={command} />
      </div>
      <div className="stack">
        {may('commands:resolve') && isAsked ? <Resolve command={command} /> : null}
        <section>
          <h2>{t('detail.timeline')}</h2>
          <Timeline command={command} />
        </section>
      </div>
    </div>
  );
};

const Actions = ({ command }: { command: Command }) => {
  const may = useMay();
  return (
    <>
      {may('commands:resolve') && isOpen(command) ? <TakeBack id={command.id} /> : null}
      <Undo command={command} />
      <Again command={command} />
    </>
  );
};

export const CommandPage = () => {
  const texts = useTexts();
  const { t } = texts;
  const { id } = route.useParams();
  const query = useQuery({
    queryKey: ['command', id],
    queryFn: () => hub.request('get', '/api/v2/commands/{id}', { path: { id } }),
    refetchInterval: ({ state }) => (state.data !== undefined && isFollowed(state.data) ? FOLLOW_MS : EVERY_MS),
  });
  const command = query.data;
  return (
    <Page
      title={command === undefined ? t('nav.journal') : withoutMarks(brief(texts, command))}
      actions={
        <>
          <Link to="/journal" search={lastFilters('/journal')}>
            {t('journal.back')}
          </Link>
          {command === undefined ? null : <Actions command={command} />}
        </>
      }
    >
      <Loaded query={query}>{(known) => <Detail command={known} />}</Loaded>
    </Page>
  );
};
