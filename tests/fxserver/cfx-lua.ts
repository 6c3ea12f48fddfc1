/** The hash that CfxLua writes between backticks: Jenkins, one at a time, of the text in lower case. */
const joaat = (text: string): number => {
  let hash = 0;
  for (const byte of Buffer.from(text.toLowerCase())) {
    hash = (hash + byte) >>> 0;
    hash = (hash + (hash << 10)) >>> 0;
    hash = (hash ^ (hash >>> 6)) >>> 0;
  }
  hash = (hash + (hash << 3)) >>> 0;
  hash = (hash ^ (hash >>> 11)) >>> 0;
  return (hash + (hash << 15)) | 0;
};

/** Strings and comments stay unchanged: placeholders that no source contains replace them during the translation. */
const KEPT =
  /--\[(=*)\[[\s\S]*?\]\1\]|--[^\n]*|\[(=*)\[[\s\S]*?\]\2\]|"(?:\\[\s\S]|[^"\\\n])*"|'(?:\\[\s\S]|[^'\\\n])*'/g;
const COMPOUND =
  /((?:^|[\n;]|\b(?:then|do|else|repeat)\b)[ \t]*)([A-Za-z_][\w.]*(?:\[[^\]\n]*\][\w.]*)*)[ \t]*(\.\.|[-+*/%])=(?!=)[ \t]*([^\n;\ue001]+?)(?=[ \t]*(?:$|[\n;\ue001]|\bend\b|\belse\b))/g;
const OPENING: Record<string, string> = { ')': '(', ']': '[' };

/** Where the expression begins that ends at `end`: names, dots, and whatever is in brackets after them. */
const startOf = (text: string, end: number): number => {
  let at = end;
  while (at > 0) {
    const last = text[at - 1] ?? '';
    const opening = OPENING[last];
    if (opening === undefined && !/[\w.:]/.test(last)) break;
    at -= 1;
    for (let depth = opening === undefined ? 0 : 1; depth > 0 && at > 0; at -= 1) {
      if (text[at - 1] === last) depth += 1;
      else if (text[at - 1] === opening) depth -= 1;
    }
  }
  return at;
};

const SAFE_STEP = /\?[.[]/;

const withoutSafeSteps = (code: string): string => {
  let text = code;
  for (let at = text.search(SAFE_STEP); at !== -1; at = text.search(SAFE_STEP)) {
    const start = startOf(text, at);
    text = `${text.slice(0, start)}(${text.slice(start, at)} or {})${text.slice(at + 1)}`;
  }
  return text;
};

/**
 * Translates the additions of CfxLua that frameworks use into plain Lua: `a += b` and similar on a line of their own,
 * `a?.b`, `a?[b]`, hashes between backticks. Other additions fail to load with an error that names the place.
 */
export const plainLua = (code: string): string => {
  const kept: string[] = [];
  let text = code.replace(KEPT, (whole) => {
    const sign = whole.startsWith('--') ? '\ue001' : '\ue000';
    return `${sign}${kept.push(whole) - 1}\ue002`;
  });
  text = text.replace(/`([^`\n]*)`/g, (_whole, name: string) => String(joaat(name)));
  text = text.replace(COMPOUND, (_whole, before, target, operator, value) => {
    return `${before}${target} = ${target} ${operator} (${value})`;
  });
  text = withoutSafeSteps(text);
  return text.replace(/[\ue000\ue001](\d+)\ue002/g, (_whole, nth: string) => kept[Number(nth)] ?? '');
};
