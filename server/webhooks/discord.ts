import type { EventRow } from '../../db/queries/events.ts';
import { aboutOf, fieldsOf, type Names, readBody } from '../events/bodies.ts';
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

const COLORS = { yes: 0x2f9e44, no: 0x868e96, unknown: 0xe8590c, waiting: 0x1c7ed6, other: 0x1c7ed6 };

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

const lineOf = (texts: readonly string[]): string => texts.map((text) => escaped(text)).join(' · ');

export const languageOf = (language: string | null): Language => LANGUAGES.find((known) => known === language) ?? 'en';

/** How a command stands, for its title and its colour. */
const outcomeOf = ({ type, executed }: { type: string; executed: unknown }): 'yes' | 'no' | 'unknown' | 'waiting' =>
  type === 'command.waiting' ? 'waiting' : executed === 'yes' || executed === 'no' ? executed : 'unknown';

/** An event as people read it in a channel. */
export const embedOf = (event: EventRow, language: Language, names: Names): Embed => {
  const { type, at, serverId } = event;
  const texts = TEXTS[language];
  const { data } = readBody(event);
  const { command, says } = aboutOf(event, names);
  const kind = command === null ? '' : (texts.commands[command] ?? escaped(command));
  const common = { timestamp: isoTime(at), ...(serverId !== '' && { footer: { text: cut(serverId, PART_LENGTH) } }) };
  if (type !== 'command.settled' && type !== 'command.waiting' && type !== 'command.indeterminate') {
    const undo = data['undoes'] === undefined ? '' : texts.undo;
    const title = [texts.types[type], undo, kind].filter((text) => text !== '').join(': ');
    const description = cut(lineOf(says), DESCRIPTION_LENGTH);
    return { title: cut(title, TITLE_LENGTH), description, color: COLORS.other, ...common };
  }
  const outcome = outcomeOf({ type, executed: data['executed'] });
  const { code, message } = fieldsOf(data['error']);
  const fault = message ?? code;
  const by = fieldsOf(data['actor'])['name'];
  const lines = [
    lineOf(says),
    typeof fault === 'string' ? escaped(fault) : '',
    typeof by === 'string' ? texts.by(escaped(by)) : '',
  ];
  return {
    title: cut(`${kind}: ${texts.executed[outcome]}`, TITLE_LENGTH),
    description: cut(lines.filter((line) => line !== '').join('\n'), DESCRIPTION_LENGTH),
    color: COLORS[outcome],
    ...common,
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
