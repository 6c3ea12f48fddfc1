import { describe, expect, it } from 'vitest';
import { newFolder } from '../../kit/folder.ts';
import { createEconomy, startGameServer } from '../../kit/game-server.ts';
import { type Answer, startHub, type TestHub } from '../../kit/hub.ts';
import { onPostgres } from '../../kit/hub-database.ts';
import { answerAll } from '../../kit/raw-bridge.ts';
import { backUp, restoreBackup } from '../../kit/restore-hub.ts';
import { eventually, rewrite } from '../../kit/stage.ts';
import { batch, everybody, idOf, look, settled, stage } from './batch-stage.ts';

/** What a dead node has left is looked for at once. */
const SOON = { waitingCheckMs: 200 };

const undoOf = (hub: TestHub, { body }: Answer, json: object = {}, key = hub.key): Promise<Answer> =>
  hub.request(`/api/v2/batches/${body['id']}/undo`, { json, key });
const commandsOf = async (hub: TestHub, filters: string) =>
  (await hub.request(`/api/v2/commands?limit=200&${filters}`)).body['data'] as Record<string, unknown>[];

/** A settled batch that gave each player 5; the game server tells who has no money left. */
const given = async (count: number) => {
  const { hub, bridge } = await stage(count, undefined, () => startHub({ tuning: SOON }));
  const balances = new Map(everybody(count).map((id) => [id, 0]));
  const poor = new Set<string>();
  const moves: string[] = [];
  let mismatched: string | undefined;
  let isHeld = false;
  const held: (() => void)[] = [];
  answerAll(bridge, ({ id, params }) => {
    const target = String(params['target']);
    const before = balances.get(target) ?? 0;
    if (params['action'] === 'remove' && poor.has(target)) {
      return { status: 'rejected', error: { code: 'insufficient_funds', message: 'no', details: { balance: 0 } } };
    }
    if (target === mismatched) return { status: 'rejected', error: { code: 'fingerprint_mismatch', message: 'no' } };
    const after = before + (params['action'] === 'add' ? 5 : -5);
    balances.set(target, after);
    moves.push(`${params['action']} ${target}`);
    const answer = { status: 'done', data: { account: 'bank', before, after }, sequence: moves.length };
    if (!isHeld) return answer;
    held.push(() => bridge.send({ type: 'result', id, ...answer }));
    return undefined;
  });
  const gift = await batch(hub, { targets: everybody(count) });
  expect(await settled(hub, gift)).toMatchObject({ counts: { succeeded: count } });
  return {
    hub,
    gift,
    poor,
    balances,
    removals: () => moves.filter((move) => move.startsWith('remove')).sort(),
    /** The game server knows the next command for this player with other parameters. */
    mismatch: (target: string) => {
      mismatched = target;
    },
    hold: () => {
      isHeld = true;
    },
    letGo: () => {
      isHeld = false;
      for (const send of held.splice(0)) send();
    },
  };
};

