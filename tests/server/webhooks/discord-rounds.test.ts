import { expect, it } from 'vitest';
import type { WebhookRow } from '../../../db/queries/webhooks.ts';
import { Seal } from '../../../server/platform/seal.ts';
import { DiscordRounds } from '../../../server/webhooks/discord-rounds.ts';
import type { Posted } from '../../../server/webhooks/post.ts';
import { webhookOf } from '../../kit/batch-rows.ts';
import { engines, projectOf, useStore } from '../../kit/databases.ts';
import { tell } from '../../kit/receiver.ts';

const [{ open }] = engines as [(typeof engines)[0]];
const db = useStore(open);

const MINUTE = 60_000;

/** A node that posts to a Discord of this process, with a clock of its own. `answer`: status and body of each post. */
const stage = async (answer: (url: string) => { status: number; json?: object }) => {
  const clock = { now: Date.parse('2026-11-20T12:00:00Z') };
  const { store } = db;
  await store.projects.create(projectOf('p'));
  const posts: string[] = [];
  const post = async (url: string): Promise<Posted> => {
    posts.push(url);
    const { status, json = {} } = answer(url);
    return { status, fault: null, detail: null, text: JSON.stringify(json), isLate: false, headers: {}, tookMs: 0 };
  };
  const parts = { seal: new Seal(undefined), publicUrl: undefined, now: () => clock.now, random: () => 0 };
  const discord = new DiscordRounds({ store, post, ...parts });
  const connect = async (id: string): Promise<WebhookRow> => {
    const url = `clear:https://discord.com/api/webhooks/${id}/token`;
    await store.webhooks.create(webhookOf(id, { format: 'discord', url, types: null }), 50);
    return (await store.webhooks.get('p', id)) as WebhookRow;
  };
  return { clock, posts, discord, connect, round: (row: WebhookRow) => discord.round(row, (work) => work()) };
};

it.each([401, 403, 429])('after 2,000 answers of %i a node leaves Discord alone for ten minutes', async (status) => {
  const { clock, posts, discord, connect, round } = await stage(() => ({ status }));
  const [one, other] = [await connect('1'), await connect('2')];
  await tell(db.store, 'p');
  for (let n = 0; n < 1_999; n += 1) await discord.test(one, 'refused');
  expect(await round(other)).toMatchObject({ off: null, cursor: 0 });
  expect(posts).toHaveLength(2_000);
  // Neither the refused one nor any other.
  expect([await round(one), await round(other)]).toEqual([undefined, undefined]);
  clock.now += 10 * MINUTE - 1;
  expect(await round(one)).toBeUndefined();
  clock.now += 1;
  expect(await round(one)).toBeDefined();
  expect(posts).toHaveLength(2_001);
});

it('fewer refusals in ten minutes, or other answers, stop nothing', async () => {
  let status = 403;
  const { clock, discord, connect, round } = await stage(() => ({ status }));
  const [one, other] = [await connect('1'), await connect('2')];
  await tell(db.store, 'p');
  for (let n = 0; n < 1_999; n += 1) await discord.test(one, 'refused');
  clock.now += 10 * MINUTE;
  await discord.test(one, 'refused');
  status = 500;
  for (let n = 0; n < 2_000; n += 1) await discord.test(one, 'broken');
  expect(await round(other)).toBeDefined();
});

it('webhooks of one channel share its limit, those of others do not', async () => {
  const channel = (url: string): string => (url.includes('/webhooks/3/') ? '8' : '7');
  const { posts, discord, connect, round } = await stage((url) => ({
    status: 200,
    json: { channel_id: channel(url) },
  }));
  const rows = [await connect('1'), await connect('2'), await connect('3')] as const;
  for (const row of rows) await discord.test(row, 'which channel');
  await tell(db.store, 'p');
  expect(await round(rows[0])).toMatchObject({ cursor: expect.any(Number) });
  expect(await round(rows[1])).toBeUndefined();
  expect(await round(rows[2])).toBeDefined();
  expect(posts.map((url) => new URL(url).pathname.split('/')[3])).toEqual(['1', '2', '3', '1', '3']);
});
