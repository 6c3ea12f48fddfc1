import { useEffect, useState } from 'react';
import { useTexts } from '../i18n.ts';
import { giveUpParked, useParked } from '../patience.ts';
import { Button } from './controls.tsx';

const Seconds = ({ until }: { until: number }) => {
  const { t, number } = useTexts();
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return (
    <span role="timer">{t('limit.seconds', { seconds: number(Math.max(1, Math.ceil((until - now) / 1000))) })}</span>
  );
};

/** The actions that the limit of requests has refused: each counts down and goes by itself. */
export const ParkedActions = () => {
  const { t } = useTexts();
  const parked = useParked();
  const next = Math.min(...parked.map(({ at }) => at));
  if (parked.length === 0) return null;
  return (
    <aside className="offline parked" aria-label={t('limit.name')}>
      <span role="status">{t('limit.waits')}</span> <Seconds until={next} />{' '}
      <Button isSmall onClick={giveUpParked}>
        {t('limit.giveUp')}
      </Button>
    </aside>
  );
};