describe('the undo of a batch', () => {
  it('takes back what each command gave, tells who owes, and is one batch however often it is asked for', async () => {
    const { hub, gift, poor, balances } = await given(6);
    poor.add(idOf(2));
    const [alone] = await commandsOf(hub, `target=${idOf(4)}`);
    expect((await hub.request(`/api/v2/commands/${alone?.['id']}/undo`, { json: {} })).status).toBe(200);
    const plan = { dryRun: true, undo: 5, undone: 1, open: 0, inDoubt: 0, noOpposite: 0, withoutEffect: 0, money: 25 };
    expect((await undoOf(hub, gift, { dryRun: true })).body).toEqual(plan);
    const undo = await undoOf(hub, gift, { reason: 'wrong event' });
    expect(undo).toMatchObject({ status: 202, body: { undoes: gift.body.id, params: { reason: 'wrong event' } } });
    expect(await settled(hub, undo)).toMatchObject({ total: 5, counts: { succeeded: 4, rejected: 1 } });
    expect(await look(hub, gift)).toMatchObject({ undoneBy: { id: undo.body.id, status: 'settled' } });
    expect([...balances.values()]).toEqual([0, 0, 5, 0, 0, 0]);

    const again = await undoOf(hub, gift, { reason: 'another word' });
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.body).toMatchObject({ id: undo.body.id, status: 'settled' });
    const owed = await commandsOf(hub, `batches=${undo.body.id}&status=failed,rejected,voided,expired`);
    expect(owed).toMatchObject([{ target: idOf(2), status: 'rejected', error: { code: 'insufficient_funds' } }]);

    poor.clear();
    const paid = await hub.request(`/api/v2/commands/${owed[0]?.['undoes']}/undo`, { json: {} });
    expect(paid).toMatchObject({ status: 200, body: { undoes: owed[0]?.['undoes'] } });
    expect([...balances.values()]).toEqual(everybody(6).map(() => 0));
    expect((await undoOf(hub, gift, { dryRun: true })).body).toMatchObject({ undo: 0, undone: 6, money: 0 });
  });

  it('does not count as one to undo what may be undone already, and leaves it out', async () => {
    const { hub, gift, mismatch, removals } = await given(3);
    mismatch(idOf(1));
    const [doubtful] = await commandsOf(hub, `target=${idOf(1)}`);
    const alone = () => hub.request(`/api/v2/commands/${doubtful?.['id']}/undo`, { json: {} });
    expect((await alone()).body.code).toBe('idempotency_mismatch');
    expect((await undoOf(hub, gift, { dryRun: true })).body).toMatchObject({ undo: 2, inDoubt: 1, money: 10 });
    const undo = await undoOf(hub, gift);
    expect(undo.body).toMatchObject({ total: 2, duplicates: 0 });
    expect(await settled(hub, undo)).toMatchObject({ total: 2, duplicates: 0, counts: { succeeded: 2 } });
    expect(removals()).toHaveLength(2);
    expect((await undoOf(hub, gift, { dryRun: true })).body).toMatchObject({ undo: 0, undone: 2, inDoubt: 1 });
  });

  it('is refused for an undo, an open batch, one without effect, and what is undone already', async () => {
    const { hub, gift, hold, letGo } = await given(2);
    const undo = await undoOf(hub, gift);
    await settled(hub, undo);
    expect((await undoOf(hub, undo)).body).toMatchObject({ code: 'no_opposite', executed: 'no' });
    const nobody = await batch(hub, { targets: ['char1:none'] });
    await settled(hub, nobody);
    expect((await undoOf(hub, nobody, { dryRun: true })).body).toMatchObject({ undo: 0, withoutEffect: 1 });
    expect((await undoOf(hub, nobody)).body).toMatchObject({ code: 'nothing_to_undo', executed: 'no' });
    hold();
    const open = await batch(hub, { targets: everybody(2) });
    expect((await undoOf(hub, open)).body).toMatchObject({ code: 'not_settled', retryable: true });
    letGo();
    await settled(hub, open);
    expect((await hub.request('/api/v2/batches/bat_00000000000/undo', { json: {} })).body.code).toBe('batch_not_found');
  });

  it('needs the scopes of a batch and of its command, and keeps the bounds of the key', async () => {
    const { hub, gift, removals } = await given(3);
    const { newKey } = hub;
    expect((await undoOf(hub, gift, {}, await newKey(['commands:batch']))).body.code).toBe('insufficient_scope');
    expect((await undoOf(hub, gift, {}, await newKey(['commands:money']))).body.code).toBe('insufficient_scope');
    const bounded = await hub.request('/api/v2/keys', {
      json: { name: 'small', scopes: ['commands:batch', 'commands:money'], maxBatchTotal: 14 },
    });
    const key = String(bounded.body['key']);
    expect((await undoOf(hub, gift, {}, key)).body).toMatchObject({ code: 'invalid_request' });
    expect((await undoOf(hub, gift, { amount: 1 })).status).toBe(422);
    expect(removals()).toEqual([]);
    expect((await undoOf(hub, gift, {}, await newKey(['commands:batch', 'commands:money']))).status).toBe(202);
  });

  it('can be stopped: what it has not sent is not taken', async () => {
    const { hub, gift, hold, letGo, removals } = await given(60);
    hold();
    const undo = await undoOf(hub, gift);
    await eventually(() => removals().length).toBeGreaterThan(0);
    await hub.request(`/api/v2/batches/${undo.body.id}/void`, { json: {} });
    letGo();
    const { counts, endedBy } = await settled(hub, undo);
    expect(endedBy).toBe('voided');
    expect(counts['succeeded']).toBe(removals().length);
    expect(removals().length).toBeLessThan(60);
    expect(new Set(removals()).size).toBe(removals().length);
  });

  it('and undos of single commands at the same moment take back each one once', async () => {
    const { hub, gift, removals, balances } = await given(40);
    const gifts = await commandsOf(hub, `batches=${gift.body.id}`);
    const single = ({ id }: Record<string, unknown>) =>
      hub.request(`/api/v2/commands/${id}/undo`, { json: { reason: 'me' } });
    const [undo] = await Promise.all([
      undoOf(hub, gift, { reason: 'all' }),
      undoOf(hub, gift, { reason: 'all, too' }),
      ...gifts.map(single),
      ...gifts.map(single),
    ]);
    if (undo.status === 202) await settled(hub, undo);
    else expect(undo.body.code).toBe('nothing_to_undo');
    await eventually(() => [...balances.values()]).toEqual(everybody(40).map(() => 0));
    expect(removals()).toEqual(
      everybody(40)
        .map((id) => `remove ${id}`)
        .sort(),
    );
    for (const { undoneBy } of await commandsOf(hub, `batches=${gift.body.id}`))
      expect(undoneBy).toMatchObject({ executed: 'yes' });
  });
});

const PLAYERS = Array.from({ length: 120 }, (_, n) => `char1:p${n}`);

