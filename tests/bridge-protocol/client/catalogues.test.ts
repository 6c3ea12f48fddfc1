import { describe, expect, it } from 'vitest';
import type { CatalogueEntry } from '../../../bridge-protocol/index.ts';
import { createFakeHub } from '../../kit/fake-hub.ts';
import { startBridge } from '../bridge.ts';

const entry = (n: number): CatalogueEntry => ({ name: `item_${n}`, label: `Thing ${n}` });
const many = (count: number): CatalogueEntry[] => Array.from({ length: count }, (_, n) => entry(n));

describe('catalogues', () => {
  it('come before the players, in parts that follow one another', async () => {
    const hub = createFakeHub();
    startBridge(hub, { catalogues: { items: () => many(2_500) } });
    const socket = await hub.socket(0);
    await socket.hears('players.snapshot', ({ last }) => last);
    const parts = socket.of('catalogue');
    expect(parts.map(({ part }) => part)).toEqual(parts.map((_, n) => n));
    expect(parts.map(({ last }) => last)).toEqual(parts.map((_, n) => n === parts.length - 1));
    expect(new Set(parts.map(({ hash }) => hash)).size).toBe(1);
    expect(parts.flatMap(({ entries }) => entries)).toEqual(many(2_500));
    const types = socket.messages.map(({ type }) => type);
    expect(types.lastIndexOf('catalogue')).toBeLessThan(types.indexOf('players.snapshot'));
  });

  it('are not sent again while the hub has them, and are when they change', async () => {
    const hub = createFakeHub();
    let items = many(3);
    const bridge = startBridge(hub, { catalogues: { items: () => items } });
    const first = await hub.socket(0);
    const { hash } = await first.hears('catalogue');
    hub.behaviour.catalogues = { items: hash };
    first.events.close(1012, '');
    const second = await hub.socket(1);
    await second.hears('players.snapshot', ({ last }) => last);
    expect(second.of('catalogue')).toEqual([]);
    bridge.cataloguesChanged();
    items = many(4);
    bridge.cataloguesChanged();
    expect((await second.hears('catalogue')).entries).toEqual(many(4));
  });

  it('that cannot be read, or that are too large, do not keep the players back', async () => {
    const hub = createFakeHub();
    const logged: string[] = [];
    startBridge(hub, {
      log: (_level, message) => logged.push(message),
      catalogues: {
        items: () => {
          throw new Error('no table');
        },
        jobs: () =>
          Array.from({ length: 20_000 }, (_, n) => ({
            name: `${n}`,
            label: 'x'.repeat(128),
            grades: [{ grade: 0, label: 'x'.repeat(100) }],
          })),
      },
    });
    const socket = await hub.socket(0);
    await socket.hears('players.snapshot', ({ last }) => last);
    expect(socket.of('catalogue')).toEqual([]);
    expect(logged.join('\n')).toContain('The catalogue of items could not be read: Error: no table');
    expect(logged.join('\n')).toContain('The catalogue of jobs has over 2097152 bytes and is not sent.');
  });

  it('leave out entries that do not fit, and never mix their parts', async () => {
    const hub = createFakeHub();
    let items = [...many(2_500), { name: '', label: 'none' }, { name: 'long', label: 'x'.repeat(129) }];
    const bridge = startBridge(hub, { catalogues: { items: () => items } });
    const socket = await hub.socket(0);
    await socket.hears('players.snapshot', ({ last }) => last);
    items = many(3_000);
    bridge.cataloguesChanged();
    bridge.cataloguesChanged();
    items = many(3_500);
    bridge.cataloguesChanged();
    const { hash } = await socket.hears('catalogue', ({ entries }) => entries.some(({ name }) => name === 'item_3499'));
    const parts = socket.of('catalogue');
    expect(parts.filter(({ part }) => part === 0)).toHaveLength(new Set(parts.map((each) => each.hash)).size);
    const last = parts.filter((each) => each.hash === hash);
    expect(last.flatMap(({ entries }) => entries)).toEqual(many(3_500));
    expect(parts.slice(parts.indexOf(last[0] as (typeof parts)[number])).every((each) => each.hash === hash)).toBe(
      true,
    );
  });
});
