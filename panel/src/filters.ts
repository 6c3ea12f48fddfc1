import { useDebouncedCallback } from '@mantine/hooks';
import { useRouterState } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';

/** Of each list, the filters that it had last. */
const last = new Map<string, Record<string, string>>();

/** Keeps the filters of a list, so that links back to it have them. */
export const useKeptFilters = (path: string, filters: Record<string, string>): void => {
  useEffect(() => {
    last.set(path, filters);
  }, [path, filters]);
};

/** The filters that the list at this address had last. */
export const lastFilters = (path: string): Record<string, string> => last.get(path) ?? {};

/** Forgets the filters: another person signs in. */
export const forgetFilters = (): void => last.clear();

/**
 * The text of a filter that is typed; `onChange` hears of it when the typing pauses. After Back, Forward or a link the
 * text is that of the address; an address that only follows the typing changes nothing.
 */
export const useTyped = (
  name: string,
  onChange: (text: string | undefined) => void,
  delayMs: number,
  /** How the text of the address stands in the field. */
  read: (text: string) => string = String,
): [text: string, type: (text: string) => void] => {
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const visit = useRouterState({ select: ({ location }) => location.state.__TSR_index });
  const given = useRouterState({
    select: ({ location }) => String((location.search as Record<string, unknown>)[name] ?? ''),
  });
  const [typed, setTyped] = useState(() => read(given));
  const shown = useRef({ path, visit });
  const settle = useDebouncedCallback((text: string) => onChange(text === '' ? undefined : text), delayMs);
  useEffect(() => {
    if (path !== shown.current.path || visit === shown.current.visit) return;
    shown.current = { path, visit };
    settle.cancel();
    setTyped(read(given));
  }, [path, visit, given, settle, read]);
  const type = (text: string): void => {
    setTyped(text);
    settle(text.trim());
  };
  return [typed, type];
};
