/** Minutes are what the field has. */
const MINUTE_LENGTH = 'YYYY-MM-DDTHH:mm'.length;
const MINUTE_MS = 60_000;

/** A time as the address and the hub take it, in UTC; undefined while it is not one. Without a zone it is the viewer's. */
export const instantOf = (text: string | undefined): string | undefined => {
  const at = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(at) ? undefined : new Date(at).toISOString().replace(/\.000Z$/, 'Z');
};

/** The same as the viewer's field for a time takes it; empty if it is not one. */
export const localOf = (text: string): string => {
  const at = Date.parse(text);
  if (Number.isNaN(at)) return '';
  const local = at - new Date(at).getTimezoneOffset() * MINUTE_MS;
  return new Date(local).toISOString().slice(0, MINUTE_LENGTH);
};
