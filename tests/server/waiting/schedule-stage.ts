import { expect } from 'vitest';
import { startHub, type TestHub } from '../../kit/hub.ts';
import { answerAll, playerFrame, type RawBridge, reportPlayers, welcomeRaw } from '../../kit/raw-bridge.ts';
import { eventually, rewrite } from '../../kit/stage.ts';

export const ANA = 'char1:ana';
export const PARAMS = { type: 'bank', amount: 5, action: 'add' };
export const TASK = { name: 'money', params: { target: ANA, ...PARAMS } };
const HOUR_MS = 3_600_000;
/** Half an hour away from now, so that no time of it comes while a test runs. */
const AFTER_MS = ((new Date().getUTCMinutes() + 30) % 60) * 60_000;
export const HOURLY = { cron: `${AFTER_MS / 60_000} * * * *`, timeZone: 'UTC' };
/** The last time of `HOURLY`. */
export const lastHourly = (): number => Math.floor((Date.now() - AFTER_MS) / HOUR_MS) * HOUR_MS + AFTER_MS;

export const DAILY = { cron: '0 3 * * *', timeZone: 'Europe/Berlin' };

export type Run = { plannedAt: string; status: string; made: string | null; error: { code: string } | null };

/** Makes a schedule, and returns its id. */
export const makeSchedule = async (hub: TestHub, changes: object = {}): Promise<string> => {
  const json = { serverId: 'main', label: 'Salary', task: TASK, when: DAILY, ...changes };
  const made = await hub.request('/api/v2/schedules', { json });
  expect(made).toMatchObject({ status: 201 });
  return String(made.body['id']);
};

export const readSchedule = async (hub: TestHub, id: string) => (await hub.request(`/api/v2/schedules/${id}`)).body;

export const runsOf = async (hub: TestHub, id: unknown): Promise<Run[]> =>
  (await hub.request(`/api/v2/schedules/${String(id)}/runs`)).body['data'] as Run[];

export const statusesOf = async (hub: TestHub, id: unknown): Promise<string[]> =>
  (await runsOf(hub, id)).map(({ status }) => status);

/** Lets the time of a schedule come, and returns it. */
export const come = async (hub: TestHub, id: string, msAgo = 0): Promise<number> => {
  const at = Date.now() - msAgo;
  await rewrite(hub, 'UPDATE schedules SET next_at = ? WHERE id = ?', at, id);
  return at;
};

/** A bridge with Ana, which pays. */
export const connect = async (hub: TestHub, token = hub.token, hello: Record<string, unknown> = {}) => {
  let paid = 0;
  const bridge = await welcomeRaw(hub.bridgeUrl, token, hello);
  answerAll(bridge, () => {
    paid += 1;
    return { status: 'done', data: { account: 'bank', before: 0, after: 5 }, sequence: paid };
  });
  await reportPlayers(hub, bridge, playerFrame(ANA));
  return { bridge, paid: () => paid };
};

/** A hub with a bridge, in which planned times are not missed any more. */
export const openScheduleStage = async (hello: Record<string, unknown> = {}) => {
  const hub = await startHub();
  const connected = await connect(hub, hub.token, hello);
  await eventually(async () => (await hub.store.schedules.looks()).last).toBeGreaterThan(0);
  await eventually(async () => (await hub.store.schedules.looks()).gaps).toEqual([]);
  return { hub, ...connected };
};

/** Closes the bridge, and waits until the hub knows. */
export const leave = async (hub: TestHub, { bridge }: { bridge: RawBridge }): Promise<void> => {
  bridge.socket.close();
  await eventually(async () => (await hub.request('/api/v2/servers/main')).body['connected']).toBe(false);
};
