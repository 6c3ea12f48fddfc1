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

/** An answer is on its way for a moment, and its header has whole seconds: less than this is no difference. */
const ALIKE_MS = 3_000;

/** How far the hub's clock is ahead of this one. */
let ahead = 0;

export const reportDate = (date: string | null): void => {
  const difference = Date.parse(date ?? '') - Date.now();
  if (!Number.isNaN(difference)) ahead = Math.abs(difference) < ALIKE_MS ? 0 : difference;
};

/** The time by the hub's clock, in epoch milliseconds: what the hub has written is compared with it. */
export const hubNow = (): number => Date.now() + ahead;

/** A time that is still to come; null: it has passed, or there is none. */
export const upcoming = (iso: string | null): string | null =>
  iso !== null && Date.parse(iso) > hubNow() ? iso : null;
