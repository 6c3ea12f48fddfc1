/** The text without the signs between thousands, if they stand as they are written in that language; else as it is. */
const withoutGroups = (text: string, locale: string): string => {
  const numbers = new Intl.NumberFormat(locale, { useGrouping: 'always' });
  const sign = numbers.formatToParts(1_234_567).find(({ type }) => type === 'group')?.value ?? '';
  // There are several kinds of spaces and apostrophes, and a keyboard has one of each.
  const alike = (written: string): string => written.replaceAll(/\s/g, ' ').replaceAll('’', "'");
  const digits = alike(text).replaceAll(alike(sign), '');
  return /^\d+$/.test(digits) && alike(numbers.format(BigInt(digits))) === alike(text) ? digits : text;
};

/**
 * A whole amount of money from 1 to `max`, as it is typed: in digits, or with the signs of the viewer's language between
 * thousands. A sign that could also mean a fraction is `wrong`; above `max` it is `large`.
 */
export const readAmount = (
  typed: string,
  { locale, max }: { locale: string; max: number },
): number | 'wrong' | 'large' => {
  const digits = withoutGroups(typed.trim(), locale);
  if (!/^\d+$/.test(digits) || /^0+$/.test(digits)) return 'wrong';
  return Number(digits) > max ? 'large' : Number(digits);
};
