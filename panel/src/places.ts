import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { areKeysOff } from './display.ts';
import { useMay } from './session.ts';

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

/** The pages in their groups, and the scope that each one needs. */
const GROUPS = [
  {
    group: 'watch',
    pages: [
      { to: '/', name: 'overview', scope: 'servers:read' },
      { to: '/journal', name: 'journal', scope: 'commands:read' },
    ],
  },
  { group: 'people', pages: [{ to: '/players', name: 'players', scope: 'players:read' }] },
  {
    group: 'jobs',
    pages: [
      { to: '/batches', name: 'batches', scope: 'commands:read' },
      { to: '/schedules', name: 'schedules', scope: 'commands:read' },
      { to: '/shops', name: 'shops', scope: 'integrations:write' },
    ],
  },
  {
    group: 'admin',
    pages: [
      { to: '/servers', name: 'servers', scope: 'servers:read' },
      { to: '/keys', name: 'keys', scope: 'keys:write' },
      { to: '/webhooks', name: 'webhooks', scope: 'webhooks:write' },
      { to: '/project', name: 'project', scope: undefined },
    ],
  },
] as const;
export type Place = (typeof GROUPS)[number]['pages'][number];

export const usePlaceGroups = () => {
  const may = useMay();
  return GROUPS.map(({ group, pages }) => ({
    group,
    pages: pages.filter(({ scope }): boolean => scope === undefined || may(scope)) as Place[],
  })).filter(({ pages }) => pages.length > 0);
};

export const usePlaces = (): Place[] => usePlaceGroups().flatMap(({ pages }) => pages);
