import { deburr } from 'es-toolkit/string';

/** Printable ASCII that folds to itself in lower case: without apostrophes, colour codes, and blanks at the ends or doubled. */
const PLAIN = /^[!-&(-\]_a-}]+(?: [!-&(-\]_a-}]+)*$/;
const APOSTROPHES = /['\u2018\u2019\u02bc`\u00b4\u2032]/g;
/** Characters that no screen shows, and control characters other than white space. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}|[^\P{Cc}\s]/gu;
/** Colours and styles of game texts: `^1` of chats, `~r~`, `~bold~` or `~HUD_COLOUR_RED~` of GTA V and RDR 2. */
const CODES = /\^\d|~(?:[a-z]|bold|italic|(?:HUD_COLOUR|BLIP|INPUT)_\w+)~/g;
/** White space, and the braille pattern without dots. */
const BLANKS = /[\s\u2800]+/g;

/**
 * Text as searches compare it, in the hub and in the panel: what a person sees, in lower case. `joao` finds João, `lukasz`
 * finds Łukasz, `gross` finds Groß, `naess` finds Næss. Letters of full width are plain ones. Accents, invisible characters,
 * apostrophes and colour codes are left out; blanks are left out at the ends and single in between.
 */
export const fold = (text: string): string => {
  if (PLAIN.test(text)) return text.toLowerCase();
  const seen = text.replace(APOSTROPHES, '').normalize('NFKC').replace(INVISIBLE, '').replace(CODES, '');
  const letters = deburr(seen.toLowerCase().normalize('NFD')).toLowerCase().replaceAll('ς', 'σ');
  return letters.replace(BLANKS, ' ').trim().normalize('NFC');
};
