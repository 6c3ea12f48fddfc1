import type { EventRow } from '../../db/queries/events.ts';
import { readBody } from '../events/bodies.ts';
import { isoTime } from '../platform/time.ts';
import { LANGUAGES, type Language, TEXTS } from './discord-texts.ts';

/** Embeds of one message, and their characters in all: bounds of Discord. */
export const MOST_EMBEDS = 10;
const MOST_CHARACTERS = 6_000;
/** Characters of a text that people wrote, and of a whole embed. */
const PART_LENGTH = 80;
const DESCRIPTION_LENGTH = 400;
const TITLE_LENGTH = 200;

const HOSTS: ReadonlySet<string> = new Set([
  ...['discord.com', 'discordapp.com', 'ptb.discord.com', 'canary.discord.com'],
]);
const PATH = /^\/api\/(?:v\d{1,2}\/)?webhooks\/(\d{1,20})\/[\w-]{1,200}$/;

/** Reads the address of a Discord webhook; `isAllowed`: the operator allows its host. Of the query, `thread_id` stays. */
export const readDiscord = (given: URL, isAllowed: boolean): { url: URL } | { fault: string } => {
  if (!HOSTS.has(given.hostname) && !isAllowed) return { fault: 'must be an address that Discord shows for a webhook' };
  if (!PATH.test(given.pathname)) return { fault: 'must be https://discord.com/api/webhooks/<number>/<token>' };
  const thread = given.searchParams.get('thread_id');
  if (thread !== null && !/^\d{1,20}$/.test(thread)) return { fault: 'must have digits in thread_id' };
  const url = new URL(given.pathname, given);
  if (thread !== null) url.searchParams.set('thread_id', thread);
  return { url };
};

/** The address without its token, which is a secret. */
export const maskedDiscord = (text: string): string => text.replace(/(\/webhooks\/\d+\/)[\w-]+/, '$1…');

/** Where a message is posted: with `wait`, the answer says whether it was stored, and in which channel. */
export const postAddress = (text: string): string => {
  const url = new URL(text);
  url.searchParams.set('wait', 'true');
  return url.href;
};

export type Embed = {
  title: string;
  description: string;
  color: number;
  timestamp: string;
  footer?: { text: string };
};

const COLORS = { yes: 0x2f9e44, no: 0x868e96, unknown: 0xe8590c, other: 0x1c7ed6 };

const cut = (text: string, most: number): string => {
  const signs = [...text];
  return signs.length <= most ? text : `${signs.slice(0, most - 1).join('')}…`;
};

