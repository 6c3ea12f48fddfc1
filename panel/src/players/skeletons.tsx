import { useTexts } from '../i18n.ts';
import { useRows } from './layout.ts';

const ROWS = Array.from({ length: 14 }, (_, row) => `row ${row}`);

/** Rows of the final height, before the first answer; a quick answer comes before they are seen. */
export const Skeletons = () => {
  const { t } = useTexts();
  const { height, isPhone } = useRows();
  return (
    <div role="status" aria-label={t('common.loading')} className="skeletons">
      {isPhone ? null : <div className="player-head" />}
      {ROWS.map((row) => (
        <div key={row} style={{ height }}>
          <span />
        </div>
      ))}
    </div>
  );
};
