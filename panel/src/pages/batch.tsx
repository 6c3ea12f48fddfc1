import { useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { type Command, hub, type Schemas } from '../api.ts';
import { type Batch, countOf, movedOf, useBatch, useBatchCommands } from '../batches.ts';
import { isLasting } from '../commands/kinds.ts';
import { describe, describeBatch, labelOf } from '../commands.tsx';
import { lastFilters } from '../filters.ts';
import { useTexts } from '../i18n.ts';
import { STATES, statusesOf } from '../outcomes.ts';
import { BatchProgress, BatchState } from '../parts/batch-state.tsx';
import { CommandList } from '../parts/command-list.tsx';
import { ReasonLine } from '../parts/common-fields.tsx';
import { Confirm, ConfirmButton } from '../parts/confirm.tsx';
import { Button } from '../parts/controls.tsx';
import { Icon } from '../parts/icon.tsx';
import { Menu } from '../parts/menu.tsx';
import { Page } from '../parts/page.tsx';
import { ServerName } from '../parts/server-state.tsx';
import { Failed, Loaded } from '../parts/state.tsx';
import { Status } from '../parts/status.tsx';
import { Foreign, plain, withoutMarks } from '../parts/text.tsx';
import { useCommands, useServerNames } from '../queries.ts';
import { useMay, useMaySend } from '../session.ts';

type Forecast = Schemas['BatchUndoDryRun'];

const undo = (id: string, body: Schemas['BatchUndo']): Promise<Batch | Forecast> =>
  hub.request('post', '/api/v2/batches/{id}/undo', { path: { id }, body });

/** `Add 250 to bank · Los Santos · 499 commands are undone · 124,750 in all · 1 had no effect`. */
const useForecastText = (batch: Batch): ((forecast: Forecast) => string) => {
  const { t, count, number, texts } = useTexts();
  const servers = useServerNames();
  return ({ undo: commands, money, undone, open, inDoubt, noOpposite, withoutEffect }) => {
    const rest = {
      'batches.undo.undone': undone,
      'batches.undo.open': open,
      'batches.undo.inDoubt': inDoubt,
      'batches.undo.noOpposite': noOpposite,
      'batches.undo.withoutEffect': withoutEffect,
    } as const;
    return [
      withoutMarks(describe(texts, { ...batch, result: null })),
      plain(servers.get(batch.serverId) ?? batch.serverId),
      count('batches.undo.commands', commands),
      ...(money === undefined ? [] : [t('batches.money', { sum: number(money) })]),
      ...(Object.entries(rest) as [keyof typeof rest, number][])
        .filter(([, rows]) => rows > 0)
        .map(([key, rows]) => t(key, { count: number(rows) })),
    ].join(' · ');
  };
};

/** Undoes a batch that has ended: the question says what the hub would do. Where it is undone, a link to the undo. */
const UndoBatch = ({ batch }: { batch: Batch }) => {
  const { t } = useTexts();
  const may = useMay();
  const maySend = useMaySend();
  const client = useQueryClient();
  const navigate = useNavigate();
  const textOf = useForecastText(batch);
  const [reason, setReason] = useState('');
  const [forecast, setForecast] = useState<Forecast>();
  const { id, name, status, undoneBy, undoes } = batch;
  const look = useMutation({
    mutationFn: () => undo(id, { dryRun: true }),
    onSuccess: (says) => {
      if ('dryRun' in says) setForecast(says);
    },
  });
  if (undoneBy !== undefined) {
    return (
      <Link to="/batches/$id" params={{ id: undoneBy.id }}>
        {t('batches.undone')}
      </Link>
    );
  }
  const mayUndo = isLasting(name) && maySend(name) && may('commands:batch');
  if (status !== 'settled' || undoes !== undefined || !mayUndo) return null;
  const run = async (): Promise<void> => {
    const made = await undo(id, reason.trim() === '' ? {} : { reason: reason.trim() });
    void client.invalidateQueries({ queryKey: ['batch', id] });
    if ('id' in made) void navigate({ to: '/batches/$id', params: { id: made.id } });
  };
  return (
    <>
      {look.error === null ? null : <Failed error={look.error} lost="once" />}
      <Button isBusy={look.isPending} onClick={() => look.mutate()}>
        {t('action.undoShort')}
      </Button>
      {forecast === undefined ? null : (
        <Confirm
          title={t('batches.undo.title')}
          says={textOf(forecast)}
          submit={t('action.undoShort')}
          lost="once"
          action={run}
          onClose={() => setForecast(undefined)}
        >
          <ReasonLine value={reason} data-autofocus onChange={setReason} />
        </Confirm>
      )}
    </>
  );
};

const route = getRouteApi('/batches/$id');

/** The players that did not get it, and will not by themselves. */
const OWED = 'rejected,failed,voided,expired,resolved_not_applied';

type Choice = { chosen: string | undefined; choose: (states: string | undefined) => void };

/** Counts the commands in some states; pressed, the list shows these only. */
const Count = ({
  batch,
  states,
  chosen,
  choose,
  children,
}: { batch: Batch; states: string; children: ReactNode } & Choice) => {
  const { number } = useTexts();
  const rows = countOf(batch, ...(statusesOf(states) ?? []));
  const isChosen = states === chosen;
  if (rows === 0 && !isChosen) return null;
  return (
    <li data-status={states === OWED ? 'owed' : states.split(',')[0]}>
      <button
        type="button"
        className="choice"
        aria-pressed={isChosen}
        onClick={() => choose(isChosen ? undefined : states)}
      >
        {children} <strong>{number(rows)}</strong>
      </button>
    </li>
  );
};

const Facts = ({ batch, ...choice }: { batch: Batch } & Choice) => {
  const { t, rich, time, count, texts } = useTexts();
  const { name, params, serverId, duplicates } = batch;
  const reason = params['reason'];
  const moved = movedOf(texts, batch);
  return (
    <div className="stack">
      <p className="dim">
        {describeBatch(texts, batch)} · <ServerName id={serverId} />
        {typeof reason === 'string' ? (
          <>
            {' · '}
            <Foreign>{reason}</Foreign>
          </>
        ) : null}
        {' · '}
        {rich('detail.asked', { actor: <Foreign key="actor">{batch.actor.name}</Foreign> })}, {time(batch.createdAt)}
        {batch.settledAt === null
          ? ` · ${t('detail.expires', { time: time(batch.expiresAt) })}`
          : ` · ${t('batches.ended', { time: time(batch.settledAt) })}`}
        {batch.undoes === undefined ? null : (
          <>
            {' · '}
            <Link to="/batches/$id" params={{ id: batch.undoes }}>
              {t('batches.undoes')}
            </Link>
          </>
        )}
        {duplicates === 0 ? '' : ` · ${count('batches.duplicates', duplicates)}`}
      </p>
      <div className="row">
        <BatchProgress batch={batch} />
        {moved === undefined ? null : <strong>{moved}</strong>}
        <BatchState batch={batch} />
      </div>
      <ul className="plain chips" aria-label={t('journal.state')}>
        <Count batch={batch} states={OWED} {...choice}>
          {t(batch.undoes === undefined ? 'batches.owed' : 'batches.notUndone')}
        </Count>
        {STATES.map((states) => (
          <Count key={states} batch={batch} states={states} {...choice}>
            <Status command={{ name, status: states.split(',')[0] as Command['status'] }} />
          </Count>
        ))}
      </ul>
    </div>
  );
};

const Detail = ({ batch }: { batch: Batch }) => {
  const { t } = useTexts();
  const [chosen, choose] = useState<string>();
  const all = useBatchCommands(batch.id, chosen === undefined);
  const filters = { batches: batch.id, status: chosen };
  const some = useCommands(filters, chosen !== undefined);
  return (
    <>
      <Facts batch={batch} chosen={chosen} choose={choose} />
      <CommandList
        query={chosen === undefined ? all : some}
        filters={filters}
        empty={t(chosen === undefined ? 'batches.noCommands' : 'batches.noSuchCommands')}
      />
    </>
  );
};

export const BatchPage = () => {
  const { t, texts } = useTexts();
  const may = useMay();
  const client = useQueryClient();
  const { id } = route.useParams();
  const query = useBatch(id);
  const batch = query.data;
  const isOpen = batch !== undefined && batch.status !== 'settled' && batch.endedBy === null;
  const stop = async (): Promise<void> => {
    client.setQueryData(['batch', id], await hub.request('post', '/api/v2/batches/{id}/void', { path: { id } }));
    void client.invalidateQueries({ queryKey: ['batchCommands', id] });
  };
  return (
    <Page
      title={(batch && labelOf(texts, batch)) ?? t('batches.title')}
      actions={
        <>
          <Link to="/batches" search={lastFilters('/batches')}>
            {t('batches.back')}
          </Link>
          {isOpen && may('commands:resolve') ? (
            <ConfirmButton title={t('batches.void')} says={t('batches.voidSays')} action={stop} />
          ) : null}
          {batch === undefined ? null : <UndoBatch batch={batch} />}
          <Menu className="ghost" name={t('nav.more')} label={<Icon name="more" />}>
            <a role="menuitem" className="place" href={`/api/v2/batches/${id}/commands.csv`} download={`${id}.csv`}>
              <span>{t('journal.csv')}</span>
            </a>
          </Menu>
        </>
      }
    >
      <Loaded query={query}>{(known) => <Detail batch={known} />}</Loaded>
    </Page>
  );
};
