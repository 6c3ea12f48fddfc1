import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { startHub, type TestHub } from '../../kit/hub.ts';
import { onPostgres } from '../../kit/hub-database.ts';
import { answerAll, playerFrame, welcomeRaw } from '../../kit/raw-bridge.ts';
import { backUp, restoreBackup, rewriteBackup } from '../../kit/restore-hub.ts';
import { eventually, listen, rewrite } from '../../kit/stage.ts';
import {
  ANA,
  come,
  connect,
  HOURLY,
  lastHourly,
  makeSchedule,
  openScheduleStage,
  PARAMS,
  runsOf,
  statusesOf,
  TASK,
} from './schedule-stage.ts';

const HOUR_MS = 3_600_000;
const OFFLINE = { status: 'started', error: { code: 'bridge_offline' } };

/** Lets the hub be away for some hours, in which the schedule had some times. */
const miss = async (hub: TestHub, id: string): Promise<void> => {
  await rewrite(hub, 'UPDATE schedules SET next_at = ? WHERE id = ?', lastHourly() - 5 * HOUR_MS, id);
  await rewrite(hub, "UPDATE schedule_looks SET at = ? WHERE id = 'last'", lastHourly() - 6 * HOUR_MS);
};

describe('a run of a restarted hub whose bridges are not back yet', () => {
  it('is made when they are', async () => {
    const { hub } = await openScheduleStage();
    const id = await makeSchedule(hub);
    await hub.crash();
    const next = await startHub({ folder: hub.folder });
    const at = await come(next, id);
    await eventually(() => runsOf(next, id)).toMatchObject([OFFLINE]);
    const { paid } = await connect(next, hub.token);
    await eventually(() => runsOf(next, id)).toMatchObject([{ status: 'done', error: null }]);
    await eventually(paid).toBe(1);
    expect((await runsOf(next, id))[0]?.plannedAt).toBe(new Date(at).toISOString());
  });

  it.each([
    ['who are online', { online: true }],
    // Players whom the hub knows now may be those of a backup.
    ['with a job', { job: 'police' }],
  ])('is made when they have reported their players, if it is for all %s', async (_, targets) => {
    const { hub } = await openScheduleStage();
    const id = await makeSchedule(hub, { task: { name: 'money', params: PARAMS, targets } });
    await hub.crash();
    const next = await startHub({ folder: hub.folder });
    await come(next, id);
    await eventually(() => runsOf(next, id)).toMatchObject([OFFLINE]);
    const bridge = await welcomeRaw(next.bridgeUrl, hub.token);
    await rewrite(next, 'UPDATE schedule_runs SET touched_at = 0, error = null');
    await eventually(() => runsOf(next, id)).toMatchObject([OFFLINE]);
    let paid = 0;
    answerAll(bridge, () => {
      paid += 1;
      return { status: 'done', data: { account: 'bank', before: 0, after: 5 } };
    });
    const players = [playerFrame(ANA, { metadata: { job: 'police' } })];
    bridge.send({ type: 'players.snapshot', revision: 1, part: 0, last: true, players });
    await eventually(() => statusesOf(next, id)).toEqual(['done']);
    await eventually(() => paid).toBe(1);
  });

  it('is made without them for a job after a minute, with the players whom the hub knows', async () => {
    const { hub, bridge } = await openScheduleStage();
    const police = playerFrame('char1:bob', { metadata: { job: 'police' } });
    bridge.send({ type: 'players.changed', revision: 2, offline: [], removed: [], players: [police] });
    await eventually(async () => (await hub.request('/api/v2/players?job=police')).body['data']).toHaveLength(1);
    const task = { name: 'money', params: PARAMS, targets: { job: 'police' } };
    const id = await makeSchedule(hub, { task });
    await hub.crash();
    const next = await startHub({ folder: hub.folder });
    await come(next, id);
    await eventually(() => runsOf(next, id)).toMatchObject([OFFLINE]);
    const rightNow = performance.now.bind(performance);
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => rightNow() + 61_000);
    onTestFinished(() => clock.mockRestore());
    await rewrite(next, "UPDATE schedule_runs SET touched_at = 0 WHERE status = 'started'");
    await eventually(() => runsOf(next, id)).toMatchObject([{ status: 'done', error: null }]);
    const [run] = await runsOf(next, id);
    expect((await next.request(`/api/v2/batches/${run?.made}`)).body).toMatchObject({ total: 1 });
  });

  it('is made when they are, although its time was hours ago', async () => {
    const { hub } = await openScheduleStage();
    const id = await makeSchedule(hub, { when: HOURLY, missed: 'run_once' });
    await hub.crash();
    await miss(hub, id);
    const second = await startHub({ folder: hub.folder });
    await eventually(() => runsOf(second, id)).toMatchObject([OFFLINE]);
    // The second hub is restarted before they come.
    await second.crash();
    const next = await startHub({ folder: hub.folder });
    await rewrite(next, 'UPDATE schedule_runs SET touched_at = 0');
    const { paid } = await connect(next, hub.token);
    await eventually(() => statusesOf(next, id)).toEqual(['done']);
    await eventually(paid).toBe(1);
  });

  it('is refused if they do not come within a minute', async () => {
    const { hub } = await openScheduleStage();
    const id = await makeSchedule(hub, { when: HOURLY, missed: 'run_once' });
    await hub.crash();
    await miss(hub, id);
    const next = await startHub({ folder: hub.folder });
    const events = await listen(next, 'schedule.refused');
    await eventually(() => runsOf(next, id)).toMatchObject([OFFLINE]);
    const rightNow = performance.now.bind(performance);
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => rightNow() + 61_000);
    onTestFinished(() => clock.mockRestore());
    await eventually(() => runsOf(next, id)).toMatchObject([{ ...OFFLINE, status: 'refused' }]);
    await eventually(events).toMatchObject([{ id, code: 'bridge_offline' }]);
  });

  it('is made when the game server has announced its command', async () => {
    const custom = { name: 'greet', params: { type: 'object', properties: { to: { type: 'string' } } } };
    const { hub, bridge: first } = await openScheduleStage();
    first.send({ type: 'commands.custom', commands: [custom] });
    await eventually(async () => (await hub.request('/api/v2/bridge/main/actions')).text).toContain('greet');
    const id = await makeSchedule(hub, { task: { name: 'custom:greet', params: { to: 'Ana' } } });
    await hub.crash();
    const next = await startHub({ folder: hub.folder });
    const bridge = await welcomeRaw(next.bridgeUrl, hub.token);
    answerAll(bridge, () => ({ status: 'done', data: {} }));
    bridge.send({ type: 'commands.custom', commands: [] });
    await come(next, id);
    await eventually(() => runsOf(next, id)).toMatchObject([
      { status: 'started', error: { code: 'commands_not_known_yet' } },
    ]);
    bridge.send({ type: 'commands.custom', commands: [custom] });
    await eventually(() => statusesOf(next, id)).toEqual(['done']);
  });
});

