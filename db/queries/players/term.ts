import { fold } from '../../../bridge-protocol/fold.ts';
import type { Field, Hits, Term } from '../../port/search.ts';
import { storable } from '../../schema/text.ts';

/** Shorter terms are not searched inside hashes, because they would match most of them. */
const MIN_IN_HASH = 4;
/** The characters of identifiers, folded. */
const IDENTIFIER_TERM = /^[a-z0-9:_.@-]*$/;
/** A mention of a user, as Discord copies it. */
const MENTION = /^<@!?(\d+)>$/;
/** A SteamID64, as Steam shows it: identifiers of FiveM have it in hexadecimal digits. */
const STEAM_ID = /^7656119\d{10}$/;

/** The folded term of a search and the fields to search. Undefined: nothing can match. */
export const termOf = (search: string, { plates }: { plates: boolean }): Term | undefined => {
  const text = fold(storable(search)).replace(MENTION, 'discord:$1');
  if (text === '' && search !== '') return undefined;
  const ofIdentifiers = [...text].length < MIN_IN_HASH ? 'marks' : 'ids';
  return {
    text,
    fields: [...(IDENTIFIER_TERM.test(text) ? [ofIdentifiers] : []), ...(plates ? ['plates'] : [])] as Field[],
  };
};

/** The identifier of FiveM for a SteamID64 that nothing was found for; undefined: the search is something else. */
export const steamOf = (search: string): string | undefined =>
  STEAM_ID.test(fold(search)) ? `steam:${BigInt(fold(search)).toString(16)}` : undefined;

/** Both lists of hits, which have no hit in common, as one. */
export const joined = (a: Hits, b: Hits): Hits => {
  if (a.count === 0 || b.count === 0) return a.count === 0 ? b : a;
  return { count: a.count + b.count, ids: `${a.ids.slice(0, -1)},${b.ids.slice(1)}` };
};
