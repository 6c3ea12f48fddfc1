import { orderSignature, SECRET } from '../../../tests/kit/shop-signature.ts';
import { pause } from '../../promises/hub.ts';
import { fillPlayers } from '../fill.ts';
import type { Attack } from '../report.ts';
import type { Stage } from '../stage.ts';

const PARTS = 20;
const item = (n: number) => ({ name: 'items', params: { item: `item_9_${n}`, count: 1, action: 'add' } });
const PACKAGES = { vip: Array.from({ length: 20 }, (_, n) => item(n)) };

/** Reports 20,000 items. */
const report = (bridge: Awaited<ReturnType<Stage['connect']>>, hash: string): void => {
  for (let part = 0; part < PARTS; part += 1) {
    const entries = Array.from({ length: 1_000 }, (_, n) => ({
      name: `item_${part}_${n}`,
      label: `${hash} ${n} of ${part}`,
    }));
    bridge.say({ type: 'catalogue', kind: 'items', hash, part, last: part === PARTS - 1, entries });
  }
};

const connected = async (stage: Stage, hash: string) => {
  const bridge = await stage.connect();
  report(bridge, hash);
  while (!(await stage.caller.text('/api/v2/servers/main/items?limit=1')).includes(`"${hash} `)) await pause(50);
  return bridge;
};

const openShop = async ({ caller }: Stage): Promise<string> => {
  const json = { kind: 'orders', name: 'Shop', secret: SECRET, serverId: 'main', packages: PACKAGES };
  return `/api/v2/integrations/${(await caller.ask('POST', '/api/v2/integrations', json)).body.id}`;
};

const PREPARED = new WeakMap<Stage, Promise<string>>();
/** A shop of a server with a catalogue, once for a stage. */
const shopOf = (stage: Stage): Promise<string> => {
  const made =
    PREPARED.get(stage) ?? connected(stage, 'h1').then((bridge) => openShop(stage).finally(() => bridge.close()));
  PREPARED.set(stage, made);
  return made;
};

const statuses = (answers: readonly { status: number }[]): string =>
  `${answers.filter(({ status }) => status < 300).length} of ${answers.length} answered`;

const options = { fill: (store, projectId) => fillPlayers(store, projectId, 500) } satisfies Attack['options'];

/** An order of 2,000 lines, fifty tests of one, a hundred searches of 20,000 items, and forty new catalogues. */
export const shopsAndCatalogues: readonly Attack[] = [
  {
    name: 'order',
    isRepeated: true,
    options,
    play: async (stage, round) => {
      const shop = await shopOf(stage);
      await stage.payments();
      const order = {
        id: `o${round}`,
        type: 'paid',
        buyer: `char1:p${round}`,
        packages: [{ id: 'vip', quantity: 100 }],
      };
      const headers = { 'X-Causeway-Signature': orderSignature(JSON.stringify(order), SECRET) };
      const { status } = await stage.caller.ask('POST', `${shop}/orders`, order, headers);
      // Its lines are carried out behind the answer.
      await pause(5_000);
      return `2,000 lines: ${status}`;
    },
  },
  {
    name: 'order-tests',
    isRepeated: true,
    options,
    play: async (stage) => {
      const shop = await shopOf(stage);
      await stage.payments();
      const json = { buyer: 'char1:p1', packages: Array.from({ length: 100 }, () => ({ id: 'vip', quantity: 1_000 })) };
      return statuses(
        await Promise.all(Array.from({ length: 50 }, () => stage.caller.ask('POST', `${shop}/test`, json))),
      );
    },
  },
  {
    name: 'catalogue-searches',
    isRepeated: true,
    options,
    play: async (stage) => {
      await shopOf(stage);
      await stage.payments();
      const path = '/api/v2/servers/main/items?search=of%2019&limit=50';
      return statuses(await Promise.all(Array.from({ length: 100 }, () => stage.caller.ask('GET', path))));
    },
  },
  {
    name: 'catalogues',
    isRepeated: true,
    options,
    play: async (stage, round) => {
      const bridge = await stage.connect();
      for (let n = 0; n < 40; n += 1) report(bridge, `h${round}_${n}`);
      const last = `"h${round}_39 `;
      const until = performance.now() + 30_000;
      const isStored = async () => (await stage.caller.text('/api/v2/servers/main/items?limit=1')).includes(last);
      let stored = await isStored();
      while (!stored && performance.now() < until) {
        await pause(100);
        stored = await isStored();
      }
      bridge.close();
      return `40 of 20,000 items: ${stored ? 'the last is stored' : 'the last is not stored'}`;
    },
  },
];
