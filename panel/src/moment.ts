/** The field has minutes and no seconds. */
const MINUTE_LENGTH = 'YYYY-MM-DDTHH:mm'.length;
const MINUTE_MS = 60_000;

/** A time in UTC, for the address and the hub. Without a zone, `text` is local time; undefined if it is no time. */
export const instantOf = (text: string | undefined): string | undefined => {
  const at = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(at) ? undefined : new Date(at).toISOString().replace(/\.000Z$/, 'Z');
};

/** A time in local time, for the field; empty if `text` is no time. */
export const localOf = (text: string): string => {
  const at = Date.parse(text);
  if (Number.isNaN(at)) return '';
  const local = at - new Date(at).getTimezoneOffset() * MINUTE_MS;
  return new Date(local).toISOString().slice(0, MINUTE_LENGTH);
};
