/** How many bytes the text has as UTF-8. A lone surrogate counts as the three bytes of its replacement. */
export const byteLength = (text: string): number => {
  let bytes = text.length;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code < 0x80) continue;
    if (code < 0x800) bytes += 1;
    else if (code < 0xd800 || code > 0xdbff) bytes += 2;
    else {
      const next = text.charCodeAt(at + 1);
      if (next >= 0xdc00 && next <= 0xdfff) at += 1;
      bytes += 2;
    }
  }
  return bytes;
};

/** Whether the text is longer than `limit` bytes as UTF-8; counts only where the length alone does not tell. */
export const isLongerThan = (text: string, limit: number): boolean =>
  text.length > limit || (text.length * 3 > limit && byteLength(text) > limit);

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Whether brackets in a JSON text are nested deeper than `limit`. Walking such a value would overflow the stack. */
export const isNestedDeeperThan = (json: string, limit: number): boolean => {
  if (json.length <= limit) return false;
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (isInString) {
      if (code === BACKSLASH) at += 1;
      else if (code === QUOTE) isInString = false;
    } else if (code === QUOTE) isInString = true;
    else if (code === 0x7b || code === 0x5b) {
      depth += 1;
      if (depth > limit) return true;
    } else if (code === 0x7d || code === 0x5d) depth -= 1;
  }
  return false;
};

const UNSTORABLE_ESCAPE = /\\u(?:0000|d[89a-f][0-9a-f]{2})/i;
// With the flag u a surrogate matches only where it has no partner.
const UNSTORABLE = /\0|[\ud800-\udfff]/gu;

const replaceIn = (value: unknown): unknown => {
  if (typeof value === 'string') return value.replace(UNSTORABLE, '\ufffd');
  if (Array.isArray(value)) return value.map(replaceIn);
  if (typeof value !== 'object' || value === null) return value;
  // fromEntries defines `__proto__` as a plain key, an assignment would not.
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key.replace(UNSTORABLE, '\ufffd'), replaceIn(inner)]),
  );
};

/**
 * The value of a JSON text with U+FFFD in the place of NUL and of lone surrogates, in strings and in keys: databases
 * cannot store those. Neither occurs unescaped in a text frame, so a frame without such an escape costs one search.
 */
export const withoutUnstorable = (json: string, value: unknown): unknown =>
  UNSTORABLE_ESCAPE.test(json) ? replaceIn(value) : value;
