import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { areKeysOff } from './display.ts';
import { type Place, usePlaces } from './places.ts';

/** The letter that leads to a page after `g`. */
export const LETTERS: Record<Place['name'], string> = {
  overview: 'o',
  players: 'p',
  journal: 'j',
  batches: 'b',
  schedules: 's',
  shops: 'h',
  servers: 'v',
  keys: 'k',
  webhooks: 'w',
  project: 'r',
};
/** The second key comes within this time. */
const PAUSE_MS = 1_500;

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('input, textarea, select, [contenteditable]') !== null;

/** The field that a page is searched or filtered by. */
const focusFilter = (): boolean => {
  const fields = document.querySelectorAll<HTMLElement>('main input[type=search], main input[role=combobox]');
  const field = [...fields].find((each) => each.checkVisibility());
  field?.focus();
  return field !== undefined;
};

/**
 * `g` and a letter lead to a page, `/` to its filter, `?` to the list of keys. They do nothing in fields, and while
 * `isHeld`.
 */
export const useSingleKeys = (isHeld: boolean, onHelp: () => void): void => {
  const navigate = useNavigate();
  const places = usePlaces();
  const begun = useRef(0);
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const { key, ctrlKey, metaKey, altKey, target } = event;
      if (isHeld || ctrlKey || metaKey || altKey || isTyping(target) || areKeysOff()) return;
      if (document.querySelector('[role=dialog][aria-modal=true]') !== null) return;
      const page = places.find(({ name }) => LETTERS[name] === key);
      if (page !== undefined && Date.now() - begun.current < PAUSE_MS) {
        event.preventDefault();
        void navigate({ to: page.to });
      }
      if (key === '?') onHelp();
      if (key === '?' || (key === '/' && focusFilter())) event.preventDefault();
      begun.current = key === 'g' ? Date.now() : 0;
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, [isHeld, navigate, onHelp, places]);
};
