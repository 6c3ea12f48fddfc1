import { type Batch, endedOf } from '../batches.ts';
import { useTexts } from '../i18n.ts';

/** The progress of a batch, as a bar and in words. */
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
