const WIDTH = 160;
const HEIGHT = 24;
const EDGE = 2;

/** A small line of values over time, with gaps where nothing is known. */
export const Spark = ({ values, label }: { values: readonly (number | null)[]; label: string }) => {
  const most = Math.max(1, ...values.map((value) => value ?? 0));
  const step = WIDTH / Math.max(1, values.length - 1);
  let isOpen = false;
  const path = values.map((value, at) => {
    if (value === null) {
      isOpen = false;
      return '';
    }
    const kind = isOpen ? 'L' : 'M';
    isOpen = true;
    return `${kind}${(at * step).toFixed(1)} ${(HEIGHT - EDGE - (value / most) * (HEIGHT - 2 * EDGE)).toFixed(1)}`;
  });
  return (
    <svg className="spark" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
      <path d={path.join('')} />
    </svg>
  );
};
