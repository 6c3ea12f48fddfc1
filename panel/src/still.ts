import { useRef, useState } from 'react';

/**
 * Keeps the order of the shown rows, so that no row moves by itself, and shows changed fields in place. Rows below the
 * last known one are appended. `list` identifies the list; a list with another identity, or undefined, is shown at once.
 */
export const useHeld = <T>(fresh: readonly T[], keyOf: (row: T) => string, list: string | undefined) => {
  const shown = useRef<{ list: string | undefined; keys: readonly string[]; rows: readonly T[] }>(undefined);
  const [, draw] = useState(0);
  const release = (): void => {
    shown.current = undefined;
    draw((count) => count + 1);
  };
  const before = shown.current;
  const byKey = new Map(fresh.map((row) => [keyOf(row), row]));
  if (before === undefined || list === undefined || before.list !== list || before.keys.length === 0) {
    shown.current = { list, keys: [...byKey.keys()], rows: fresh };
    return { rows: fresh, news: 0, isMoved: false, release };
  }
  const known = new Set(before.keys);
  const order = [...byKey.keys()];
  const last = order.findLastIndex((key) => known.has(key));
  const below = last === -1 ? [] : order.slice(last + 1);
  const keys = [...before.keys, ...below];
  const old = new Map(before.keys.map((key, at) => [key, before.rows[at]]));
  const rows = keys.flatMap((key) => byKey.get(key) ?? old.get(key) ?? []);
  shown.current = { list, keys, rows };
  const news = order.filter((key) => !known.has(key)).length - below.length;
  const isMoved = order.some((key, at) => key !== keys[at]);
  return { rows, news, isMoved, release };
};

/**
 * The same only while the pointer is over the list, so that a click does not hit another row. `news` counts the rows that
 * wait.
 */
export const useStill = <T>(fresh: readonly T[], keyOf: (row: T) => string, list: string | undefined) => {
  const [isOver, setOver] = useState(false);
  const { rows, news } = useHeld(fresh, keyOf, isOver ? list : undefined);
  const pointer = { onPointerEnter: (): void => setOver(true), onPointerLeave: (): void => setOver(false) };
  return { rows, news, pointer };
};
