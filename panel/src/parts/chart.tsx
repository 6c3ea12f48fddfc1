import 'uplot/dist/uPlot.min.css';
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import { useTexts } from '../i18n.ts';

const HEIGHT_PX = 170;
const FONT = '12px system-ui, sans-serif';

const MIN_WIDTH_PX = 44;
const GAP_PX = 14;

/** The width of the vertical axis, so that its labels are not cut. */
const widthOf = ({ ctx }: uPlot, labels: string[] | null): number => {
  ctx.save();
  ctx.font = FONT;
  const widest = Math.max(0, ...(labels ?? []).map((label) => ctx.measureText(label).width));
  ctx.restore();
  return Math.max(MIN_WIDTH_PX, Math.ceil(widest) + GAP_PX);
};

export type Line = { label: string; color: string; values: number[] };

const colors = (): { text: string; grid: string } =>
  document.documentElement.dataset['mantineColorScheme'] === 'dark'
    ? { text: '#a5aeba', grid: '#343a42' }
    : { text: '#56606d', grid: '#e3e7ec' };

const seriesOf = ({ label, color }: Line, isBars: boolean): uPlot.Series => {
  const bars = uPlot.paths.bars?.({ size: [0.7, 40] });
  return {
    label,
    stroke: color,
    fill: isBars ? color : `${color}33`,
    width: isBars ? 0 : 2,
    points: { show: false },
    ...(isBars && bars !== undefined && { paths: bars }),
  };
};

/** Each line on top of the one before it; the tallest is drawn first. */
const stacked = (lines: readonly Line[]): Line[] => {
  const sums = lines[0]?.values.map(() => 0) ?? [];
  const tall = lines.map((line) => ({
    ...line,
    values: line.values.map((value, at) => {
      sums[at] = (sums[at] ?? 0) + value;
      return sums[at];
    }),
  }));
  return tall.toReversed();
};

/** A line chart, or stacked bars; `label` describes the chart as text. Times are epoch seconds. */
export const Chart = ({
  label,
  times,
  lines,
  isBars = false,
}: {
  label: string;
  times: number[];
  lines: readonly Line[];
  isBars?: boolean;
}) => {
  const { locale } = useTexts();
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const { current } = place;
    if (current === null) return;
    const hour = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit' });
    const number = new Intl.NumberFormat(locale, { notation: 'compact' });
    const { text, grid } = colors();
    const axis = { stroke: text, font: FONT, grid: { stroke: grid, width: 1 }, ticks: { show: false } };
    const drawn = isBars ? stacked(lines) : lines;
    const chart = new uPlot(
      {
        width: current.clientWidth,
        height: HEIGHT_PX,
        legend: { show: false },
        cursor: { show: false },
        // Half of the last label needs room to the right of its line.
        padding: [8, 30, 0, 0],
        scales: { y: { range: (_, _low, high) => [0, Math.max(4, high * 1.1)] } },
        axes: [
          { ...axis, values: (_, ticks) => ticks.map((tick) => hour.format(tick * 1000)), space: 70, size: 30 },
          {
            ...axis,
            values: (_, ticks) => ticks.map((tick) => (Number.isInteger(tick) ? number.format(tick) : '')),
            size: widthOf,
          },
        ],
        series: [{}, ...drawn.map((line) => seriesOf(line, isBars))],
      },
      [times, ...drawn.map(({ values }) => values)],
      current,
    );
    const observer = new ResizeObserver(() => chart.setSize({ width: current.clientWidth, height: HEIGHT_PX }));
    observer.observe(current);
    return () => {
      observer.disconnect();
      chart.destroy();
    };
  }, [times, lines, isBars, locale]);
  return <div ref={place} role="img" aria-label={label} className="chart" />;
};