/** A hub in a folder, and a game server whose players were given 7 each by a batch. */
const openPaid = async () => {
  const folder = newFolder();
  let hub = await startHub({ folder, tuning: SOON });
  const economy = createEconomy(Object.fromEntries(PLAYERS.map((id) => [id, 0])));
  startGameServer({ url: () => hub.bridgeUrl, token: hub.token, folder: newFolder(), economy });
  await eventually(async () => (await hub.request(`/api/v2/players/${PLAYERS.at(-1)}`)).status).toBe(200);
  const gift = await batch(hub, { targets: PLAYERS, params: { type: 'bank', amount: 7, action: 'add' } });
  await settled(hub, gift);
  return {
    gift,
    economy,
    hub: () => hub,
    nextHub: async (): Promise<void> => {
      hub = await startHub({ folder, tuning: SOON });
    },
    taken: () => economy.applied.length - PLAYERS.length,
  };
};

it('the undo of a batch takes from each player exactly once while the hub is killed again and again', async () => {
  const { gift, economy, hub, nextHub, taken } = await openPaid();
  const { body } = await undoOf(hub(), gift);
  for (const part of [0.2, 0.5, 0.8]) {
    await eventually(taken).toBeGreaterThanOrEqual(PLAYERS.length * part);
    await hub().crash();
    await nextHub();
    const single = (await commandsOf(hub(), `batches=${gift.body.id}&target=${PLAYERS.at(-1)}`))[0];
    const answers = await Promise.all([
      undoOf(hub(), gift),
      hub().request(`/api/v2/commands/${single?.['id']}/undo`, { json: {}, headers: { Prefer: 'respond-async' } }),
    ]);
    expect(answers[0].body.id).toBe(body.id);
  }
  await eventually(async () => (await hub().request(`/api/v2/batches/${body.id}`)).body['status']).toBe('settled');
  await eventually(() => [...economy.banks.values()]).toEqual(PLAYERS.map(() => 0));
  expect(taken()).toBe(PLAYERS.length);
});

it('a step of an undo that a dead node did not note is repeated without a second try of a command', async () => {
  const { gift, economy, hub, taken } = await openPaid();
  for (const id of PLAYERS.slice(0, 30)) economy.banks.set(id, 0);
  const undo = await undoOf(hub(), gift);
  const counts = { succeeded: 90, rejected: 30 };
  expect(await settled(hub(), undo)).toMatchObject({ counts });
  for (const id of PLAYERS.slice(0, 30)) economy.banks.set(id, 7);
  // As a node leaves it that stored the commands, and died before it noted that.
  const unnoted =
    "status = 'writing', written = 0, total = 120, duplicates = 0, touched_at = 0, written_at = 0, settled_at = NULL";
  await rewrite(hub(), `UPDATE batches SET ${unnoted} WHERE id = ?`, String(undo.body.id));
  expect(await settled(hub(), undo)).toMatchObject({ total: 120, duplicates: 0, counts });
  expect(taken()).toBe(90);
});

it('a step of an undo ends although one of its commands was tried 1,000 times meanwhile', async () => {
  const { hub, gift, poor } = await given(2);
  poor.add(idOf(0));
  const undo = await undoOf(hub, gift);
  await settled(hub, undo);
  const [tried] = await commandsOf(hub, `batches=${undo.body.id}&target=${idOf(0)}`);
  const row = await hub.store.commands.get(hub.project.id, String(tried?.['id']));
  if (row === undefined) throw new Error('The try is gone.');
  const others = Array.from({ length: 999 }, (_, n) => ({ ...row, id: `${row.id}${n}`, idempotencyKey: null }));
  for (const other of others) await hub.store.commands.insert({ ...other, batchId: null }, { durable: false });
  await rewrite(hub, 'UPDATE commands SET batch_id = NULL WHERE id = ?', row.id);
  await rewrite(
    hub,
    "UPDATE batches SET status = 'writing', written = 0, written_at = 0 WHERE id = ?",
    String(undo.body.id),
  );
  expect(await settled(hub, undo)).toMatchObject({ counts: { succeeded: 1 } });
});

describe.skipIf(onPostgres)('after a restored backup', () => {
  it('no command is undone twice, whichever way it is undone', async () => {
    const { gift, economy, hub, nextHub, taken } = await openPaid();
    await backUp(hub());
    const [first] = await commandsOf(hub(), `batches=${gift.body.id}&target=${PLAYERS[0]}`);
    expect((await hub().request(`/api/v2/commands/${first?.['id']}/undo`, { json: { reason: 'a' } })).status).toBe(200);
    await restoreBackup(hub());
    await nextHub();
    await eventually(async () => (await undoOf(hub(), gift, { reason: 'b' })).status).toBe(202);
    const undo = await undoOf(hub(), gift);
    expect(await settled(hub(), undo)).toMatchObject({ counts: { succeeded: PLAYERS.length } });
    expect(taken()).toBe(PLAYERS.length);
    await restoreBackup(hub());
    await nextHub();
    const again = () => hub().request(`/api/v2/commands/${first?.['id']}/undo`, { json: { reason: 'c' } });
    await eventually(async () => (await again()).status).toBe(200);
    expect(taken()).toBe(PLAYERS.length);
    expect([...economy.banks.values()]).toEqual(PLAYERS.map(() => 0));
  });
});
