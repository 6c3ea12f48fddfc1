import { useSyncExternalStore } from 'react';
import { useTexts } from '../i18n.ts';

const EVERY_MS = 1_000;
let now = Date.now();
const listeners = new Set<() => void>();
let timer: number | undefined;

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  now = Date.now();
  timer ??= window.setInterval(() => {
    now = Date.now();
    for (const each of listeners) each();
  }, EVERY_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    window.clearInterval(timer);
    timer = undefined;
  };
};

/** The age of a time, kept up to date; the exact time with its zone is in its title. */
export const Ago = ({ iso, isShort = false }: { iso: string; isShort?: boolean }) => {
  const { ago, exact } = useTexts();
  const text = useSyncExternalStore(subscribe, () => ago(iso, now, isShort));
  return (
    <time dateTime={iso} title={exact(iso)}>
      {text}
    </time>
  );
};
