/** Letters, digits and `-._~` mean the same with and without percent-encoding (RFC 3986, section 6.2.2.2). */
const NEEDLESSLY_ENCODED = /%(?:2[de]|3\d|4[1-9a-f]|5[\daf]|6[1-9a-f]|7[\dae])/gi;
/** A path that is not in its usual form: an absolute target, dots, backslashes, a fragment, encoded characters. */
const UNUSUAL = /^[^/]|[%\\#]|\/\./;

/**
 * The target of a request in its usual form, so that everything that decides by the path sees one and the same:
 * `/%61pi/v2`, `/x/../api/v2` and `http://hub/api/v2` are `/api/v2`. What is no target stays as it is.
 */
export const usualTarget = (target: string): string => {
  const at = target.indexOf('?');
  const given = at === -1 ? target : target.slice(0, at);
  if (!UNUSUAL.test(given)) return target;
  const path = given.replaceAll(NEEDLESSLY_ENCODED, (code) => decodeURIComponent(code));
  const url = path.startsWith('/') ? `http://hub${path}` : path;
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) return target;
  return new URL(url).pathname + (at === -1 ? '' : target.slice(at));
};
