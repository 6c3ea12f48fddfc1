import { describe, expect, it } from 'vitest';
import { batchOf } from '../../kit/batch-rows.ts';
import { shareHub } from '../../kit/hub.ts';
import { answerAll, type CommandFrame, playerFrame, welcomeRaw } from '../../kit/raw-bridge.ts';
import { eventually } from '../../kit/stage.ts';
import { batch, everybody, GIFT, idOf, KICKED, look, purses, settled, stage as stageOn } from './batch-stage.ts';

const newTenant = shareHub();
const stage = (count: number, isOnline?: (n: number) => boolean) => stageOn(count, isOnline, newTenant);

describe('a batch', () => {
  it('pays each player once, and says how it went', async () => {
    const { hub, bridge } = await stage(50);
    const { paid, pay } = purses();
    answerAll(bridge, pay);
    const answer = await batch(hub, { targets: [...everybody(50), idOf(0), 'char1:nobody'], label: 'Event' });
    expect(answer).toMatchObject({ status: 202, body: { total: 51, duplicates: 1, label: 'Event' } });
    expect(await settled(hub, answer)).toMatchObject({ counts: { succeeded: 50, rejected: 1 } });
    expect([...paid]).toEqual(expect.arrayContaining(everybody(50).map((id) => [id, 1])));
    expect(paid.size).toBe(50);
  });

  it('pays a player once who is listed under two identifiers', async () => {
    const { hub, bridge } = await stage(1);
    const players = [playerFrame(idOf(0), { identifiers: ['license:zero'] })];
    bridge.send({ type: 'players.changed', revision: 2, players, offline: [], removed: [] });
    await eventually(async () => (await hub.request('/api/v2/players/license:zero')).status).toBe(200);
    const { paid, pay } = purses();
    answerAll(bridge, pay);
    const answer = await batch(hub, { targets: [idOf(0), 'license:zero'] });
    expect(await settled(hub, answer)).toMatchObject({ counts: { succeeded: 1 } });
    expect([...paid.values()]).toEqual([1]);
  });

  it('pays each player once when its request is repeated', async () => {
    const { hub, bridge } = await stage(10);
    const { paid, pay } = purses();
    answerAll(bridge, pay);
    const first = await batch(hub, { targets: everybody(10) }, 'salaries');
    const again = await batch(hub, { targets: everybody(10) }, 'salaries');
    expect(again.body['id']).toBe(first.body['id']);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(await batch(hub, { targets: everybody(9) }, 'salaries')).toMatchObject({
      status: 422,
      body: { code: 'idempotency_mismatch' },
    });
    await settled(hub, first);
    expect([...paid.values()]).toEqual(Array.from({ length: 10 }, () => 1));
  });

  it('pays those who are online at the moment of the request', async () => {
    const { hub, bridge } = await stage(20, (n) => n % 2 === 0);
    const { paid, pay } = purses();
    answerAll(bridge, pay);
    await eventually(async () => (await batch(hub, { targets: { online: true }, dryRun: true })).body['targets']).toBe(
      10,
    );
    const answer = await batch(hub, { targets: { online: true } });
    await settled(hub, answer);
    expect(paid.size).toBe(10);
  });

  it('is a count without effect with dryRun', async () => {
    const { hub, bridge } = await stage(3);
    const answer = await batch(hub, { targets: [...everybody(3), 'char1:nobody'], dryRun: true });
    expect(answer).toMatchObject({
      status: 200,
      body: { dryRun: true, targets: 4, duplicates: 0, unknown: ['char1:nobody'], money: 15 },
    });
    expect((await hub.request('/api/v2/batches')).body).toMatchObject({ data: [] });
    expect(bridge.frames.some(({ type }) => type === 'command')).toBe(false);
  });

  it('waits for each of its players, if that is asked', async () => {
    const { hub, bridge } = await stage(4, (n) => n < 2);
    const { paid, pay } = purses();
    answerAll(bridge, pay);
    const answer = await batch(hub, { targets: everybody(4), deliver: 'when_online' });
    await eventually(async () => (await look(hub, answer)).counts).toEqual({ succeeded: 2, waiting: 2 });
    const players = [2, 3].map((n) => playerFrame(idOf(n), { online: true }));
    bridge.send({ type: 'players.changed', revision: 2, players, offline: [], removed: [] });
    expect(await settled(hub, answer)).toMatchObject({ counts: { succeeded: 4 } });
    expect(paid.size).toBe(4);
  });

  it('is overtaken by single commands', async () => {
    const { hub, bridge } = await stage(40);
    const answer = await batch(hub, { targets: everybody(40) });
    const { pay } = purses();
    await bridge.command(16);
    const kick = hub.request('/api/v2/bridge/main/kick', { json: { target: idOf(0) } });
    const single = hub.request('/api/v2/bridge/main/money', { json: { ...GIFT.params, target: idOf(39) } });
    const both = [await bridge.command(17), await bridge.command(18)];
    expect(both.map(({ name, params }) => [name, params['target']]).sort()).toEqual([
      ['kick', idOf(0)],
      ['money', idOf(39)],
    ]);
    const reply = (command: CommandFrame): void => {
      const result = command.name === 'kick' ? KICKED : pay(command);
      bridge.send({ type: 'result', id: command.id, ...result });
    };
    both.forEach(reply);
    expect([(await kick).status, (await single).status]).toEqual([200, 200]);
    answerAll(bridge, pay);
    for (let n = 1; n <= 16; n += 1) reply(await bridge.command(n));
    expect(await settled(hub, answer)).toMatchObject({ counts: { succeeded: 40 } });
  });

  it('has one command on its way while single commands come', async () => {
    const { hub, bridge } = await stage(500);
    const { pay } = purses();
    const unpaid: CommandFrame[] = [];
    answerAll(bridge, (command) => {
      if (command.name === 'kick') return KICKED;
      unpaid.push(command);
      return undefined;
    });
    await batch(hub, { targets: everybody(500) });
    await eventually(() => unpaid.length).toBe(16);
    // On a slow machine, a second passes between two kicks at times, and the batch takes more places meanwhile.
    const beside = async (): Promise<number> => {
      for (const command of unpaid.splice(0)) bridge.send({ type: 'result', id: command.id, ...pay(command) });
      await hub.request('/api/v2/bridge/main/kick', { json: { target: idOf(0) } });
      return unpaid.length;
    };
    await eventually(beside).toBe(1);
  });

  it('goes on beside players whose payment takes long, with half of the window', async () => {
    const { hub, bridge } = await stage(20);
    await batch(hub, { targets: everybody(20) });
    const last = await bridge.command(16, 20_000);
    expect(bridge.frames.filter(({ type }) => type === 'command')).toHaveLength(16);
    bridge.send({ type: 'result', id: last.id, ...purses().pay(last) });
    await bridge.command(17);
  });

  it('counts a command once whose outcome the bridge reports after the hub gave it up', async () => {
    const { hub, bridge } = await stage(2);
    const { pay } = purses();
    const answer = await batch(hub, { targets: everybody(2) });
    const [first, second] = [await bridge.command(1), await bridge.command(2)];
    bridge.send({ type: 'result', id: first.id, ...pay(first) });
    await eventually(async () => (await look(hub, answer)).counts).toEqual({ succeeded: 1, dispatched: 1 });
    bridge.kill();
    const other = await welcomeRaw(hub.bridgeUrl, hub.token, {
      journal: { class: 'atomic', id: 'other', sequence: 0 },
    });
    expect(await settled(hub, answer)).toMatchObject({ counts: { succeeded: 1, indeterminate: 1 } });
    other.kill();
    const again = await welcomeRaw(hub.bridgeUrl, hub.token);
    again.send({ type: 'result', id: second.id, ...pay(second) });
    await eventually(async () => await look(hub, answer)).toMatchObject({
      status: 'settled',
      counts: { succeeded: 2 },
    });
    expect((await look(hub, answer)).counts).toEqual({ succeeded: 2 });
  });

  it('is taken back while its commands are being stored: what has not left never leaves', async () => {
    const { hub, bridge } = await stage(1_000);
    const answer = await batch(hub, { targets: everybody(1_000) });
    await bridge.command(1);
    const path = `/api/v2/batches/${String(answer.body['id'])}/void`;
    expect(await hub.request(path, { method: 'POST' })).toMatchObject({ status: 200, body: { endedBy: 'voided' } });
    const { paid, pay } = purses();
    answerAll(bridge, pay);
    for (const command of bridge.frames.filter(({ type }) => type === 'command')) {
      bridge.send({ type: 'result', id: command['id'], ...pay(command as never) });
    }
    const { counts } = await settled(hub, answer);
    // It was ended before all of its commands were stored, or after.
    expect(counts).toEqual({ succeeded: paid.size, voided: expect.any(Number) });
    expect(paid.size).toBeGreaterThan(0);
    expect(paid.size).toBeLessThan(20);
    expect((await look(hub, answer)).counts).toEqual(counts);
  });

  it('ends only when the node that stores its commands has stopped', async () => {
    const { hub } = await stage(1);
    const id = 'bat_elsewhere';
    const begun = Date.now();
    const { store, project } = hub;
    const projectId = project.id;
    await store.batches.insert(
      batchOf(id, {
        projectId,
        status: 'writing',
        written: 0,
        touchedAt: begun,
        writtenAt: begun,
        targets: everybody(2),
      }),
    );
    const takeBack = () => hub.request(`/api/v2/batches/${id}/void`, { method: 'POST' });
    expect(await takeBack()).toMatchObject({ status: 200, body: { status: 'writing', endedBy: 'voided' } });
    const { touchedAt: ended = 0 } = (await store.batches.get(projectId, id)) ?? {};
    // The hub may have looked at its end already: once more gives it another cause.
    await takeBack();
    await eventually(async () => (await store.batches.get(projectId, id))?.touchedAt).toBeGreaterThan(ended);
    expect(await store.batches.get(projectId, id)).toMatchObject({ status: 'writing' });
    await store.batches.finishWriting(id, Date.now());
    await takeBack();
    await eventually(async () => (await store.batches.get(projectId, id))?.status).toBe('settled');
  });

  it('ends by itself when too many of its commands fail', async () => {
    const { hub, bridge } = await stage(40);
    const answer = await batch(hub, { targets: everybody(40), abort: { failedPercent: 50, after: 5 } });
    const refused = { status: 'rejected', error: { code: 'refused', message: 'no' } };
    for (let n = 1; n <= 6; n += 1) {
      bridge.send({ type: 'result', id: (await bridge.command(n)).id, ...refused, sequence: n });
    }
    await eventually(async () => (await look(hub, answer)).endedBy).toBe('aborted');
    const { paid, pay } = purses();
    answerAll(bridge, pay);
    for (const command of bridge.frames.filter(({ type }) => type === 'command').slice(6)) {
      bridge.send({ type: 'result', id: command['id'], ...pay(command as never) });
    }
    const { counts } = await settled(hub, answer);
    expect(counts).toEqual({ rejected: 6, succeeded: paid.size, voided: 34 - paid.size });
    expect(paid.size).toBeLessThan(20);
  });

  it('shows its commands, and exports them', async () => {
    const { hub, bridge } = await stage(5);
    answerAll(bridge, purses().pay);
    const answer = await batch(hub, { targets: everybody(5) });
    await settled(hub, answer);
    const path = `/api/v2/batches/${String(answer.body['id'])}/commands`;
    const page = (await hub.request(`${path}?limit=3`)).body as {
      data: { target: string; batchId: string }[];
      pagination: { next: string };
    };
    expect(page.data.map(({ target }) => target)).toEqual(everybody(3));
    const rest = (await hub.request(`${path}?cursor=${page.pagination.next}`)).body as typeof page;
    expect(rest.data.map(({ target }) => target)).toEqual(everybody(5).slice(3));
    expect(rest.data.map(({ batchId }) => batchId)).toEqual([answer.body['id'], answer.body['id']]);
    const csv = await hub.request(`${path}.csv`);
    expect(csv.text.trim().split('\n')).toHaveLength(6);
  });

  it('shows its commands with one status', async () => {
    const { hub, bridge } = await stage(2);
    answerAll(bridge, purses().pay);
    const answer = await batch(hub, { targets: [...everybody(2), 'char1:unknown'] });
    await settled(hub, answer);
    const path = `/api/v2/batches/${String(answer.body['id'])}/commands`;
    const targetsWith = async (status: string) =>
      ((await hub.request(`${path}?status=${status}`)).body as { data: { target: string }[] }).data.map(
        ({ target }) => target,
      );
    expect(await targetsWith('succeeded')).toEqual(everybody(2));
    expect(await targetsWith('rejected')).toEqual(['char1:unknown']);
    expect(await targetsWith('failed')).toEqual([]);
    expect((await hub.request(`${path}?status=paid`)).status).toBe(422);
  });

  it.each([
    ['without a key', { targets: ['char1:p0'] }, '', 422],
    ['of a kick', { name: 'kick', params: { reason: 'x' }, targets: ['char1:p0'] }, undefined, 422],
    ['of nobody', { targets: [] }, undefined, 422],
    ['of 10,001 players', { targets: everybody(10_001) }, undefined, 422],
    ['with a target among its parameters', { params: { ...GIFT.params, target: 'x' }, targets: ['x'] }, undefined, 422],
    ['with an amount of zero', { params: { ...GIFT.params, amount: 0 }, targets: ['x'] }, undefined, 422],
    ['for a server that does not exist', { serverId: 'none', targets: ['x'] }, undefined, 404],
    ['over two megabytes', { label: 'x', targets: ['x'], padding: 'x'.repeat(2_100_000) }, undefined, 413],
  ])('is refused %s', async (_, changes, key, status) => {
    const { hub } = await stage(1);
    const answer = await hub.request('/api/v2/batches', {
      json: { ...GIFT, ...changes },
      headers: key === '' ? {} : { 'Idempotency-Key': 'one' },
    });
    expect(answer.status).toBe(status);
    expect((await hub.request('/api/v2/batches')).body).toMatchObject({ data: [] });
  });

  it('is refused over the smaller bound of its key and its project', async () => {
    const { hub } = await stage(3);
    const made = await hub.request('/api/v2/keys', {
      json: { name: 'events', scopes: ['commands:batch', 'commands:money'], maxBatchTargets: 2, maxBatchTotal: 9 },
    });
    const { id, key } = made.body as { id: string; key: string };
    const send = (changes: object) =>
      hub.request('/api/v2/batches', {
        key,
        json: { ...GIFT, ...changes },
        headers: { 'Idempotency-Key': JSON.stringify(changes).replaceAll(/\W/g, '-') },
      });
    const refusal = (pointer: string, detail: string) => ({ status: 422, body: { errors: [{ pointer, detail }] } });
    const tooMany = refusal('/targets', 'has over 2 players: the API key allows no more in a batch');
    for (const targets of [everybody(3), { online: true }]) {
      expect(await send({ targets, dryRun: true })).toMatchObject(tooMany);
      expect(await send({ targets })).toMatchObject(tooMany);
    }
    const tooMuch = refusal('/params/amount', 'would move 10: the API key allows 9 in a batch');
    expect(await send({ targets: everybody(2) })).toMatchObject(tooMuch);
    expect((await send({ targets: everybody(1) })).status).toBe(202);
    const json = { maxBatchTargets: null, maxBatchTotal: 20 };
    expect((await hub.request(`/api/v2/keys/${id}`, { method: 'PATCH', json })).body).toMatchObject(json);
    await hub.store.projects.update(hub.project.id, { maxBatchTotal: 14 }, Date.now());
    await eventually(async () => (await send({ targets: everybody(3), dryRun: true })).body['errors']).toEqual([
      { pointer: '/params/amount', detail: 'would move 15: the project allows 14 in a batch' },
    ]);
    expect((await send({ targets: everybody(2), label: 'again' })).status).toBe(202);
  });

  it('is refused while five are at work, however close together the requests come', async () => {
    const { hub } = await stage(8);
    const send = (n: number) => batch(hub, { targets: [idOf(n)] }, `at-once-${n}`);
    const answers = await Promise.all(Array.from({ length: 8 }, (_, n) => send(n)));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([202, 202, 202, 202, 202, 429, 429, 429]);
    expect((await send(statuses.indexOf(202))).status).toBe(202);
  });

  it('is refused if the project has no room for its commands, stored or not', async () => {
    const { hub } = await stage(1, () => false);
    await hub.store.projects.update(hub.project.id, { maxWaiting: 1_000 }, Date.now());
    await eventually(async () => (await hub.request('/api/v2/project')).body['maxWaiting']).toBe(1_000);
    const send = () => batch(hub, { targets: everybody(600), deliver: 'when_online' });
    const [first, second] = await Promise.all([send(), send()]);
    expect([first.status, second.status].toSorted()).toEqual([202, 503]);
    expect([first, second].find(({ status }) => status === 503)).toMatchObject({
      body: { code: 'waiting_full', executed: 'no', waiting: { of: 'project', most: 1_000 } },
    });
  });
});
