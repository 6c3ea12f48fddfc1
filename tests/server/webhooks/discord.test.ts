import { describe, expect, it } from 'vitest';
import { embedOf, escaped, fitting, maskedDiscord, readDiscord } from '../../../server/webhooks/discord.ts';
import { countIn, startDiscord } from '../../kit/fake-discord.ts';
import { playerFrame } from '../../kit/frames.ts';
import { shareHub, type TestHub } from '../../kit/hub.ts';
import { tell } from '../../kit/receiver.ts';
import { eventually } from '../../kit/stage.ts';

const newTenant = shareHub({ env: { WEBHOOKS_MAY_REACH: '127.0.0.1', PUBLIC_URL: 'https://hub.example.com' } });

const TOKEN = 'a-Token_of-this-webhook';

const connect = async (hub: TestHub, url: string) => {
  const made = await hub.request('/api/v2/webhooks', { json: { url, format: 'discord' } });
  expect(made.status, made.text).toBe(201);
  const path = `/api/v2/webhooks/${made.body.id}`;
  return {
    made,
    path,
    read: async () => (await hub.request(path)).body,
    post: (what: string) => hub.request(`${path}/${what}`, { method: 'POST', json: {} }),
  };
};

const bodyOf = (data: object): string => JSON.stringify({ serverId: 'main', data });
const PAYMENT = {
  ...{ id: 'cmd_1', name: 'money', target: 'char1:ana', status: 'succeeded', executed: 'yes' },
  params: { type: 'bank', amount: 500, action: 'add', reason: 'Salary' },
  actor: { keyId: 'key_1', name: 'The bot' },
};

describe('a Discord webhook', () => {
  it.each([
    ['https://discord.com/api/webhooks/123/abc', ''],
    ['https://ptb.discord.com/api/v10/webhooks/123/abc?thread_id=9&wait=false', ''],
    ['https://discord.com.example.org/api/webhooks/123/abc', 'Discord'],
    ['https://example.com/api/webhooks/123/abc', 'Discord'],
    ['https://discord.com/api/webhooks/123', 'token'],
    ['https://discord.com/api/webhooks/123/abc/../../users', 'token'],
    ['https://discord.com/api/webhooks/123/abc?thread_id=x', 'thread_id'],
  ])('may be at %s or not', (text, reason) => {
    const read = readDiscord(new URL(text), false);
    if (reason === '') expect(read).toHaveProperty('url');
    else expect(read).toMatchObject({ fault: expect.stringContaining(reason) });
  });

  it('has an address that is a secret: it is masked everywhere, and there is no other secret', async () => {
    const hub = await newTenant();
    const discord = await startDiscord();
    const webhook = await connect(hub, discord.urlOf('123', '?thread_id=9'));
    expect(webhook.made.body).toMatchObject({ format: 'discord', secret: null });
    const list = await hub.request('/api/v2/webhooks');
    expect(webhook.made.text + list.text).not.toContain(TOKEN);
    expect(String((await webhook.read())['url'])).toContain('/api/webhooks/123/…?thread_id=9');
    expect((await webhook.post('rotate')).body.code).toBe('invalid_request');
    expect((await webhook.post('test')).body).toMatchObject({ delivered: true });
    expect(discord.paths).toEqual([`/api/webhooks/123/${TOKEN}?thread_id=9&wait=true`]);
    expect(discord.messages).toMatchObject([{ content: 'Causeway can write here.', allowed_mentions: { parse: [] } }]);
    const refused = await hub.request('/api/v2/webhooks', { json: { url: 'https://example.com/', format: 'discord' } });
    expect(refused.body['errors']).toMatchObject([{ pointer: '/url' }]);
  });

  it('shows payments with the names of players, in the language of the project', async () => {
    const hub = await newTenant();
    const discord = await startDiscord();
    await connect(hub, discord.urlOf());
    await hub.store.projects.update(hub.project.id, { language: 'de' }, Date.now());
    await tell(hub.store, hub.project.id, [{ body: bodyOf(PAYMENT) }]);
    await eventually(discord.embeds).toMatchObject([
      {
        title: 'Zahlung: ausgeführt',
        description: 'char1\\:ana · +500 bank · Salary\nvon The bot',
        footer: { text: 'main' },
      },
    ]);
  });

  it('gets what Discord refuses for a moment again, when Discord says so', async () => {
    const hub = await newTenant();
    const discord = await startDiscord((nth) => (nth === 1 ? { status: 429, json: { retry_after: 0.3 } } : undefined));
    const webhook = await connect(hub, discord.urlOf());
    await tell(hub.store, hub.project.id, [{ body: bodyOf(PAYMENT) }, { body: bodyOf(PAYMENT) }]);
    await eventually(() => discord.embeds().length).toBe(2);
    expect(discord.refused).toEqual([429]);
    expect(await webhook.read()).toMatchObject({ failures: 0, on: true });
  });

  it.each([
    [404, 10_015],
    [401, 50_027],
  ])('that is gone (%i, code %i) is off at once', async (status, code) => {
    const hub = await newTenant();
    const discord = await startDiscord(() => ({ status, json: { code } }));
    const webhook = await connect(hub, discord.urlOf());
    await tell(hub.store, hub.project.id, [{ body: bodyOf(PAYMENT) }]);
    await eventually(webhook.read).toMatchObject({ on: false, off: 'gone' });
    expect(discord.refused).toEqual([status]);
  });

  it('that Discord refuses says why, since when, and when the next try is', async () => {
    const hub = await newTenant();
    const json = { code: 50_013, message: 'Missing Permissions' };
    const discord = await startDiscord((nth) => (nth === 1 ? { status: 403, json } : undefined));
    const webhook = await connect(hub, discord.urlOf());
    await tell(hub.store, hub.project.id, [{ body: bodyOf(PAYMENT) }]);
    await eventually(webhook.read).toMatchObject({
      ...{ on: true, failures: 1, fault: 'The answer was 403. Missing Permissions', behind: 1 },
      ...{ failingSince: expect.any(String), restUntil: expect.any(String) },
    });
    // A test that arrives ends the rest.
    expect((await webhook.post('test')).body).toMatchObject({ delivered: true });
    await eventually(webhook.read).toMatchObject({ failures: 0, fault: null, failingSince: null, behind: 0 });
  });

  it('shows a hostile name of a player as text', async () => {
    const hub = await newTenant();
    const discord = await startDiscord();
    const name = `@everyone \`\`\`x\`\`\` ${'😀'.repeat(32)}`;
    await hub.store.players.upsert(hub.project.id, 'main', [playerFrame('char1:ana', { name })], Date.now());
    await connect(hub, discord.urlOf());
    await tell(hub.store, hub.project.id, [{ body: bodyOf(PAYMENT) }]);
    await eventually(() => discord.messages.length).toBe(1);
    const [message] = discord.messages;
    expect(message?.allowed_mentions).toEqual({ parse: [] });
    const shown = message?.embeds[0]?.description ?? '';
    expect(shown).toContain(`@\u200Beveryone \\\`\\\`\\\`x\\\`\\\`\\\` ${'😀'.repeat(32)} · +500 bank`);
  });

  it('gets a summary with a link when many wait: each event is counted once', async () => {
    const hub = await newTenant();
    const discord = await startDiscord();
    const webhook = await connect(hub, discord.urlOf());
    for (let n = 0; n < 10; n += 1) {
      await tell(
        hub.store,
        hub.project.id,
        Array.from({ length: 500 }, () => ({ body: bodyOf(PAYMENT) })),
      );
    }
    const counted = (): number => discord.embeds().reduce((sum, embed) => sum + (countIn(embed) ?? 1), 0);
    await eventually(counted).toBe(5_000);
    await eventually(webhook.read).toMatchObject({ behind: 0, failures: 0 });
    const summary = discord.embeds().find((embed) => countIn(embed) !== undefined);
    expect(summary).toMatchObject({
      url: 'https://hub.example.com',
      description: expect.stringContaining('× Payment: done'),
    });
    expect(discord.refused).toEqual([]);
    expect(counted()).toBe(5_000);
    // What was sent counts each of them, too; a summary is not sent again.
    type Sent = { eventId: string; events: number; state: string };
    const sent = (await hub.request(`${webhook.path}/deliveries?limit=100`)).body['data'] as Sent[];
    expect(sent.reduce((sum, { events }) => sum + events, 0)).toBe(5_000);
    expect(sent.every(({ state }) => state === 'delivered')).toBe(true);
    const large = sent.find(({ events }) => events > 1);
    expect((await webhook.post(`deliveries/${large?.eventId}/retry`)).body.code).toBe('delivery_not_found');
  });
});

