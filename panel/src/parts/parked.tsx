import { useTexts } from '../i18n.ts';
import { giveUpParked, useParked } from '../patience.ts';
import { Button } from './controls.tsx';
import { useNow } from './time.tsx';

const Seconds = ({ until }: { until: number }) => {
  const { t, number } = useTexts();
  const seconds = number(Math.max(1, Math.ceil((until - useNow()) / 1000)));
  return <span role="timer">{t('limit.seconds', { seconds })}</span>;
};

/** The actions that the limit of requests has refused: each counts down and goes by itself. */
export const ParkedActions = () => {
  const { t } = useTexts();
  const parked = useParked();
  if (parked.length === 0) return null;
  return (
    <aside className="offline parked" aria-label={t('limit.name')}>
      <span role="status">{t('limit.waits')}</span> <Seconds until={Math.min(...parked.map(({ at }) => at))} />{' '}
      <Button isSmall onClick={giveUpParked}>
        {t('limit.giveUp')}
      </Button>
    </aside>
  );
};
