import { describe, it, type TestContext } from 'vitest';
import { openDatabase } from '../../../db/open.ts';
import { createStore, type Store } from '../../../db/store.ts';
import { addProject } from '../../../server/admin/projects.ts';
import { batchOf, scheduleOf } from '../../kit/batch-rows.ts';
import { openWorkplace, SLOW } from '../../kit/cli.ts';
import { commandOf } from '../../kit/databases.ts';

const BATCH = 'bat_1kbs8n55r000kd2z7c9t1wbe';
const SCHEDULE = 'sch_1kbs8n55r000kd2z7c9t1wbf';
const OF_VICE = ['--project', 'vice'];
const durable = { durable: true };

/** A place with the project `vice`, and what `fill` stores in it. */
const openVice = async (
  { onTestFinished }: TestContext,
  fill: (store: Store, projectId: string) => Promise<unknown>,
) => {
  const place = openWorkplace(onTestFinished);
  const database = await openDatabase({ url: `file:${place.file}` });
  await database.migrate();
  const store = createStore(database);
  const project = await addProject(store, { slug: 'vice', name: 'Vice RP', rateLimit: 100 });
  await fill(store, project?.id ?? '');
  await database.close();
  return place;
};

describe.concurrent('the command line manages', SLOW, () => {
  it('batches: a void takes back what waits, and nothing else', async (context) => {
    const { expect } = context;
    const { verb, json } = await openVice(context, async (store, projectId) => {
      await store.batches.insert(batchOf(BATCH, { projectId }));
      await store.batches.insert(batchOf('bat_0', { projectId, status: 'settled', createdAt: 1 }));
      for (const status of ['waiting', 'dispatched', 'succeeded'] as const) {
        await store.commands.insert(commandOf(`cmd_${status}`, { projectId, status, batchId: BATCH }), durable);
      }
    });
    const counts = { dispatched: 1, succeeded: 1, waiting: 1 };
    expect(await json('batch', 'list', ...OF_VICE)).toMatchObject({
      data: [{ id: BATCH, label: 'Christmas', status: 'running', counts }, { id: 'bat_0' }],
    });
    expect((await verb(['batch', 'list', ...OF_VICE])).stdout).toContain('1 succeeded');
    const stdout = `1 commands of the batch ${BATCH} are taken back. Those that have left go on.\n`;
    expect(await verb(['batch', 'void', BATCH, ...OF_VICE])).toEqual({ code: 0, stdout, stderr: '' });
    expect(await json('batch', 'show', BATCH, ...OF_VICE)).toMatchObject({
      endedBy: 'voided',
      counts: { dispatched: 1, succeeded: 1, voided: 1 },
    });
    const ended = { code: 1, stdout: '', stderr: 'causeway: the batch bat_0 has ended\n' };
    expect(await verb(['batch', 'void', 'bat_0', ...OF_VICE])).toEqual(ended);
    const unknown = { code: 1, stdout: '', stderr: 'causeway: project "vice" has no batch bat_x\n' };
    expect(await verb(['batch', 'void', 'bat_x', ...OF_VICE])).toEqual(unknown);
  });

  it('schedules: a resumed one goes on from its next time', async (context) => {
    const { expect } = context;
    const { verb, json } = await openVice(context, (store, projectId) =>
      store.schedules.create(scheduleOf(SCHEDULE, { projectId, paused: true, pausedBy: 'the key is gone' })),
    );
    const only = async () => (await json<{ data: { next: string | null }[] }>('schedule', 'list', ...OF_VICE)).data[0];
    expect(await only()).toMatchObject({ paused: true, pausedBy: 'the key is gone', next: null });
    const say = async (action: string) => (await verb(['schedule', action, SCHEDULE, ...OF_VICE])).stdout;
    expect(await say('resume')).toBe(`The schedule ${SCHEDULE} runs again.\n`);
    const resumed = await only();
    expect(resumed).toMatchObject({ paused: false, pausedBy: null });
    expect(Date.parse(resumed?.next ?? '')).toBeGreaterThan(Date.now());
    expect(await say('pause')).toBe(`The schedule ${SCHEDULE} is paused.\n`);
    expect(await only()).toMatchObject({ paused: true, next: null });
    expect((await verb(['schedule', 'list', ...OF_VICE])).stdout).toMatch(/Race +main +announce +0 18 \* \* 5 \(UTC\)/);
    expect(await say('delete')).toBe('The schedule "Race" is deleted.\n');
    expect(await json('schedule', 'list', ...OF_VICE)).toEqual({ data: [] });
    const unknown = { code: 1, stdout: '', stderr: `causeway: project "vice" has no schedule ${SCHEDULE}\n` };
    expect(await verb(['schedule', 'pause', SCHEDULE, ...OF_VICE])).toEqual(unknown);
  });
});
