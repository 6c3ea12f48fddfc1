import { expect, it } from 'vitest';
import { startHub } from '../../kit/hub.ts';
import { answerAll, playerFrame, welcomeRaw } from '../../kit/raw-bridge.ts';
import { eventually, rewrite } from '../../kit/stage.ts';

const LINKED = 'discord:bob';
const OTHER = 'fivem:bob';
const PARAMS = { type: 'bank', amount: 5, action: 'add' };

it.each([
  ['before', ['char1:bob', LINKED]],
  ['after', [LINKED, 'char1:bob']],
  ['absent, and another linked one', [LINKED, OTHER]],
])(
  'a linked identifier pays one player, also if it means another one when its step is repeated: own identifier %s',
  async (_, bob) => {
    const hub = await startHub({ tuning: { waitingCheckMs: 200 } });
    const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
    const paid: unknown[] = [];
    answerAll(bridge, ({ params }) => {
      paid.push(params['target']);
      return { status: 'done', data: { account: 'bank', before: 0, after: 5 }, sequence: paid.length };
    });
    const report = (revision: number, owner: string): void => {
      const players = ['char1:bob', 'char1:eve'].map((id) =>
        playerFrame(id, { identifiers: id === owner ? [LINKED, OTHER] : [] }),
      );
      bridge.send({ type: 'players.snapshot', revision, part: 0, last: true, players });
    };
    const owner = async () =>
      (await hub.store.players.meant(hub.project.id, 'main', OTHER)) as { identifier: string }[];
    report(1, 'char1:bob');
    await eventually(owner).toMatchObject([{ identifier: 'char1:bob' }]);
    const ask = (dryRun: boolean) =>
      hub.request('/api/v2/batches', {
        json: { serverId: 'main', name: 'money', params: PARAMS, targets: [...bob, 'char1:none'], dryRun },
        headers: { 'Idempotency-Key': 'gift' },
      });
    const counted = { targets: 2, duplicates: 1, unknown: ['char1:none'], money: 5 };
    expect((await ask(true)).body).toMatchObject(counted);
    const made = await ask(false);
    const look = async () => (await hub.request(`/api/v2/batches/${made.body['id']}`)).body;
    await eventually(look).toMatchObject({ status: 'settled', counts: { succeeded: 1, rejected: 1 } });
    expect(await look()).toMatchObject({ total: 2, duplicates: 1 });
    report(2, 'char1:eve');
    await eventually(owner).toMatchObject([{ identifier: 'char1:eve' }]);
    // As a node leaves it that stored the commands, and died before it noted that.
    const unnoted =
      "status = 'writing', written = 0, total = 3, duplicates = 0, touched_at = 0, written_at = 0, settled_at = NULL";
    await rewrite(hub, `UPDATE batches SET ${unnoted}`);
    await eventually(look).toMatchObject({ status: 'settled' });
    expect(await look()).toMatchObject({ counts: { succeeded: 1, rejected: 1 } });
    expect(paid).toEqual(['char1:bob']);
  },
);

it('a batch of an earlier release goes on: its linked identifiers pay the players whom they mean, each once', async () => {
  const hub = await startHub({ tuning: { waitingCheckMs: 200 } });
  const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
  const paid: unknown[] = [];
  answerAll(bridge, ({ params }) => {
    paid.push(params['target']);
    return { status: 'done', data: { account: 'bank', before: 0, after: 5 }, sequence: paid.length };
  });
  const report = (revision: number, owner: string): void => {
    const players = ['char1:bob', 'char1:eve'].map((id) =>
      playerFrame(id, { identifiers: id === owner ? [LINKED] : [] }),
    );
    bridge.send({ type: 'players.snapshot', revision, part: 0, last: true, players });
  };
  const owner = async () => (await hub.store.players.meant(hub.project.id, 'main', LINKED)) as { identifier: string }[];
  report(1, 'char1:bob');
  await eventually(owner).toMatchObject([{ identifier: 'char1:bob' }]);
  const made = await hub.request('/api/v2/batches', {
    json: { serverId: 'main', name: 'money', params: PARAMS, targets: ['char1:none'] },
    headers: { 'Idempotency-Key': 'gift' },
  });
  const look = async () => (await hub.request(`/api/v2/batches/${made.body['id']}`)).body;
  await eventually(look).toMatchObject({ status: 'settled' });
  const stored = `targets = '["${LINKED}"]', total = 1, duplicates = 0`;
  const unnoted = "status = 'writing', written = 0, touched_at = 0, written_at = 0, settled_at = NULL";
  await rewrite(hub, 'DELETE FROM commands');
  await rewrite(hub, `UPDATE batches SET ${stored}, ${unnoted}`);
  await eventually(look).toMatchObject({ status: 'settled', counts: { succeeded: 1 } });
  report(2, 'char1:eve');
  await eventually(owner).toMatchObject([{ identifier: 'char1:eve' }]);
  await rewrite(hub, `UPDATE batches SET ${unnoted}`);
  await eventually(look).toMatchObject({ status: 'settled' });
  expect(await look()).toMatchObject({ total: 1, counts: { succeeded: 1 } });
  expect(paid).toEqual(['char1:bob']);
});
