import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { api, dataOf, type Schemas } from '../api.ts';
import { useTexts } from '../i18n.ts';
import { OUTCOMES, outcomeColor } from '../outcomes.ts';
import { Chart, type Line } from './chart.tsx';
import { Loaded } from './state.tsx';

type Points = Schemas['Statistics']['points'];
const HOUR_S = 3600;
const HOURS = 24;

const secondsOf = (at: string): number => Date.parse(at) / 1000;

/** A sum for each of the last 24 hours. */
const hourly = (points: Points, now: number) => {
  const first = Math.floor(now / 1000 / HOUR_S) - HOURS + 1;
  const times = Array.from({ length: HOURS }, (_, hour) => (first + hour) * HOUR_S);
  const sums = Object.fromEntries(OUTCOMES.map((name) => [name, times.map(() => 0)])) as Record<
    (typeof OUTCOMES)[number],
    number[]
  >;
  for (const point of points) {
    const hour = Math.floor(secondsOf(point.at) / HOUR_S) - first;
    for (const name of OUTCOMES) if (hour >= 0) sums[name][hour] = (sums[name][hour] ?? 0) + point[name];
  }
  return { times, sums };
};

const Curves = ({ points }: { points: Points }) => {
  const { t, number } = useTexts();
  const online = useMemo(() => {
    const values = points.map((point) => point.online);
    return { times: points.map(({ at }) => secondsOf(at)), lines: [{ label: '', color: '#1971c2', values }] };
  }, [points]);
  const commands = useMemo(() => {
    const { times, sums } = hourly(points, Date.now());
    const lines: Line[] = OUTCOMES.map((name) => ({ label: name, color: outcomeColor(name), values: sums[name] }));
    return { times, lines };
  }, [points]);
  const totals = OUTCOMES.map((name) => [name, points.reduce((sum, point) => sum + point[name], 0)] as const);
  const most = Math.max(0, ...points.map((point) => point.online));
  const inWords = totals.map(([name, total]) => `${t(`outcome.${name}`)}: ${number(total)}`).join(', ');
  return (
    <>
      <section className="card">
        <h2>{t('dashboard.online')}</h2>
        {points.length < 2 ? (
          <p className="dim">{t('dashboard.noData')}</p>
        ) : (
          <Chart label={`${t('dashboard.online')}: ≤ ${number(most)}`} times={online.times} lines={online.lines} />
        )}
      </section>
      <section className="card">
        <h2>{t('dashboard.commands')}</h2>
        <Chart label={`${t('dashboard.commands')}: ${inWords}`} times={commands.times} lines={commands.lines} isBars />
        <ul className="legend">
          {totals.map(([name, total]) => (
            <li key={name}>
              <span className={`key ${name}`} aria-hidden="true" />
              {t(`outcome.${name}`)} <strong>{number(total)}</strong>
            </li>
          ))}
        </ul>
      </section>
    </>
  );
};

/** A day of players and of commands. */
export const Charts = () => {
  const query = useQuery({
    queryKey: ['statistics'],
    queryFn: async () => {
      const data = await dataOf(api.GET('/api/v2/statistics', { params: { query: { hours: HOURS } } }));
      return 'stepSeconds' in data ? data.points : [];
    },
    refetchInterval: 60_000,
  });
  return <Loaded query={query}>{(points) => <Curves points={points} />}</Loaded>;
};
