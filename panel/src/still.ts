import { useEffect, useMemo, useRef, useState } from 'react';

/** The rows that are shown keep their place, with what is new of each; more rows may follow below them. */
const inPlace = <T>(shown: readonly T[], fresh: readonly T[], keyOf: (row: T) => string): T[] => {
  const byKey = new Map(fresh.map((row) => [keyOf(row), row]));
  const known = new Set(shown.map(keyOf));
  const last = fresh.findLastIndex((row) => known.has(keyOf(row)));
  const below = last === -1 ? [] : fresh.slice(last + 1);
  return [...shown.map((row) => byKey.get(keyOf(row)) ?? row), ...below];
};

/**
 * Rows of a list that do not move while the pointer is over it: a click would meet another one. `news` counts the rows
 * that wait until it leaves. `list` says which list it is, undefined while it is not known: another one is shown at once.
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
