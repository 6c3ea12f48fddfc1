import 'uplot/dist/uPlot.min.css';
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import { useTexts } from '../i18n.ts';
import type { Range } from '../statistics.ts';

const HEIGHT_PX = 200;
const FONT = '12px system-ui, sans-serif';

const MIN_WIDTH_PX = 36;
const GAP_PX = 14;

/** The width of the vertical axis, so that its labels are not cut. */
const widthOf = ({ ctx }: uPlot, labels: string[] | null): number => {
  ctx.save();
  ctx.font = FONT;
  const widest = Math.max(0, ...(labels ?? []).map((label) => ctx.measureText(label).width));
  ctx.restore();
  return Math.max(MIN_WIDTH_PX, Math.ceil(widest) + GAP_PX);
};

/** `token`: the colour, as the style sheets call it. */
export type Line = { label: string; token: string; values: (number | null)[] };

/** A colour of the style sheets as a value, because a canvas knows no variables. */
const inkOf = (place: HTMLElement, token: string): string => {
  const probe = document.createElement('span');
  probe.style.color = `var(${token})`;
  place.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
};

const seriesOf = (place: HTMLElement, { label, token }: Line, isBars: boolean): uPlot.Series => {
  // A gap would be mixed with narrow bars.
  const bars = uPlot.paths.bars?.({ size: [1, 40] });
  const color = inkOf(place, token);
  return {
    label,
    stroke: color,
    width: isBars ? 0 : 2,
    points: { show: false },
    ...(isBars && { fill: color }),
    ...(isBars && bars !== undefined && { paths: bars }),
  };
};

/** Each line on top of the one before it; the tallest is drawn first. */
const stacked = (lines: readonly Line[]): Line[] => {
  const sums = lines[0]?.values.map(() => 0) ?? [];
  const tall = lines.map((line) => ({
    ...line,
    values: line.values.map((value, at) => {
      sums[at] = (sums[at] ?? 0) + (value ?? 0);
      return sums[at] ?? 0;
    }),
  }));
  return tall.toReversed();
};

/** The marks of the axis of time: hours of a day, or days. */
const tickOf = (locale: string, range: Range): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat(
    locale,
    range === '24h' ? { hour: '2-digit', minute: '2-digit' } : { day: 'numeric', month: 'short' },
  );

/**
 * A line chart, or stacked bars; `label` describes the chart as text. Times are epoch seconds. `onPoint` hears which of
 * them is under the pointer.
 */
export const Chart = ({
  label,
  times,
  lines,
  range,
  onPoint,
  isBars = false,
}: {
  label: string;
  times: number[];
  lines: readonly Line[];
  range: Range;
  onPoint: (index: number | undefined) => void;
  isBars?: boolean;
}) => {
  const { locale } = useTexts();
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const { current } = place;
    if (current === null) return;
    const tick = tickOf(locale, range);
    const number = new Intl.NumberFormat(locale, { notation: 'compact' });
    const grid = { stroke: inkOf(current, '--line'), width: 1 };
    const axis = { stroke: inkOf(current, '--dim'), font: FONT, grid, ticks: { show: false } };
    const drawn = isBars ? stacked(lines) : lines;
    const chart = new uPlot(
      {
        width: current.clientWidth,
        height: HEIGHT_PX,
        legend: { show: false },
        cursor: { y: false, points: { show: false }, drag: { x: false, y: false }, sync: { key: 'overview' } },
        hooks: { setCursor: [({ cursor: { idx } }) => onPoint(idx ?? undefined)] },
        // Half of the last label needs room to the right of its line.
        padding: [8, 30, 0, 0],
        scales: { y: { range: (_, _low, high) => [0, Math.max(4, high * 1.1)] } },
        axes: [
          { ...axis, values: (_, ticks) => ticks.map((each) => tick.format(each * 1000)), space: 70, size: 30 },
          {
            ...axis,
            values: (_, ticks) => ticks.map((each) => (Number.isInteger(each) ? number.format(each) : '')),
            size: widthOf,
          },
        ],
        series: [{}, ...drawn.map((line) => seriesOf(current, line, isBars))],
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
  }, [times, lines, isBars, locale, range, onPoint]);
  return <div ref={place} role="img" aria-label={label} className="chart" />;
};
