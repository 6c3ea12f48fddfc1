/** Shows invisible characters and characters that reverse the text direction as a mark, so that they cannot deceive. */
const HIDDEN =
  /\p{Cc}|\u034f|[\u00ad\u061c\u115f\u1160]|\u17b4|\u17b5|[\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0]/gu;

const BLANK = /^\s+$/u;

/** A text that a stranger chose, for places that take no elements. Nothing but blanks is invisible, too. */
export const plain = (text: string): string =>
  BLANK.test(text) ? text.replaceAll(/\s/gu, '\ufffd') : text.replaceAll(HIDDEN, '\ufffd');

/** A stranger's text beside other text, isolated from its direction. */
export const isolated = (text: string): string => `\u2068${plain(text)}\u2069`;

/** A text of the panel without the marks of `isolated`, for places that isolate the whole text. */
export const withoutMarks = (text: string): string => text.replaceAll(/[\u2068\u2069]/g, '');

/** A text that a stranger chose: a name, a reason, an identifier. */
export const Foreign = ({ children, isStrong = false }: { children: string; isStrong?: boolean }) => {
  const text = <bdi className="foreign">{plain(children)}</bdi>;
  return isStrong ? <strong>{text}</strong> : text;
};

const MAX_SHOWN = 12;
const HEAD = 4;
const TAIL = 2;

/** An identifier in a row: the hash in it is cut in the middle, such as `char1:1adb…6f`. */
export const shortId = (identifier: string): string => {
  const cut = identifier.lastIndexOf(':') + 1;
  const hash = identifier.slice(cut);
  if (hash.length <= MAX_SHOWN) return identifier;
  return `${identifier.slice(0, cut)}${hash.slice(0, HEAD)}…${hash.slice(-TAIL)}`;
};
