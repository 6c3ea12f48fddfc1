import { type Answer, startHub, type TestHub } from '../../kit/hub.ts';
import { playerFrame, type RawBridge, welcomeRaw } from '../../kit/raw-bridge.ts';
import { eventually } from '../../kit/stage.ts';

export const GIFT = {
  serverId: 'main',
  name: 'money',
  params: { type: 'bank', amount: 5, action: 'add', reason: 'Event' },
};
export const KICKED = { status: 'done', data: { kicked: true } };
export const idOf = (n: number): string => `char1:p${n}`;

let keys = 0;
/** Asks for a batch of gifts, with a new key unless one is given. */
export const batch = (hub: TestHub, changes: object = {}, key?: string): Promise<Answer> => {
  keys += 1;
  return hub.request('/api/v2/batches', {
    json: { ...GIFT, ...changes },
    headers: { 'Idempotency-Key': key ?? `batch-${keys}` },
  });
};
/** The batch as it is now. */
export const look = async (hub: TestHub, { body }: Answer) =>
  (await hub.request(`/api/v2/batches/${String(body['id'])}`)).body as unknown as {
    status: string;
    endedBy: string | null;
    counts: Record<string, number>;
  };
/** The batch after its end. */
export const settled = async (hub: TestHub, answer: Answer) => {
  await eventually(async () => (await look(hub, answer)).status).toBe('settled');
  return look(hub, answer);
};

/** The payments of each player, as the game has them. */
export const purses = () => {
  const balances = new Map<string, number>();
  const paid = new Map<string, number>();
  let sequence = 0;
  return {
    balances,
    paid,
    pay: ({ params }: { params: Record<string, unknown> }) => {
      const target = String(params['target']);
      const before = balances.get(target) ?? 100;
      balances.set(target, before + Number(params['amount']));
      paid.set(target, (paid.get(target) ?? 0) + 1);
      sequence += 1;
      return { status: 'done', data: { account: 'bank', before, after: balances.get(target) }, sequence };
    },
  };
};

const report = (bridge: RawBridge, count: number, isOnline: (n: number) => boolean): void =>
  bridge.send({
    type: 'players.snapshot',
    revision: 1,
    part: 0,
    last: true,
    players: Array.from({ length: count }, (_, n) => playerFrame(idOf(n), { online: isOnline(n) })),
  });

/** A hub and a game server with so many players. */
export const stage = async (count: number, isOnline: (n: number) => boolean = () => true, start = startHub) => {
  const hub = await start();
  const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
  report(bridge, count, isOnline);
  await eventually(async () => (await hub.request(`/api/v2/players/${idOf(count - 1)}`)).status).toBe(200);
  return { hub, bridge };
};
export const everybody = (count: number): string[] => Array.from({ length: count }, (_, n) => idOf(n));
