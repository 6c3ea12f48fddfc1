import { createContext, createElement, Fragment, type ReactNode, useContext } from 'react';
import { first } from './messages/en/first.ts';
import type { MessageKey, Messages } from './messages/keys.ts';

export const LANGUAGES = { en: 'English', pt: 'Português', de: 'Deutsch' } as const;
export type Language = keyof typeof LANGUAGES;
/** The texts of sign-in and Players. In English they are a part of the panel. */
const FIRST = {
  en: async () => ({ first }),
  pt: () => import('./messages/pt/first.ts'),
  de: () => import('./messages/de/first.ts'),
};
/** All others, which come with the first page that needs one of them. */
const OTHERS = {
  en: () => import('./messages/en/others.ts'),
  pt: () => import('./messages/pt/others.ts'),
  de: () => import('./messages/de/others.ts'),
};

export const isLanguage = (tag: string): tag is Language => Object.hasOwn(LANGUAGES, tag);

const STORED = 'causeway-language';

/** The language that the user chose, otherwise the browser's first supported language, otherwise English. */
export const firstLanguage = (): Language => {
  const wanted = [localStorage.getItem(STORED) ?? '', ...navigator.languages].map((tag) => tag.slice(0, 2));
  return wanted.find(isLanguage) ?? 'en';
};
/** Whether this user chose a language in this browser. */
export const hasChosenLanguage = (): boolean => localStorage.getItem(STORED) !== null;
export const keepLanguage = (language: Language): void => localStorage.setItem(STORED, language);

/** Keys of which there is one for each plural form. */
type Counted<K> = K extends `${infer Base}.other` ? Base : never;
type Values = Record<string, string | number>;

/** The texts of a page, and its format of numbers and times, in one language and the viewer's own time zone. */
const createTexts = (language: Language, messages: Messages) => {
  // Uses the viewer's regional format: an English-speaking viewer in London does not expect am and pm.
  const locale = navigator.languages.find((tag) => tag.slice(0, 2) === language) ?? language;
  const plural = new Intl.PluralRules(language);
  const numbers = new Intl.NumberFormat(locale);
  const times = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' });
  const exact = new Intl.DateTimeFormat(locale, {
    ...{ year: 'numeric', month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', second: '2-digit' },
    timeZoneName: 'short',
  });
  const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
  // Narrow minutes of German read as metres.
  const style = language === 'de' ? 'short' : 'narrow';
  const short = new Intl.RelativeTimeFormat(language, { numeric: 'auto', style });
  const filled = (text: string, values: Values): string =>
    text.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''));
  const t = (key: MessageKey, values: Values = {}): string => filled(messages[key], values);
  const number = (value: number): string => numbers.format(value);
  /** Whether there is a text of this name; names come from the hub. */
  const has = (key: string): key is MessageKey => Object.hasOwn(messages, key);

  return {
    language,
    locale,
    t,
    number,
    /** Whether a text has places for other values than these. */
    needsMore: (key: MessageKey, ...names: string[]): boolean =>
      [...messages[key].matchAll(/\{(\w+)\}/g)].some(([, name = '']) => !names.includes(name)),
    has,
    /** The text of this name, which comes from the hub; `other`: there is none. */
    textOr: (key: string, other: string, values?: Values): string => (has(key) ? t(key, values) : other),
    count: (key: Counted<MessageKey>, count: number): string => {
      const form = plural.select(count) === 'one' ? 'one' : 'other';
      return t(`${key}.${form}` as MessageKey, { count: number(count) });
    },
    /** A text with elements in its places. */
    rich: (key: MessageKey, values: Record<string, ReactNode>): ReactNode =>
      createElement(
        Fragment,
        {},
        ...messages[key].split(/(\{\w+\})/).map((part) => (/^\{\w+\}$/.test(part) ? values[part.slice(1, -1)] : part)),
      ),
    time: (iso: string): string => times.format(new Date(iso)),
    /** A time with its zone. */
    exact: (iso: string): string => exact.format(new Date(iso)),
    ago: (iso: string, now: number, isShort = false): string => {
      const format = isShort ? short : relative;
      const seconds = Math.round((Date.parse(iso) - now) / 1000);
      const size = Math.abs(seconds);
      // The hub's clock may be slightly ahead, and this clock is read once a second: a past time must not appear as
      // future.
      if (size < 60) return format.format(Math.min(seconds, 0), 'second');
      if (size < 3600) return format.format(Math.round(seconds / 60), 'minute');
      if (size < 86_400) return format.format(Math.round(seconds / 3600), 'hour');
      return format.format(Math.round(seconds / 86_400), 'day');
    },
  };
};
export type Texts = ReturnType<typeof createTexts>;

/** The texts that are here, by language. Those of a page are here before the page is. */
const here = new Map<Language, Messages>();
let areAllWanted = false;

const addTexts = (language: Language, texts: Partial<Messages>): Messages => {
  const known = here.get(language) ?? ({} as Messages);
  here.set(language, known);
  return Object.assign(known, texts);
};
const addOthers = async (language: Language): Promise<unknown> => addTexts(language, (await OTHERS[language]()).others);

/** Waits for code that is fetched when it is needed, and for its texts. */
export const withTexts = async <T>(code: Promise<T>): Promise<T> => {
  areAllWanted = true;
  await Promise.all([...here.keys()].map(addOthers));
  return code;
};

const textsOf = async (language: Language): Promise<Texts> => {
  addTexts(language, {});
  const messages = addTexts(language, (await FIRST[language]()).first);
  if (areAllWanted) await addOthers(language);
  return createTexts(language, messages);
};

/** The texts of a language; English if they cannot be fetched. */
export const fetchTexts = async (language: Language): Promise<Texts> => {
  try {
    return await textsOf(language);
  } catch {
    here.delete(language);
    return textsOf('en');
  }
};

export const TextsContext = createContext<Texts | undefined>(undefined);
/** The texts one by one, and all of them, for functions outside of components. */
export const useTexts = (): Texts & { texts: Texts } => {
  const texts = useContext(TextsContext);
  if (texts === undefined) throw new Error('There are no texts.');
  return { ...texts, texts };
};
