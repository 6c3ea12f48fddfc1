import { useRouterState } from '@tanstack/react-router';
import { useCallback, useEffect, useRef, useState } from 'react';

/** The last filters of each list, by its path. */
const last = new Map<string, Record<string, string>>();

/** Remembers the filters of a list for links that lead back to it. */
export const useKeptFilters = (path: string, filters: Record<string, string>): void => {
  useEffect(() => {
    last.set(path, filters);
  }, [path, filters]);
};

export const lastFilters = (path: string): Record<string, string> => last.get(path) ?? {};

/** Forgets all filters, when another person signs in. */
export const forgetFilters = (): void => last.clear();

/**
 * The text of a filter field. `onChange` is called when the typing pauses, and with `leading` also when it begins. Back,
 * Forward and links replace the text with that of the address; a replaced address does not, because it only follows the
 * typing.
 */
export const useTyped = (
  name: string,
  onChange: (text: string | undefined) => void,
  timing: number | { delay: number; leading: boolean },
  /** Turns the text of the address into that of the field. */
  read: (text: string) => string = String,
): [text: string, type: (text: string) => void] => {
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const visit = useRouterState({ select: ({ location }) => location.state.__TSR_index });
  const given = useRouterState({
    select: ({ location }) => String((location.search as Record<string, unknown>)[name] ?? ''),
  });
  const [typed, setTyped] = useState(() => read(given));
  const shown = useRef({ path, visit });
  const { delay, leading } = typeof timing === 'number' ? { delay: timing, leading: false } : timing;
  // Not `given`: the address follows with the next render, which may come after the next text.
  const told = useRef(given);
  const tell = (text: string): void => {
    if (text === told.current) return;
    told.current = text;
    onChange(text === '' ? undefined : text);
  };
  const timer = useRef<number>(undefined);
  const stop = useCallback((): void => {
    window.clearTimeout(timer.current);
    timer.current = undefined;
  }, []);
  const latest = useRef(tell);
  useEffect(() => {
    latest.current = tell;
  });
  useEffect(() => stop, [stop]);
  useEffect(() => {
    if (path !== shown.current.path || visit === shown.current.visit) return;
    shown.current = { path, visit };
    told.current = given;
    stop();
    setTyped(read(given));
  }, [path, visit, given, stop, read]);
  const type = (text: string): void => {
    setTyped(text);
    if (leading && timer.current === undefined) tell(text.trim());
    stop();
    timer.current = window.setTimeout(() => {
      timer.current = undefined;
      latest.current(text.trim());
    }, delay);
  };
  return [typed, type];
};

/** A text once it has been the same for a while. `leading`: the first one after such a while is taken at once. */
export const useSettled = (text: string, pauseMs: number, leading = false): string => {
  const [settled, setSettled] = useState(text);
  const changedAt = useRef(0);
  useEffect(() => {
    const isFirst = Date.now() - changedAt.current > pauseMs;
    changedAt.current = Date.now();
    const timer = window.setTimeout(() => setSettled(text), leading && isFirst ? 0 : pauseMs);
    return () => window.clearTimeout(timer);
  }, [text, pauseMs, leading]);
  return settled;
};
