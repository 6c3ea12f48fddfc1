import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { hub, type Schemas } from '../api.ts';
import type { Batch } from '../batches.ts';
import { isLasting } from '../commands/kinds.ts';
import { useTexts } from '../i18n.ts';
import { useMay, useMaySend } from '../session.ts';
import { Confirm } from './confirm.tsx';
import { Button } from './controls.tsx';
import { Failed } from './state.tsx';

type Forecast = Schemas['BatchUndoDryRun'];

const undo = (id: string, dryRun: boolean): Promise<Batch | Forecast> =>
  hub.request('post', '/api/v2/batches/{id}/undo', { path: { id }, body: { dryRun } });

/** `499 commands · 124,750 in all · 1 had no effect`. */
const useForecastText = (): ((forecast: Forecast) => string) => {
  const { t, count, number } = useTexts();
  return ({ undo: commands, money, undone, open, inDoubt, noOpposite, withoutEffect }) => {
    const rest = {
      'batches.undo.undone': undone,
      'batches.undo.open': open,
      'batches.undo.inDoubt': inDoubt,
      'batches.undo.noOpposite': noOpposite,
      'batches.undo.withoutEffect': withoutEffect,
    } as const;
    return [
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
  const textOf = useForecastText();
  const [forecast, setForecast] = useState<Forecast>();
  const { id, name, status, undoneBy, undoes } = batch;
  const look = useMutation({
    mutationFn: () => undo(id, true),
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
    const made = await undo(id, false);
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
          action={run}
          onClose={() => setForecast(undefined)}
        />
      )}
    </>
  );
};
