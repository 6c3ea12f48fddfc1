import { useEffect, useMemo, useRef, useState } from 'react';

/** Keeps the order of the shown rows and updates each; rows below the last known one are appended. */
const inPlace = <T>(shown: readonly T[], fresh: readonly T[], keyOf: (row: T) => string): T[] => {
  const byKey = new Map(fresh.map((row) => [keyOf(row), row]));
  const known = new Set(shown.map(keyOf));
  const last = fresh.findLastIndex((row) => known.has(keyOf(row)));
  const below = last === -1 ? [] : fresh.slice(last + 1);
  return [...shown.map((row) => byKey.get(keyOf(row)) ?? row), ...below];
};

/**
 * Keeps rows in place while the pointer is over their list, so that a click does not hit another row. `news` counts the
 * rows that wait. `list` identifies the list; a list with another identity, or undefined, is shown at once.
 */
export const useStill = <T>(rows: readonly T[], keyOf: (row: T) => string, list: string | undefined) => {
  const [isOver, setOver] = useState(false);
  const shown = useRef({ list, rows });
  const still = useMemo(
    () =>
      isOver && list !== undefined && shown.current.list === list ? inPlace(shown.current.rows, rows, keyOf) : rows,
    [isOver, rows, keyOf, list],
  );
  useEffect(() => {
    shown.current = { list, rows: still };
  });
  const news = useMemo(() => {
    const known = new Set(still.map(keyOf));
    return rows.filter((row) => !known.has(keyOf(row))).length;
  }, [still, rows, keyOf]);
  const pointer = { onPointerEnter: (): void => setOver(true), onPointerLeave: (): void => setOver(false) };
  return { rows: still, news, pointer };
};
