import { Badge } from '@mantine/core';
import { type Batch, endedOf } from '../batches.ts';
import { useTexts } from '../i18n.ts';

/** How far a batch is, as a bar and in words. */
export const BatchProgress = ({ batch }: { batch: Batch }) => {
  const { t, number } = useTexts();
  const { status, endedBy, total } = batch;
  const ended = endedOf(batch);
  const says = t('batches.progress', { done: number(ended), total: number(total) });
  return (
    <div className="row">
      <progress className="grow" max={total} value={ended} aria-label={says} />
      <span className="small">{says}</span>
      {endedBy === null ? null : (
        <Badge color="orange" variant="light">
          {t(endedBy === 'voided' ? 'batches.voided' : 'batches.aborted')}
        </Badge>
      )}
      <Badge color={status === 'settled' ? 'gray' : 'blue'} variant="light">
        {t(status === 'settled' ? 'batches.settled' : 'batches.running')}
      </Badge>
    </div>
  );
};
