import { useSyncExternalStore } from 'react';

/** A person's choices for this browser. It keeps them, and the style sheets read them from attributes of the page. */
const CHOICES = {
  /** Whether the side bar shows icons alone. */
  folded: 'causeway-folded',
  /** Whether rows are lower than usual. */
  compact: 'causeway-compact',
  /** Whether single keys do nothing. */
  keysOff: 'causeway-keys-off',
} as const;
type Choice = keyof typeof CHOICES;

const listeners = new Set<() => void>();
const isChosen = (choice: Choice): boolean => localStorage.getItem(CHOICES[choice]) !== null;
const show = (choice: Choice): void => {
  document.documentElement.toggleAttribute(`data-${choice.toLowerCase()}`, isChosen(choice));
};
const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** Tells the style sheets what was chosen before. */
export const showChoices = (): void => {
  for (const choice of Object.keys(CHOICES) as Choice[]) show(choice);
};

const useChoice = (choice: Choice): [boolean, (chosen: boolean) => void] => [
  useSyncExternalStore(subscribe, () => isChosen(choice)),
  (chosen) => {
    if (chosen) localStorage.setItem(CHOICES[choice], 'yes');
    else localStorage.removeItem(CHOICES[choice]);
    show(choice);
    for (const listener of listeners) listener();
  },
];
export const useFolded = () => useChoice('folded');
export const useCompact = () => useChoice('compact');
export const useKeysOff = () => useChoice('keysOff');
/** Whether single keys do nothing, for listeners outside of components. */
export const areKeysOff = (): boolean => isChosen('keysOff');
