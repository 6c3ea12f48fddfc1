import { describe, expect, it } from 'vitest';
import { batchOf } from '../../kit/batch-rows.ts';
import { commandOf } from '../../kit/databases.ts';
import { startHub } from '../../kit/hub.ts';
import { eventually } from '../../kit/stage.ts';

const WAITING = 450;
const BATCH = 'bat_large';

/** A hub with a batch whose commands wait, each with so much text. */
const stage = async (text: number, more: Partial<ReturnType<typeof commandOf>> = {}) => {
  const hub = await startHub();
  const { project, store } = hub;
  const projectId = project.id;
  const inAnHour = Date.now() + 3_600_000;
  await store.batches.insert(batchOf(BATCH, { projectId, total: WAITING, written: WAITING, touchedAt: inAnHour }));
  const rows = Array.from({ length: WAITING }, (_, n) =>
    commandOf(`cmd_${n}`, {
      projectId,
      serverId: 'main',
      status: 'waiting',
      target: `char1:p${n}`,
      params: { text: 'x'.repeat(text) },
      deliver: 'when_online',
      deliverUntil: inAnHour,
      expiresAt: inAnHour,
      round: 0,
      batchId: BATCH,
      ...more,
    }),
  );
  for (const row of rows) await store.commands.insert(row, { durable: false });
  const counts = async () => (await hub.request(`/api/v2/batches/${BATCH}`)).body['counts'];
  await eventually(counts).toEqual({ waiting: WAITING });
  return { hub, counts };
};

describe('many waiting commands', () => {
  it('are shown in pages of about two megabytes, each command once', async () => {
    const { hub } = await stage(40_000);
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const path = `/api/v2/batches/${BATCH}/commands?limit=200${cursor === '' ? '' : `&cursor=${cursor}`}`;
      const { text, body } = await hub.request(path);
      expect(text.length).toBeLessThan(2.5 * 1024 * 1024);
      seen.push(...(body['data'] as { target: string }[]).map(({ target }) => target));
      cursor = (body['pagination'] as { next: string | null }).next;
    }
    expect(seen).toEqual(Array.from({ length: WAITING }, (_, n) => `char1:p${n}`));
  });

  it('are all taken back with their batch', async () => {
    const { hub, counts } = await stage(10);
    const path = `/api/v2/batches/${BATCH}/void`;
    expect(await hub.request(path, { method: 'POST' })).toMatchObject({
      status: 200,
      body: { counts: { voided: WAITING } },
    });
    expect(await counts()).toEqual({ voided: WAITING });
  });

  it('are all taken back with their server, 100 at a time', async () => {
    const { hub, counts } = await stage(10);
    const { withdrawAll } = hub.store.commands;
    const all = { projectId: hub.project.id, serverId: 'main', createdBefore: Number.MAX_SAFE_INTEGER };
    expect(await withdrawAll({ ...all, error: { code: 'voided', message: 'Gone.' }, at: 1 })).toHaveLength(100);
    await hub.request('/api/v2/servers/main', { method: 'DELETE' });
    await eventually(counts).toEqual({ voided: WAITING });
  });

  // The answer of a request reads a few rows more.
  const [STEP, MORE] = [200, 20];

  it('of a restored backup are asked about with their batch, 200 at a time', async () => {
    const { hub, counts } = await stage(10, { restoredAt: 1 });
    const turn = await hub.largestTurn(() => hub.request(`/api/v2/batches/${BATCH}/void`, { method: 'POST' }));
    expect(turn.rows).toBeLessThanOrEqual(STEP + MORE);
    expect(await counts()).toEqual({ dispatched: WAITING });
  });

  it('of a restored backup are given up with their server, 200 at a time', async () => {
    const { hub, counts } = await stage(10, { restoredAt: 1 });
    const turn = await hub.largestTurn(() => hub.request('/api/v2/servers/main', { method: 'DELETE' }));
    expect(turn.rows).toBeLessThanOrEqual(STEP + MORE);
    await eventually(counts).toEqual({ indeterminate: WAITING });
  });
});
