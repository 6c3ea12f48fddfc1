import { useSyncExternalStore } from 'react';
import { createStore } from './store.ts';

const PHONE = window.matchMedia('(max-width: 767px)');
const WIDE = window.matchMedia('(min-width: 1600px)');
const COARSE = window.matchMedia('(pointer: coarse)');

const subscribe = (listener: () => void): (() => void) => {
  for (const query of [PHONE, WIDE, COARSE]) query.addEventListener('change', listener);
  return () => {
    for (const query of [PHONE, WIDE, COARSE]) query.removeEventListener('change', listener);
  };
};

/** Whether there is room for all columns. */
export const useWide = (): boolean => useSyncExternalStore(subscribe, () => WIDE.matches);

const ROW_PX = { phone: 56, coarse: 44, compact: 32, usual: 36 };

/** Whether rows have two lines, and their height in pixels: a list draws only the rows in view. */
export const useRows = (): { isPhone: boolean; height: number } => {
  const isPhone = useSyncExternalStore(subscribe, () => PHONE.matches);
  const isCoarse = useSyncExternalStore(subscribe, () => COARSE.matches);
  const [isCompact] = useCompact();
  return { isPhone, height: ROW_PX[isPhone ? 'phone' : isCoarse ? 'coarse' : isCompact ? 'compact' : 'usual'] };
};

/** A person's choices for this browser. It keeps them, and the style sheets read them from attributes of the page. */
const CHOICES = {
  folded: 'causeway-folded',
  compact: 'causeway-compact',
  keysOff: 'causeway-keys-off',
} as const;
type Choice = keyof typeof CHOICES;

/** Is set whenever something is chosen. */
const changes = createStore({});
const isChosen = (choice: Choice): boolean => localStorage.getItem(CHOICES[choice]) !== null;
const show = (choice: Choice): void => {
  document.documentElement.toggleAttribute(`data-${choice.toLowerCase()}`, isChosen(choice));
};

/** Tells the style sheets what was chosen before. */
export const showChoices = (): void => {
  for (const choice of Object.keys(CHOICES) as Choice[]) show(choice);
};

const useChoice = (choice: Choice): [boolean, (chosen: boolean) => void] => [
  changes.useOf(() => isChosen(choice)),
  (chosen) => {
    if (chosen) localStorage.setItem(CHOICES[choice], 'yes');
    else localStorage.removeItem(CHOICES[choice]);
    show(choice);
    changes.set({});
  },
];
export const useFolded = () => useChoice('folded');
export const useCompact = () => useChoice('compact');
export const useKeysOff = () => useChoice('keysOff');
/** Whether single keys do nothing, for listeners outside of components. */
export const areKeysOff = (): boolean => isChosen('keysOff');

export const SCHEMES = ['auto', 'light', 'dark'] as const;
type Scheme = (typeof SCHEMES)[number];
/** The documentation reads it, too: public/scheme.js. */
const SCHEME = 'causeway-scheme';
const DARK = window.matchMedia('(prefers-color-scheme: dark)');
const schemeNow = (): Scheme => SCHEMES.find((each) => each === localStorage.getItem(SCHEME)) ?? 'auto';
const isDark = (): boolean => schemeNow() === 'dark' || (schemeNow() === 'auto' && DARK.matches);
const showScheme = (): void => {
  document.documentElement.dataset['scheme'] = isDark() ? 'dark' : 'light';
  changes.set({});
};
DARK.addEventListener('change', showScheme);

export const useScheme = (): [Scheme, (scheme: Scheme) => void] => [
  changes.useOf(schemeNow),
  (scheme) => {
    localStorage.setItem(SCHEME, scheme);
    showScheme();
  },
];
/** Whether the panel is dark, for what is drawn without style sheets. */
export const useDark = (): boolean => changes.useOf(isDark);
