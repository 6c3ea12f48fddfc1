import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useDark } from '../display.ts';
import { useTexts } from '../i18n.ts';
import { OUTCOMES, STATUSES_OF } from '../outcomes.ts';
import { useMay } from '../session.ts';
import { type Ends, type Range, type Statistics, startOf } from '../statistics.ts';
import { Chart } from './chart.tsx';

type Points = Statistics['points'];
type Point = Points[number];
/** The parts of a bar: done alone and in batches, and the other ends of both. */
const BARS = ['succeeded', 'batches', 'refused', 'failed', 'unknown'] as const;
type Bar = (typeof BARS)[number];

/** Opaque, as a bar stands on the others: the legend has the same. */
const TOKENS: Record<Bar, string> = {
  succeeded: '--done',
  batches: '--of-batches',
  refused: '--edge',
  failed: '--bad',
  unknown: '--ask',
};

const NOTHING: Ends = { succeeded: 0, refused: 0, failed: 0, unknown: 0 };

const heightOf = ({ ended, batches }: Point, bar: Bar): number => {
  const [alone, many] = [ended ?? NOTHING, batches ?? NOTHING];
  if (bar === 'batches') return many.succeeded;
  return bar === 'succeeded' ? alone.succeeded : alone[bar] + many[bar];
};

const secondsOf = ({ at }: Point): number => Date.parse(at) / 1000;

/** The filters of the journal for a number of the legend. */
const filterOf = (bar: Bar) =>
  bar === 'batches'
    ? { batches: 'only' }
    : { status: STATUSES_OF[bar], ...(bar === 'succeeded' && { batches: 'none' }) };

/** Players and commands over a range, side by side with one axis of time. */
export const Charts = ({ statistics: { points, peak }, range }: { statistics: Statistics; range: Range }) => {
  const { t, number, time } = useTexts();
  const may = useMay();
  const isDark = useDark();
  /** The point under the pointer. */
  const [pointed, setPointed] = useState<number>();
  const times = useMemo(() => points.map(secondsOf), [points]);
  const online = useMemo(
    () => [{ label: 'online', token: '--accent', values: points.map((point) => point.online) }],
    [points],
  );
  const commands = useMemo(
    () => BARS.map((bar) => ({ label: bar, token: TOKENS[bar], values: points.map((point) => heightOf(point, bar)) })),
    [points],
  );
  const point = pointed === undefined ? undefined : points[pointed];
  const totalOf = (bar: Bar): number => points.reduce((sum, each) => sum + heightOf(each, bar), 0);
  const most = number(Math.round(peak));
  const words = OUTCOMES.map((bar) => `${t(`outcome.${bar}`)}: ${number(totalOf(bar))}`).join(', ');
  const shared = { times, range, onPoint: setPointed };
  const since = startOf(range);
  return (
    <div className="charts">
      <section>
        <h2>{t('dashboard.online')}</h2>
        <Chart key={String(isDark)} {...shared} label={`${t('dashboard.online')}: ≤ ${most}`} lines={online} />
        <p className="legend">
          {point === undefined
            ? t('dashboard.most', { count: most })
            : `${time(point.at)}: ${point.online === null ? '–' : number(Math.round(point.online))}`}
        </p>
      </section>
      <section>
        <h2>{t('dashboard.commands')}</h2>
        <Chart
          key={String(isDark)}
          {...shared}
          label={`${t('dashboard.commands')}: ${words}`}
          lines={commands}
          isBars
        />
        <ul className="legend">
          {BARS.map((bar) => (
            <li key={bar}>
              <span className={`key ${bar}`} aria-hidden="true" />
              {t(`outcome.${bar}`)}{' '}
              {point !== undefined || !may('commands:read') ? (
                <strong>{number(point === undefined ? totalOf(bar) : heightOf(point, bar))}</strong>
              ) : (
                <Link to="/journal" search={{ ...filterOf(bar), since }}>
                  {number(totalOf(bar))}
                </Link>
              )}
            </li>
          ))}
        </ul>
      </section>
    </div>
  );
};
