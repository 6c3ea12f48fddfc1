import { getRouteApi, Link } from '@tanstack/react-router';
import { type Batch, countOf, useBatches } from '../batches.ts';
import { describeBatch, labelOf } from '../commands.tsx';
import { useKeptFilters } from '../filters.ts';
import { useTexts } from '../i18n.ts';
import { BatchProgress, BatchState } from '../parts/batch-state.tsx';
import { ChoiceChip } from '../parts/chips.tsx';
import { More } from '../parts/command-list.tsx';
import { Button } from '../parts/controls.tsx';
import { ClearFilters, ServerChip, useFilterWords } from '../parts/journal-filters.tsx';
import { Page } from '../parts/page.tsx';
import { ServerName } from '../parts/server-state.tsx';
import { Empty, Loaded } from '../parts/state.tsx';
import { Foreign } from '../parts/text.tsx';
import { Ago } from '../parts/time.tsx';
import { useMay } from '../session.ts';
import { useTaskKinds } from '../tasks/task-fields.tsx';

const route = getRouteApi('/batches');
type Search = ReturnType<typeof route.useSearch>;

const Row = ({ batch }: { batch: Batch }) => {
  const texts = useTexts();
  const { t, number } = texts;
  const { id, serverId, actor, createdAt } = batch;
  const done = countOf(batch, 'succeeded', 'resolved_applied');
  const label = labelOf(texts, batch);
  const what = describeBatch(texts, batch);
  return (
    <li>
      <Link to="/batches/$id" params={{ id }} className="command">
        <span className="what">
          <strong>{label === null ? what : <Foreign>{label}</Foreign>}</strong>
          {label === null ? null : <span className="dim why">{what}</span>}
        </span>
        <span className="how">
          <BatchState batch={batch} />
        </span>
        <span className="ended">
          {batch.status === 'settled' ? (
            t('batches.done', { done: number(done), total: number(batch.total) })
          ) : (
            <BatchProgress batch={batch} />
          )}
        </span>
        <span className="on dim">
          <ServerName id={serverId} />
        </span>
        <span className="by dim">
          <Foreign>{actor.name}</Foreign>
        </span>
        <span className="when dim">
          <Ago iso={createdAt} isShort />
        </span>
      </Link>
    </li>
  );
};

const isShown = (state: string | undefined, { status }: Batch): boolean =>
  state === undefined || (state === 'ended') === (status === 'settled');

const NewBatch = () => {
  const { t } = useTexts();
  const may = useMay();
  const kinds = useTaskKinds();
  if (!may('commands:batch') || kinds.length === 0) return null;
  return (
    <Link className="button primary" to="/batches/new">
      {t('batches.new')}
    </Link>
  );
};

export const BatchesPage = () => {
  const { t } = useTexts();
  const search = route.useSearch();
  useKeptFilters('/batches', search);
  const navigate = route.useNavigate();
  const { serverId, state } = search;
  const query = useBatches({ serverId });
  const set = (change: Partial<Search>): void => {
    void navigate({ search: (old) => ({ ...old, ...change }), replace: true });
  };
  const clear = (): void => set({ serverId: undefined, state: undefined });
  const count = Object.keys(search).length;
  const words = useFilterWords();
  const states = [
    ['running', t('batches.running')],
    ['ended', t('batches.settled')],
  ] as const;
  return (
    <Page title={t('nav.batches')} actions={<NewBatch />}>
      <div className="filter-line">
        <div className="chips">
          <ServerChip value={serverId} onChange={(each) => set({ serverId: each })} />
          <ChoiceChip
            label={t('journal.state')}
            value={state}
            options={states}
            onChange={(each) => set({ state: each })}
          />
          <ClearFilters count={count} onClear={clear} />
        </div>
      </div>
      <Loaded query={query} lines={10}>
        {({ pages }) => {
          const batches = pages.flatMap(({ data }) => data).filter((batch) => isShown(state, batch));
          if (batches.length === 0 && count > 0 && !query.hasNextPage) {
            return (
              <Empty
                title={t('list.nothingWith', {
                  what: words({ serverId, state: states.find(([each]) => each === state)?.[1] }),
                })}
              >
                <Button onClick={clear}>{t('filter.clear')}</Button>
              </Empty>
            );
          }
          if (batches.length === 0 && count === 0) {
            return <Empty title={t('batches.none')} />;
          }
          return (
            <div className="still">
              <ul className="commands batches" aria-label={t('nav.batches')}>
                {batches.map((batch) => (
                  <Row key={batch.id} batch={batch} />
                ))}
              </ul>
            </div>
          );
        }}
      </Loaded>
      <More query={query} />
    </Page>
  );
};
