import type { Schemas } from '../api.ts';
import { useTexts } from '../i18n.ts';

/** From this part on, the bar is yellow. */
const MUCH = 0.8;

/** The used part of a minute's limit: a bar that turns yellow and red, and in words. */
export const Usage = ({ name, usage, says }: { name: string; usage: Schemas['Project']['people']; says: string }) => {
  const { t, number } = useTexts();
  const { limit, used, resetSeconds } = usage;
  const isFull = used >= limit;
  return (
    <>
      <dt>{name}</dt>
      <dd>
        <meter
          className={isFull ? 'full' : ''}
          min={0}
          max={limit}
          low={limit * MUCH}
          high={limit - 0.5}
          optimum={0}
          value={used}
          aria-label={name}
        />
        <span className={isFull ? 'small full' : 'small'}>
          {says}
          {isFull ? ` ${t('project.full', { seconds: number(resetSeconds) })}` : ''}
        </span>
      </dd>
    </>
  );
};
