import { describe, expect, it } from 'vitest';
import { bundle } from '../../../bridge/bundle.ts';
import { startHub } from '../../kit/hub.ts';
import { playerFrame, welcomeRaw } from '../../kit/raw-bridge.ts';

const STEAM_ID = 76561198000000007n;

/** The name of a player, and texts that find exactly this one. */
const NAMES: Record<string, string[]> = {
  'João Brandão': ['joao', 'brandão joão', 'BRANDÃO', 'joão  brandao ', ' Joao'],
  'Łukasz Nowak': ['lukasz', 'łukasz', 'ŁUKASZ'],
  Søren: ['soren', 'SØREN'],
  'Đorđe Þór': ['dorde', 'thor', 'þór'],
  'Jürgen Groß': ['gross', 'groß', 'GROẞ', 'jurgen'],
  Næss: ['naess', 'næss', 'NÆSS'],
  Lebœuf: ['leboeuf', 'lebœuf'],
  Işıl: ['isil', 'IŞIL', 'ışıl'],
  Ｔａｎａｋａ: ['tanaka', 'ｔａｎａ'],
  'Zo\u200be\u2060 \u00adSmith': ['zoe smith'],
  '^1Red ^7Baron': ['red baron', '^1red ^7baron'],
  '~r~Blood~s~ ~bold~Moon': ['blood moon', '~r~blood'],
  '~Ana~': ['~ana~', 'ana~'],
  'Shaun O’Brien': ["o'brien", 'obrien', 'o’brien', 'O´Brien'],
  '  Two   Spaces  ': ['two spaces', 'two   spaces'],
  Σίσυφος: ['σισυφος', 'ΣΊΣΥΦΟΣ'],
};

describe('a search', () => {
  it('finds what a person sees', async () => {
    const hub = await startHub();
    const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
    const players = Object.keys(NAMES).map((name, n) => playerFrame(`id-${n}`, { name }));
    const linked = playerFrame('linked', {
      name: 'Zzyzx',
      identifiers: ['discord:80351110224678912', `steam:${STEAM_ID.toString(16)}`],
      vehicles: [{ plate: 'QX 12 AB', model: 'adder', label: 'Adder', stored: true, garage: null, metadata: {} }],
    });
    bridge.send({ type: 'players.snapshot', revision: 1, part: 0, last: true, players: [...players, linked] });
    const found = async (search: string, more = ''): Promise<unknown[]> => {
      const { body } = await hub.request(`/api/v2/players?search=${encodeURIComponent(search)}${more}`);
      return (body['data'] as { identifier: string }[]).map(({ identifier }) => identifier);
    };
    await expect.poll(() => found('zzyzx')).toEqual(['linked']);
    for (const [n, searches] of Object.values(NAMES).entries()) {
      for (const search of searches) expect(await found(search), search).toEqual([`id-${n}`]);
    }
    for (const mention of ['<@80351110224678912>', '<@!80351110224678912>', String(STEAM_ID)]) {
      expect(await found(mention), mention).toEqual(['linked']);
    }
    for (const plate of ['qx 12 ab', 'QX12AB', 'x12a'])
      expect(await found(plate, '&plates=true'), plate).toEqual(['linked']);
    for (const nothing of ['~bold~', '\u200b\u200b', "''"]) expect(await found(nothing), nothing).toEqual([]);
  });

  it('is folded by code that the packed resource of game servers does not contain', async () => {
    expect(await bundle()).not.toMatch(/deburr|es-toolkit/);
  });
});

it('the players of a search are named by server and identifier, those of other servers of a key never', async () => {
  const hub = await startHub();
  const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
  const players = ['ana', 'bob', 'annabel'].map((name) => playerFrame(`char1:${name}`, { name }));
  bridge.send({ type: 'players.snapshot', revision: 1, part: 0, last: true, players });
  const named = async (query: string, key = hub.key) =>
    (await hub.request(`/api/v2/players/identifiers?${query}`, { key })).body;
  const ana = { serverId: 'main', identifier: 'char1:ana' };
  await expect
    .poll(() => named('search=an'))
    .toEqual({
      data: [ana, { serverId: 'main', identifier: 'char1:annabel' }],
      total: 2,
    });
  expect(await named('search=ana&online=true&serverId=main')).toEqual({ data: [ana], total: 1 });
  await hub.newServer('second');
  expect(await named('', await hub.newKey(['players:read'], ['second']))).toEqual({ data: [], total: 0 });
  expect((await hub.request('/api/v2/players/identifiers?serverId=none')).status).toBe(404);
});
