import { expect, it } from 'vitest';
import { startHub } from '../../kit/hub.ts';
import { answerAll, playerFrame, welcomeRaw } from '../../kit/raw-bridge.ts';
import { becomes, connectShop, orderSignature, payment, SECRET, tebexSignature } from '../../kit/shop.ts';
import { eventually } from '../../kit/stage.ts';

const GIVE = { name: 'money', params: { type: 'bank', amount: 10, action: 'add' } };
/** JavaScript reads ID as NEIGHBOUR. */
const ID = '76561198000000007';
const NEIGHBOUR = '76561198000000000';
const NAME = 'char1:ana';
const linked = [`steam:${BigInt(NEIGHBOUR).toString(16)}`, `fivem:${NEIGHBOUR}`];

const open = async (kind: 'tebex' | 'orders', vip: string) => {
  const hub = await startHub();
  const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
  answerAll(bridge, () => ({ status: 'done', data: { account: 'bank', before: 0, after: 10 } }));
  const players = [playerFrame(NAME, { identifiers: linked })];
  bridge.send({ type: 'players.snapshot', revision: 1, part: 0, last: true, players });
  await eventually(async () => (await hub.request('/api/v2/players')).body['data']).toHaveLength(1);
  const shop = await connectShop(hub, kind, { [vip]: [GIVE] });
  /** Sends JSON with the placeholder "#" as these digits, without quotes. */
  const sendNumber = (content: object, digits: string) => {
    const body = JSON.stringify(content).replaceAll('"#"', digits);
    const signature = kind === 'tebex' ? tebexSignature(body, SECRET) : orderSignature(body, SECRET);
    return shop.post(body, { [kind === 'tebex' ? 'X-Signature' : 'X-Causeway-Signature']: signature });
  };
  const commands = () => bridge.frames.filter(({ type }) => type === 'command').length;
  return { hub, shop, sendNumber, commands };
};

it.each([
  ['of a product', ID, { products: [{ id: 7, quantity: 2, username: { id: '#', username: NAME } }] }],
  ['of the customer', ID, { customer: { username: { id: '#', username: NAME } } }],
  ['because it is rounded', `${NEIGHBOUR.slice(0, 3)}.0000000000000000001`, { customer: { username: { id: '#' } } }],
  ['with an exponent', '7.6561198000000007e16', { customer: { username: { id: '#', username: NAME } } }],
])(
  'a buyer whose id is a number too large %s goes to the staff, and the neighbour is not paid',
  async (_what, digits, subject) => {
    const { hub, shop, sendNumber, commands } = await open('tebex', '7');
    const products = [{ id: 7, quantity: 2 }];
    expect((await sendNumber(payment('t1', products, { subject }), digits)).body).toEqual({ outcome: 'stored' });
    await becomes(hub, shop, 't1', ['unmatched', 'unmatched']);
    const [line] = await shop.staff();
    expect(line).toMatchObject({ reason: 'number_too_large', buyer: null, target: null });
    expect(line?.['detail']).toContain(digits);
    expect(commands()).toBe(0);
    const given = await hub.request(`${shop.path}/unmatched/${line?.id}`, { json: { target: NAME } });
    expect(given.status, given.text).toBe(200);
    await becomes(hub, shop, 't1', ['delivered', 'unmatched']);
    expect(commands()).toBe(1);
  },
);

it('an id that is a number of usual size is as good as a text', async () => {
  const { hub, shop, sendNumber } = await open('tebex', '7');
  const subject = { customer: { username: { id: '#', username: 'Ben' } } };
  await hub.store.players.upsert(hub.project.id, 'main', [playerFrame('fivem:9007199254740991')], Date.now());
  await sendNumber(payment('t1', [{ id: 7 }], { subject }), '9007199254740991');
  await becomes(hub, shop, 't1', ['delivered']);
});

it.each([
  ['an order', { id: '#', type: 'paid', buyer: NAME, packages: [{ id: NEIGHBOUR }] }],
  ['a package', { id: 'o1', type: 'paid', buyer: NAME, packages: [{ id: '#' }] }],
  ['a buyer', { id: 'o1', type: 'paid', buyer: '#', packages: [{ id: NEIGHBOUR }] }],
])('an own shop is told that the id of %s is a number too large', async (_what, content) => {
  const { shop, sendNumber, commands } = await open('orders', NEIGHBOUR);
  const answer = await sendNumber(content, ID);
  expect(answer).toMatchObject({ status: 422, body: { code: 'invalid_request' } });
  expect((await shop.deliveries())[0]).toMatchObject({ outcome: 'invalid' });
  expect(commands()).toBe(0);
});
