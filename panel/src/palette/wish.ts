import { readAmount } from '../amount.ts';

/** Verbs with which a line may begin. */
export const VERBS = ['give', 'take', 'kick', 'message'] as const;
export type Verb = (typeof VERBS)[number];

/** The typed text: a search, or a verb with an amount, an account and the text to find the player by. */
export type Wish = { text: string; verb?: Verb; amount?: string; account?: string };

const MOVES_MONEY: ReadonlySet<Verb> = new Set(['give', 'take']);

/**
 * Reads a line such as `give 500 cash ana`. `words`: the verbs in the viewer's language and in English, lower case.
 * `accounts`: the names that stand for an account; the last word is always a part of the player's name.
 */
export const readWish = (
  typed: string,
  { words, accounts, locale }: { words: ReadonlyMap<string, Verb>; accounts: ReadonlySet<string>; locale: string },
): Wish => {
  const [first = '', ...rest] = typed.trim().split(/\s+/);
  const verb = words.get(first.toLowerCase());
  if (verb === undefined) return { text: typed.trim() };
  if (!MOVES_MONEY.has(verb)) return { verb, text: rest.join(' ') };
  const isAmount = (word: string): boolean =>
    typeof readAmount(word, { locale, max: Number.MAX_SAFE_INTEGER }) === 'number';
  const at = rest.findIndex(isAmount);
  const { [at]: amount } = rest;
  const others = rest.filter((_, n) => n !== at);
  const account = others.length > 1 ? others.find((word) => accounts.has(word.toLowerCase())) : undefined;
  return {
    verb,
    text: others.filter((word) => word !== account).join(' '),
    ...(amount !== undefined && { amount }),
    ...(account !== undefined && { account: account.toLowerCase() }),
  };
};
