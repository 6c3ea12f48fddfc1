import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { hub, type Schemas } from '../api.ts';
import type { Batch } from '../batches.ts';
import { isLasting } from '../commands/kinds.ts';
import { describe } from '../commands.tsx';
import { useTexts } from '../i18n.ts';
import { useServerNames } from '../queries.ts';
import { useMay, useMaySend } from '../session.ts';
import { ReasonLine } from './common-fields.tsx';
import { Confirm } from './confirm.tsx';
import { Button } from './controls.tsx';
import { Failed } from './state.tsx';
import { plain, withoutMarks } from './text.tsx';

type Forecast = Schemas['BatchUndoDryRun'];

const undo = (id: string, body: Schemas['BatchUndo']): Promise<Batch | Forecast> =>
  hub.request('post', '/api/v2/batches/{id}/undo', { path: { id }, body });

/** `Add 250 to bank · Los Santos · 499 commands are undone · 124,750 in all · 1 had no effect`. */
const useForecastText = (batch: Batch): ((forecast: Forecast) => string) => {
  const texts = useTexts();
  const { t, count, number } = texts;
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
export const UndoBatch = ({ batch }: { batch: Batch }) => {
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
