import { type Batch, countOf, endedOf, OPEN } from '../batches.ts';
import { isOnce } from '../commands.tsx';
import { useTexts } from '../i18n.ts';

/** The state of a batch in one word; nothing for one that is over, with nobody asked. */
export const BatchState = ({ batch }: { batch: Batch }) => {
  const { t } = useTexts();
  const { name, status, endedBy, undoneBy } = batch;
  if (isOnce(name) && countOf(batch, 'indeterminate') > 0)
    return <span className="state ask">{t('status.indeterminate')}</span>;
  if (endedBy === 'aborted') return <span className="state bad">{t('batches.aborted')}</span>;
  if (status !== 'settled') {
    const isWaiting = status === 'running' && countOf(batch, ...OPEN) === countOf(batch, 'waiting');
    return <span className="state wait">{t(isWaiting ? 'status.waiting' : 'status.dispatched')}</span>;
  }
  if (undoneBy?.status === 'settled') return <span className="state dim">{t('batches.undoEnded')}</span>;
  return endedBy === null ? null : <span className="state dim">{t('batches.voided')}</span>;
};

export const BatchProgress = ({ batch }: { batch: Batch }) => {
  const { t, number } = useTexts();
  const { total } = batch;
  const ended = endedOf(batch);
  const says = t('batches.progress', { done: number(ended), total: number(total) });
  return (
    <span className="progress">
      <progress max={total} value={ended} aria-label={says} />
      <span>{says}</span>
    </span>
  );
};
