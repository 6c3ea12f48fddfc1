import { describe, expect, expectTypeOf, it, onTestFinished } from 'vitest';
import { createCore, type EventOptions, type HubEvent, HubProblem } from '../../../clients/typescript/core.ts';
import type { WebhookEvent } from '../../../clients/typescript/webhook.ts';
import type { KeptEventType } from '../../../db/schema/events.ts';
import type { EVENT_TYPES } from '../../../server/cluster/events.ts';
import { shareHub, type TestHub } from '../../kit/hub.ts';
import { openLine } from '../../kit/line.ts';
import { playerFrame } from '../../kit/raw-bridge.ts';
import { ANA, eventually, openStage, PAY, rewrite } from '../../kit/stage.ts';

const start = shareHub();
const payment = { serverId: 'main', target: ANA, type: 'bank', amount: PAY, action: 'add' } as const;

/** A client of a hub, or of the next process over its database, whose events are collected until the test ends. */
const read = async (target: TestHub, options: EventOptions = {}, now = () => target) => {
  const line = await openLine(() => now().port);
  const hub = createCore({ url: line.address, apiKey: target.key });
  const ended = new AbortController();
  onTestFinished(() => ended.abort());
  const events: HubEvent[] = [];
  let opened = 0;
  const onOpen = (): void => {
    opened += 1;
  };
  const reading = (async () => {
    for await (const event of hub.events({ ...options, signal: ended.signal, onOpen })) events.push(event);
  })();
  await eventually(() => opened).toBe(1);
  return { line, hub, events, opened: () => opened, end: () => ended.abort(), reading };
};

/** A hub with Ana's game server, and such a client. */
const openReader = async () => {
  const stage = await openStage({ start });
  return { stage, ...(await read(stage.hub())) };
};

const openStreams = (hub: TestHub) => async (): Promise<number> => {
  const text = await (await fetch(`${hub.address}/metrics`)).text();
  return Number(/^causeway_event_streams_open (\d+)/m.exec(text)?.[1]);
};

const settled = (events: HubEvent[]) =>
  events.flatMap((event) => (event.type === 'command.settled' ? [event.data.id] : []));

describe('the events of the client', () => {
  it('have the types that the hub tells', () => {
    expectTypeOf<HubEvent['type']>().toEqualTypeOf<(typeof EVENT_TYPES)[number]>();
    expectTypeOf<WebhookEvent['type']>().toEqualTypeOf<KeptEventType | 'webhook.test'>();
  });

  it('are the hub’s, with type, id and data', async () => {
    const { hub, events } = await openReader();
    const outcome = await hub.command('money', payment);
    if (outcome.happened !== 'yes') throw new Error('unreachable');
    await eventually(() => settled(events)).toEqual([outcome.command.id]);
    expect(events.find(({ type }) => type === 'command.settled')).toMatchObject({
      id: expect.stringMatching(/./),
      data: { serverId: 'main', name: 'money', target: ANA, status: 'succeeded', at: expect.any(String) },
    });
  });

  it('go on after a break where they left off, each once', async () => {
    const { hub, stage, line, events, opened } = await openReader();
    const first = await hub.command('money', payment);
    await eventually(() => settled(events)).toHaveLength(1);
    line.break();
    const direct = createCore({ url: stage.hub().address, apiKey: stage.hub().key });
    const second = await direct.command('money', payment);
    line.mend();
    await eventually(opened).toBe(2);
    await eventually(() => settled(events)).toEqual([first, second].map(({ command }) => command?.id));
    expect(events.map(({ type }) => type)).not.toContain('missed');
  });

  it('say that some were missed when the connection broke before the first one', async () => {
    const { line, events } = await read(await start());
    line.break();
    line.mend();
    await eventually(() => events).toEqual([{ type: 'missed', data: {} }]);
  });

  it('say that some were missed when the hub does not know the last id any more', async () => {
    const { events } = await read(await start(), { lastEventId: 'nod_gone-7' });
    await eventually(() => events).toEqual([{ type: 'missed', data: {} }]);
  });

  it('go on over a crash of the hub, each once, when the project keeps them, and name a gap', async () => {
    const stage = await openStage();
    const first = stage.hub();
    await first.hub.keptEvents.keep(first.project.id);
    const only = { types: ['command.settled'], serverId: 'main' } as const;
    const { hub, line, events, opened } = await read(first, only, stage.hub);
    const ids: (string | undefined)[] = [];
    const paid = async (): Promise<void> => {
      const { address: url } = stage.hub();
      ids.push((await createCore({ url, apiKey: first.key }).command('money', payment)).command?.id);
    };
    await paid();
    await eventually(() => settled(events)).toEqual(ids);
    line.break();
    await paid();
    await first.crash();
    await stage.nextHub();
    await paid();
    line.mend();
    await eventually(() => settled(events)).toEqual(ids);
    expect((await hub.command('money', payment)).happened).toBe('yes');
    await eventually(() => events).toHaveLength(4);
    expect(events.map(({ type }) => type)).toEqual(Array.from({ length: 4 }, () => 'command.settled'));

    const before = opened();
    line.break();
    await rewrite(stage.hub(), 'DELETE FROM events');
    line.mend();
    await eventually(opened).toBe(before + 1);
    await paid();
    await eventually(() => settled(events)).toHaveLength(5);
    expect(events.slice(4).map(({ type }) => type)).toEqual(['missed', 'command.settled']);
  });

  it('end with the signal, without an error, and close the connection', async () => {
    const target = await start();
    const { end, reading } = await read(target);
    const before = await openStreams(target)();
    end();
    await reading;
    await eventually(openStreams(target)).toBe(before - 1);
  });

  it('end with a break of the loop, which closes the connection', async () => {
    const stage = await openStage({ start });
    const hub = createCore({ url: stage.hub().address, apiKey: stage.hub().key });
    const before = await openStreams(stage.hub())();
    const onOpen = (): void => void hub.command('money', payment);
    for await (const event of hub.events({ onOpen })) if (event.type === 'command.settled') break;
    await eventually(openStreams(stage.hub())).toBe(before);
  });

  it('throw what the hub refuses for good: a key without the scopes', async () => {
    const { stage } = await openReader();
    const poor = createCore({ url: stage.hub().address, apiKey: await stage.hub().newKey(['commands:read']) });
    await expect(poor.events().next()).rejects.toBeInstanceOf(HubProblem);
  });

  it('carry a name that looks like the end of an event', async () => {
    const { hub, stage, events } = await openReader();
    const name = 'x event: missed data: {}\u2028 @everyone `x` 💸';
    // The hub has all players by then.
    await hub.command('money', payment);
    stage.game().bridge.changed({ players: [playerFrame('char1:bob', { name })] });
    const names = () => events.flatMap((event) => (event.type === 'player.joined' ? [event.data.name] : []));
    await eventually(names).toEqual([name]);
    expect(events.map(({ type }) => type)).not.toContain('missed');
  });
});