describe.skipIf(onPostgres)('a run that a restored hub does not make', () => {
  it.each([
    ['missed', 'skip', TASK],
    ['refused', 'run_once', { ...TASK, expiresInSeconds: 60 }],
  ])('is told as one that may have been made: %s', async (status, missed, task) => {
    const { hub } = await openScheduleStage();
    const id = await makeSchedule(hub, { when: HOURLY, missed, task });
    await backUp(hub);
    rewriteBackup(hub, 'UPDATE schedules SET next_at = ?', lastHourly() - 5 * HOUR_MS);
    rewriteBackup(hub, "UPDATE schedule_looks SET at = ? WHERE id = 'last'", lastHourly() - 6 * HOUR_MS);
    await restoreBackup(hub);
    const logTo: string[] = [];
    const next = await startHub({ folder: hub.folder, logTo });
    const error = { code: 'restored', message: expect.stringMatching(/may have been made/) };
    await eventually(() => runsOf(next, id)).toMatchObject([{ status, error }]);
    expect(logTo.join('')).not.toContain('did not happen');
    expect(logTo.join('')).toContain('a planned run is not known to have happened');
    // Runs planned after the restore are known.
    await come(next, id);
    const later = async () => (await runsOf(next, id))[0];
    await eventually(later).not.toMatchObject({ error: { code: 'restored' } });
  });
});

it('a schedule for a time that has passed is refused with a hint, if a restored hub may have forgotten it', async () => {
  const { hub } = await openScheduleStage();
  const create = async (key?: string) => {
    const json = { serverId: 'main', label: 'Race', task: TASK, when: { at: new Date(Date.now() - 1).toISOString() } };
    const headers: Record<string, string> = key === undefined ? {} : { 'Idempotency-Key': key };
    const { status, body } = await hub.request('/api/v2/schedules', { json, headers });
    expect(status).toBe(422);
    return JSON.stringify(body['errors']);
  };
  expect(await create('race')).not.toContain('restored');
  await hub.store.commands.markRestored(Date.now());
  expect(await create()).not.toContain('restored');
  expect(await create('race')).toContain('look in the game');
});
