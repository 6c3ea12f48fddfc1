import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api, type Command, dataOf } from '../api.ts';
import { type Batch, useBatch, useBatchCommands } from '../batches.ts';
import { describeBatch } from '../commands.tsx';
import { useTexts } from '../i18n.ts';
import { BatchProgress } from '../parts/batch-progress.tsx';
import { CommandList, Status } from '../parts/command-list.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Page } from '../parts/page.tsx';
import { Loaded } from '../parts/state.tsx';
import { Foreign } from '../parts/text.tsx';
import { useMay } from '../session.ts';

const route = getRouteApi('/batches/$id');

type Choice = { chosen: Command['status'] | undefined; choose: (status: Command['status'] | undefined) => void };

const Facts = ({ batch, chosen, choose }: { batch: Batch } & Choice) => {
  const texts = useTexts();
  const { t, rich, number, time, count } = texts;
  const { counts, params, serverId, duplicates } = batch;
  const reason = params['reason'];
  return (
    <section className="card stack">
      <strong>
        {describeBatch(texts, batch)} · {serverId}
      </strong>
      {typeof reason === 'string' ? (
        <p>
          <span className="dim">{t('common.reason')}:</span> <Foreign>{reason}</Foreign>
        </p>
      ) : null}
      <BatchProgress batch={batch} />
      <ul className="legend" aria-label={t('journal.outcome')}>
        {(Object.entries(counts) as [Command['status'], number][]).map(([status, rows]) => (
          <li key={status} data-status={status}>
            <Button
              variant={status === chosen ? 'light' : 'subtle'}
              size="compact-sm"
              aria-pressed={status === chosen}
              rightSection={number(rows)}
              onClick={() => choose(status === chosen ? undefined : status)}
            >
              <Status status={status} />
            </Button>
          </li>
        ))}
      </ul>
      <p className="dim small">
        {rich('detail.asked', { actor: <Foreign key="actor">{batch.actor.name}</Foreign> })}, {time(batch.createdAt)}
        {batch.settledAt === null
          ? ` · ${t('detail.expires', { time: time(batch.expiresAt) })}`
          : ` · ${t('batches.ended', { time: time(batch.settledAt) })}`}
        {duplicates === 0 ? '' : ` · ${count('batches.duplicates', duplicates)}`}
      </p>
    </section>
  );
};

const Detail = ({ batch }: { batch: Batch }) => {
  const { t } = useTexts();
  const [chosen, choose] = useState<Command['status']>();
  const commands = useBatchCommands(batch.id, chosen);
  return (
    <>
      <Facts batch={batch} chosen={chosen} choose={choose} />
      <CommandList
        query={commands}
        filters={chosen === undefined ? {} : { status: chosen }}
        empty={t(chosen === undefined ? 'batches.noCommands' : 'batches.noSuchCommands')}
      />
    </>
  );
};

/** One batch: how many commands ended how, and each of them. */
export const BatchPage = () => {
  const { t } = useTexts();
  const may = useMay();
  const client = useQueryClient();
  const { id } = route.useParams();
  const query = useBatch(id);
  const [isAsking, setAsking] = useState(false);
  const batch = query.data;
  const isOpen = batch !== undefined && batch.status !== 'settled' && batch.endedBy === null;
  const takeBack = async (): Promise<void> => {
    client.setQueryData(
      ['batch', id],
      await dataOf(api.POST('/api/v2/batches/{id}/void', { params: { path: { id } } })),
    );
    void client.invalidateQueries({ queryKey: ['batchCommands', id] });
  };
  return (
    <Page
      title={batch?.label ?? t('batches.title')}
      actions={
        <span className="row">
          <Link to="/batches">{t('batches.back')}</Link>
          <Button component="a" href={`/api/v2/batches/${id}/commands.csv`} download={`${id}.csv`} variant="default">
            {t('journal.csv')}
          </Button>
          {isOpen && may('commands:resolve') ? (
            <Button variant="default" onClick={() => setAsking(true)}>
              {t('batches.void')}
            </Button>
          ) : null}
        </span>
      }
    >
      <Loaded query={query}>{(known) => <Detail batch={known} />}</Loaded>
      {isAsking ? (
        <Confirm
          title={t('batches.void')}
          says={t('batches.voidSays')}
          action={takeBack}
          onClose={() => setAsking(false)}
        />
      ) : null}
    </Page>
  );
};
