import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { atEnd } from './ends.ts';

type Embed = { title: string; description: string; footer?: { text: string }; url?: string };
export type Message = { content?: string; embeds: Embed[]; allowed_mentions: unknown };

const lengthOf = ({ title, description, footer }: Embed): number =>
  title.length + description.length + (footer?.text.length ?? 0);

/**
 * Discord's webhooks on loopback, with the limits that its documentation names (discord-api-docs c98d64b, read 2026-11-27): at
 * most ten embeds and 6,000 characters, else 400; 30 messages in 60 seconds for a channel, and 5 in 2 seconds for a webhook,
 * else 429 with `retry_after`. It was not compared with Discord itself. `answer` replaces the answer of some posts.
 */
export const startDiscord = async (
  answer: (nth: number) => { status: number; json: object } | undefined = () => undefined,
) => {
  const messages: Message[] = [];
  const paths: string[] = [];
  const refused: number[] = [];
  const times: number[] = [];
  const limited = (now: number): number | undefined => {
    const within = (ms: number): number[] => times.filter((time) => now - time < ms);
    const [short, long] = [within(2_000), within(60_000)];
    if (short.length >= 5) return 2_000 - (now - (short[0] ?? now));
    return long.length >= 30 ? 60_000 - (now - (long[0] ?? now)) : undefined;
  };
  const judge = (text: string): { status: number; json: object } => {
    const waitMs = limited(Date.now());
    if (waitMs !== undefined)
      return { status: 429, json: { message: 'limited', retry_after: waitMs / 1_000, global: false } };
    const message = JSON.parse(text) as Message;
    const { content, embeds } = message;
    const length = embeds.reduce((sum, embed) => sum + lengthOf(embed), 0);
    const isWrong = embeds.length > 10 || length > 6_000 || (embeds.length === 0 && content === undefined);
    if (isWrong) return { status: 400, json: { code: 50_035, message: 'Invalid Form Body' } };
    times.push(Date.now());
    messages.push(message);
    return { status: 200, json: { id: `${messages.length}`, channel_id: '77' } };
  };
  let posts = 0;
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.once('end', () => {
      posts += 1;
      paths.push(request.url ?? '');
      const { status, json } = answer(posts) ?? judge(Buffer.concat(parts).toString());
      if (status >= 400) refused.push(status);
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  atEnd(() => {
    server.close();
    server.closeAllConnections();
  });
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    urlOf: (id = '123', query = ''): string => `${base}/api/webhooks/${id}/a-Token_of-this-webhook${query}`,
    messages,
    paths,
    refused,
    embeds: (): Embed[] => messages.flatMap(({ embeds }) => embeds),
  };
};

/** How many events a summary stands for; undefined: it is none. */
export const countIn = ({ title }: Embed): number | undefined => {
  const [, count] = /^And (\d+) more events$/.exec(title) ?? [];
  return count === undefined ? undefined : Number(count);
};