/** Text that people wrote, so that it is no mark-up, no link and no mention, and stays on its line. */
export const escaped = (text: string, most = PART_LENGTH): string =>
  cut(text.replaceAll(/\s+/g, ' ').trim(), most)
    .replaceAll(/[\\`*_~|<>[\]()#:-]/g, '\\$&')
    // An invisible sign: Discord then sees no mention.
    .replaceAll('@', '@\u200B')
    .replaceAll(/(https?)\\?:/gi, '$1\u200B:');

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : undefined;

const partsOf = (...values: unknown[]): string =>
  values
    .map(textOf)
    .filter((text): text is string => text !== undefined && text !== '')
    .map((text) => escaped(text))
    .join(' · ');

const fieldsOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};

/** The effect of a command, in few words, such as `+500 bank`. */
const goodsOf = (name: string, params: Record<string, unknown>): string | undefined => {
  const { amount, action, type, item, count, model, plate, job } = params;
  const sign = action === 'remove' ? '-' : '+';
  if (name === 'money') return amount === undefined ? undefined : `${sign}${String(amount)} ${textOf(type) ?? ''}`;
  if (name === 'items') return `${sign}${String(count ?? 1)} ${textOf(item) ?? ''}`;
  return textOf(model) ?? textOf(plate) ?? textOf(job);
};

export const languageOf = (language: string | null): Language => LANGUAGES.find((known) => known === language) ?? 'en';

/** Names of players by server and identifier; empty where the webhook must not have them. */
export type Names = (serverId: string, identifier: string) => string | undefined;

const embedOfCommand = (
  event: EventRow,
  language: Language,
  names: Names,
): Pick<Embed, 'title' | 'description' | 'color'> => {
  const texts = TEXTS[language];
  const { data } = readBody(event);
  const name = textOf(data['name']) ?? '';
  const executed = data['executed'] === 'yes' || data['executed'] === 'no' ? data['executed'] : 'unknown';
  const outcome = event.type === 'command.waiting' ? 'waiting' : executed;
  const target = textOf(data['target']);
  const player = target === undefined ? undefined : (names(event.serverId, target) ?? target);
  const params = fieldsOf(data['params']);
  const { code, message } = fieldsOf(data['error']);
  const actor = textOf(fieldsOf(data['actor'])['name']);
  return {
    title: `${texts.commands[name] ?? escaped(name)}: ${texts.executed[outcome]}`,
    description: [
      partsOf(player, goodsOf(name, params), params['reason']),
      partsOf(message ?? code),
      actor === undefined ? '' : texts.by(escaped(actor)),
    ]
      .filter((line) => line !== '')
      .join('\n'),
    color: outcome === 'waiting' ? COLORS.other : COLORS[executed],
  };
};

/** An event as people read it in a channel. */
export const embedOf = (event: EventRow, language: Language, names: Names): Embed => {
  const { type, at, serverId } = event;
  const isCommand = type === 'command.settled' || type === 'command.waiting' || type === 'command.indeterminate';
  const { data } = readBody(event);
  const named = type === 'player.first_seen' ? names(serverId, textOf(data['identifier']) ?? '') : data['name'];
  const shown = isCommand
    ? embedOfCommand(event, language, names)
    : {
        title: TEXTS[language].types[type],
        description: partsOf(named, data['label'], data['product'], data['reason'], data['detail'], data['message']),
        color: COLORS.other,
      };
  return {
    ...shown,
    title: cut(shown.title, TITLE_LENGTH),
    description: cut(shown.description, DESCRIPTION_LENGTH),
    timestamp: isoTime(at),
    ...(serverId !== '' && { footer: { text: cut(serverId, PART_LENGTH) } }),
  };
};

const lengthOf = ({ title, description, footer }: Embed): number =>
  title.length + description.length + (footer?.text.length ?? 0);

/** The first embeds that one message can have. */
export const fitting = (embeds: readonly Embed[]): Embed[] => {
  let length = 0;
  const fit = embeds.slice(0, MOST_EMBEDS).findIndex((embed) => {
    length += lengthOf(embed);
    return length > MOST_CHARACTERS;
  });
  return embeds.slice(0, fit === -1 ? MOST_EMBEDS : Math.max(fit, 1));
};

/** One embed for many events: how many of each kind. */
export const summaryOf = (
  events: readonly EventRow[],
  language: Language,
  link: string | undefined,
): Embed & { url?: string } => {
  const texts = TEXTS[language];
  const counts = new Map<string, number>();
  for (const event of events) {
    const { title } = embedOf(event, language, () => undefined);
    counts.set(title, (counts.get(title) ?? 0) + 1);
  }
  const lines = [...counts]
    .toSorted(([, one], [, other]) => other - one)
    .map(([title, count]) => `${count} × ${title}`);
  return {
    title: texts.more(events.length),
    description: cut(lines.join('\n'), 2_000),
    color: COLORS.other,
    timestamp: isoTime(events.at(-1)?.at ?? 0),
    ...(link !== undefined && { url: link }),
  };
};

/** A message that mentions nobody. */
export const messageOf = (embeds: readonly Embed[], content?: string): string =>
  JSON.stringify({ ...(content !== undefined && { content }), embeds, allowed_mentions: { parse: [] } });