it('a name is no mention, no mark-up and no link', () => {
  const name = escaped('@everyone `code` **bold** <@1> [a](https://evil.example) ~~x~~ # h');
  expect(name).not.toContain('@everyone');
  expect(name).not.toContain('https:');
  expect(name.replaceAll(/\\[\\`*_~|<>[\]()#:-]/g, '')).not.toMatch(/[`*_~|<>[\]()#-]/);
  expect(escaped('a\n\n# b')).toBe('a \\# b');
  expect(escaped('😀'.repeat(32))).toBe('😀'.repeat(32));
  expect([...escaped('😀'.repeat(100))]).toHaveLength(80);
  expect(escaped('😀'.repeat(100)).isWellFormed()).toBe(true);
});

it('the undo of a batch is told as one', () => {
  const body = bodyOf({ name: 'money', undoes: 'bat_1', label: 'Salary', params: {}, total: 3 });
  const event = { type: 'batch.settled', at: 0, serverId: 'main', body } as Parameters<typeof embedOf>[0];
  expect(embedOf(event, 'en', () => undefined)).toMatchObject({
    title: 'Batch ended: Undo: Payment',
    description: 'Salary · × 3',
  });
});

it('a message has at most ten embeds and 6,000 characters', () => {
  const embed = { title: 'a'.repeat(200), description: 'b'.repeat(400), color: 0, timestamp: '' };
  expect(fitting(Array.from({ length: 20 }, () => embed))).toHaveLength(10);
  const long = { ...embed, description: 'b'.repeat(801) };
  expect(fitting(Array.from({ length: 20 }, () => long))).toHaveLength(5);
  expect(maskedDiscord('https://discord.com/api/webhooks/1/secret')).toBe('https://discord.com/api/webhooks/1/…');
});
