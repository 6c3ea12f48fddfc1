import { InvalidArgumentError } from 'commander';
import { SCOPES, type Scope } from '../credentials.ts';

const SLUG = /^[a-z0-9][a-z0-9_-]{0,62}$/;

/** Ids of projects and servers. */
export const slug = (text: string): string => {
  if (!SLUG.test(text)) throw new InvalidArgumentError('Use 1 to 63 of a-z 0-9 _ - and begin with a letter or digit.');
  return text;
};

export const wholeNumber =
  (min: number, max: number) =>
  (text: string): number => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= min && value <= max)) throw new InvalidArgumentError(`Use a whole number from ${min} to ${max}.`);
    return value;
  };

export const flag = (text: string): boolean => {
  if (text !== 'true' && text !== 'false') throw new InvalidArgumentError('Use true or false.');
  return text === 'true';
};

export const scopeList = (text: string): Scope[] => {
  if (text === 'all') return [...SCOPES];
  return text.split(',').map((name) => {
    const found = SCOPES.find((scope) => scope === name.trim());
    if (found === undefined) throw new InvalidArgumentError(`Use all, or some of ${SCOPES.join(',')}.`);
    return found;
  });
};

export const slugList = (text: string): string[] => text.split(',').map((part) => slug(part.trim()));

const UNITS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `90d`, `12h`, `30m`, `45s` in milliseconds. */
export const duration = (text: string): number => {
  const match = /^(\d{1,6})([smhd])$/.exec(text);
  const unit = UNITS[match?.[2] ?? ''];
  if (match === null || unit === undefined) throw new InvalidArgumentError('Use a number and a unit, such as 90d or 12h.');
  return Number(match[1]) * unit;
};
