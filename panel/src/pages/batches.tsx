import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type Batch, useBatches } from '../batches.ts';
import { describeBatch } from '../commands.tsx';
import { useTexts } from '../i18n.ts';
import { BatchProgress } from '../parts/batch-progress.tsx';
import { Page } from '../parts/page.tsx';
import { Empty, Loaded } from '../parts/state.tsx';
import { Foreign } from '../parts/text.tsx';
import { Ago } from '../parts/time.tsx';
import { useMay } from '../session.ts';
import { BATCH_KINDS, useTaskKinds } from '../tasks/task-fields.tsx';

const Row = ({ batch }: { batch: Batch }) => {
  const texts = useTexts();
  const { id, label, serverId, actor, createdAt } = batch;
  const what = describeBatch(texts, batch);
  return (
    <li className="card stack">
      <div className="row between">
        <Link to="/batches/$id" params={{ id }}>
          <strong>{label === null ? what : <Foreign>{label}</Foreign>}</strong>
        </Link>
        <span className="dim small">
          <Foreign>{actor.name}</Foreign> · <Ago iso={createdAt} />
        </span>
      </div>
      <p className="dim small">{label === null ? serverId : `${what} · ${serverId}`}</p>
      <BatchProgress batch={batch} />
    </li>
  );
};

/** Commands for many players, the newest first. */
export const BatchesPage = () => {
  const { t } = useTexts();
  const may = useMay();
  const kinds = useTaskKinds(BATCH_KINDS);
  const query = useBatches();
  return (
    <Page
      title={t('nav.batches')}
      actions={may('commands:batch') && kinds.length > 0 ? <Link to="/batches/new">{t('batches.new')}</Link> : null}
    >
      <Loaded query={query}>
        {({ pages }) => {
          const batches = pages.flatMap(({ data }) => data);
          if (batches.length === 0) return <Empty title={t('batches.none')} />;
          return (
            <ul className="plain" aria-label={t('nav.batches')}>
              {batches.map((batch) => (
                <Row key={batch.id} batch={batch} />
              ))}
            </ul>
          );
        }}
      </Loaded>
      {query.hasNextPage ? (
        <Button variant="default" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          {t('common.more')}
        </Button>
      ) : null}
    </Page>
  );
};
