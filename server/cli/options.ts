import { type Command, InvalidArgumentError, Option } from 'commander';
import { MAX_KEY_RATE_LIMIT } from '../admin/keys.ts';
import { SCOPES, type Scope } from '../auth/credentials.ts';
import { MAX_BATCH_TARGETS } from '../commands/batches.ts';
import { SLUG_PATTERN } from '../platform/fields.ts';

const NAME_LENGTH = 128;

/** Ids of projects and servers. */
export const slug = (text: string): string => {
  if (!SLUG_PATTERN.test(text))
    throw new InvalidArgumentError('Use 1 to 63 of a-z 0-9 _ - and begin with a letter or digit.');
  return text;
};

/** Text for people, in one line. */
export const plainText =
  (maxLength: number) =>
  (text: string): string => {
    const isPlain = text.trim() !== '' && text.length <= maxLength && !/\p{Cc}/u.test(text) && text.isWellFormed();
    if (!isPlain) throw new InvalidArgumentError(`Use one line of 1 to ${maxLength} characters.`);
    return text;
  };
export const name = plainText(NAME_LENGTH);

export const wholeNumber =
  (min: number, max: number) =>
  (text: string): number => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= min && value <= max)) throw new InvalidArgumentError(`Use a whole number from ${min} to ${max}.`);
    return value;
  };

/** A bound that may be absent. `none` stays a word, because commander turns null into an empty text. */
const orNone =
  (min: number, max: number) =>
  (text: string): number | 'none' =>
    text === 'none' ? 'none' : wholeNumber(min, max)(text);

/** Largest amount of money. */
export const maxAmount = orNone(1, Number.MAX_SAFE_INTEGER);
export const maxPlayers = orNone(1, MAX_BATCH_TARGETS);
export const keyRateLimit = orNone(1, MAX_KEY_RATE_LIMIT);
export const boundOf = (given: number | 'none'): number | null => (given === 'none' ? null : given);

/** The address of a hub's bridge socket. */
export const socketAddress = (text: string): string => {
  const isAddress = /^wss?:\/\//.test(text) && URL.canParse(text);
  if (!isAddress) throw new InvalidArgumentError('Use an address such as ws://127.0.0.1:8080/bridge.');
  return text;
};

export const flag = (text: string): boolean => {
  if (text !== 'true' && text !== 'false') throw new InvalidArgumentError('Use true or false.');
  return text === 'true';
};

export const scopeList = (text: string): Scope[] => {
  if (text === 'all') return [...SCOPES];
  const scopes = text.split(',').map((part) => {
    const found = SCOPES.find((scope) => scope === part.trim());
    if (found === undefined) throw new InvalidArgumentError(`Use all, or some of ${SCOPES.join(',')}.`);
    return found;
  });
  return [...new Set(scopes)];
};

export const slugList = (text: string): string[] => [...new Set(text.split(',').map((part) => slug(part.trim())))];

const UNITS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const MAX_DURATION_MS = 100 * 365 * 86_400_000;

/** `90d`, `12h`, `30m`, `45s` in milliseconds; at most a hundred years. */
export const duration = (text: string): number => {
  const match = /^(\d{1,10})([smhd])$/.exec(text);
  const ms = Number(match?.[1] ?? 0) * (UNITS[match?.[2] ?? ''] ?? 0);
  if (ms < 1 || ms > MAX_DURATION_MS) throw new InvalidArgumentError('Use a number and a unit, such as 90d or 12h.');
  return ms;
};

/** Adds a verb such as `causeway project list`. `argument` names one row. */
export const newVerb = (noun: Command, name: string, about: string, argument?: string): Command => {
  const command = noun.command(name).description(about);
  return argument === undefined ? command : command.argument(argument);
};

/** Adds a verb about rows of a project, such as `causeway key list`. */
export const addVerb = (...verb: Parameters<typeof newVerb>): Command =>
  newVerb(...verb).addOption(new Option('--project <slug>', 'the project it belongs to').makeOptionMandatory());

/** Adds the options of a list that is read page by page. */
export const withPages = (command: Command, rows: string): Command =>
  command
    .option('--limit <n>', `number of ${rows}, at most 200`, wholeNumber(1, 200), 50)
    .option('--cursor <cursor>', 'continue after the last page')
    .addOption(jsonOption());

export const jsonOption = (): Option => new Option('--json', 'print one JSON document');
