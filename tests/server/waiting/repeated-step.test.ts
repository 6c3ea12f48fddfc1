import { expect, it } from 'vitest';
import { startHub } from '../../kit/hub.ts';
import { answerAll, playerFrame, welcomeRaw } from '../../kit/raw-bridge.ts';
import { eventually, rewrite } from '../../kit/stage.ts';

const LINKED = 'discord:bob';
const OTHER = 'fivem:bob';
const PARAMS = { type: 'bank', amount: 5, action: 'add' };

/** A hub whose game server has Bob and Eve; the linked identifiers are Bob's, until `report` gives them to Eve. */
const open = async () => {
  const hub = await startHub({ tuning: { waitingCheckMs: 200 } });
  const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
  const paid: unknown[] = [];
  answerAll(bridge, ({ params }) => {
    paid.push(params['target']);
    return { status: 'done', data: { account: 'bank', before: 0, after: 5 }, sequence: paid.length };
  });
  let revision = 0;
  const report = async (owner: string): Promise<void> => {
    revision += 1;
    const players = ['char1:bob', 'char1:eve'].map((id) =>
      playerFrame(id, { identifiers: id === owner ? [LINKED, OTHER] : [] }),
    );
    bridge.send({ type: 'players.snapshot', revision, part: 0, last: true, players });
    const meant = () => hub.store.players.meant(hub.project.id, 'main', OTHER) as Promise<unknown>;
    await eventually(meant).toMatchObject([{ identifier: owner }]);
  };
  await report('char1:bob');
  /** Asks for a batch; its `look` tells how it is. */
  const give = async (targets: string[], dryRun = false) => {
    const made = await hub.request('/api/v2/batches', {
      json: { serverId: 'main', name: 'money', params: PARAMS, targets, dryRun },
      headers: { 'Idempotency-Key': 'gift' },
    });
    return { ...made, look: async () => (await hub.request(`/api/v2/batches/${made.body['id']}`)).body };
  };
  return { hub, paid, report, give };
};

/** As a node leaves a batch that died before it noted which commands it has stored. */
const UNNOTED = "status = 'writing', written = 0, touched_at = 0, settled_at = NULL";

it.each([
  ['before', ['char1:bob', LINKED]],
  ['after', [LINKED, 'char1:bob']],
  ['absent, and another linked one', [LINKED, OTHER]],
])(
  'a linked identifier pays one player, also if it means another one when its step is repeated: own identifier %s',
  async (_, bob) => {
    const { hub, paid, report, give } = await open();
    const targets = [...bob, 'char1:none'];
    const counted = { targets: 2, duplicates: 1, unknown: ['char1:none'], money: 5 };
    expect((await give(targets, true)).body).toMatchObject(counted);
    const { look } = await give(targets);
    await eventually(look).toMatchObject({ status: 'settled', counts: { succeeded: 1, rejected: 1 } });
    expect(await look()).toMatchObject({ total: 2, duplicates: 1 });
    await report('char1:eve');
    await rewrite(hub, `UPDATE batches SET ${UNNOTED}, total = 3, duplicates = 0`);
    await eventually(look).toMatchObject({ status: 'settled' });
    expect(await look()).toMatchObject({ counts: { succeeded: 1, rejected: 1 } });
    expect(paid).toEqual(['char1:bob']);
  },
);

it('a linked identifier pays the player whom it meant when the batch was made, though no command was stored then', async () => {
  const { hub, paid, report, give } = await open();
  const { look } = await give([LINKED]);
  await eventually(look).toMatchObject({ status: 'settled' });
  await rewrite(hub, 'DELETE FROM commands');
  await report('char1:eve');
  await rewrite(hub, `UPDATE batches SET ${UNNOTED}`);
  await eventually(look).toMatchObject({ status: 'settled', counts: { succeeded: 1 } });
  expect(new Set(paid)).toEqual(new Set(['char1:bob']));
});

it('a batch of an earlier release goes on: its linked identifiers pay the players whom they mean, each once', async () => {
  const { hub, paid, report, give } = await open();
  const { look } = await give(['char1:none']);
  await eventually(look).toMatchObject({ status: 'settled' });
  await rewrite(hub, 'DELETE FROM commands');
  await rewrite(hub, `UPDATE batches SET targets = '["${LINKED}"]', total = 1, duplicates = 0, ${UNNOTED}`);
  await eventually(look).toMatchObject({ status: 'settled', counts: { succeeded: 1 } });
  await report('char1:eve');
  await rewrite(hub, `UPDATE batches SET ${UNNOTED}`);
  await eventually(look).toMatchObject({ status: 'settled' });
  expect(await look()).toMatchObject({ total: 1, counts: { succeeded: 1 } });
  expect(paid).toEqual(['char1:bob']);
});
