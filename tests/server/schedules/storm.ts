import { expect, onTestFinished, vi } from 'vitest';
import { newFolder } from '../../kit/folder.ts';
import { lentTo, startHub, type TestHub } from '../../kit/hub.ts';
import { playerFrame, reportPlayers, welcomeRaw } from '../../kit/raw-bridge.ts';
import { eventually } from '../../kit/stage.ts';

const ANA = 'char1:ana';
const MINUTE_MS = 60_000;
/** Less than a gap, so that a step alone misses nothing. */
const STEP_MS = 20_000;
const PARAMS = { target: ANA, type: 'bank', amount: 5, action: 'add' };
const TASK = { name: 'money', params: PARAMS, deliver: 'when_connected' };

type Run = { plannedAt: string; status: string; made: string | null };
type Scale = { seed: number; projects: number; schedules: number; minutes: number };

/** Numbers from a seed. */
const dice = (seed: number) => (most: number) => {
  seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
  return (seed >>> 8) % most;
};

/** Makes a project whose server has been connected once. */
const settle = async (hub: TestHub): Promise<void> => {
  const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
  await reportPlayers(hub, bridge, playerFrame(ANA));
  bridge.socket.close();
};

/** The gaps that the hub has logged: one run stands for all planned times in them. */
const gapsIn = (lines: readonly string[]): { from: number; to: number }[] =>
  lines.flatMap((line) => {
    const { msg, from, to } = JSON.parse(line);
    return String(msg).startsWith('no hub looked') ? [{ from: Date.parse(from), to: Date.parse(to) }] : [];
  });

/**
 * Schedules of many projects, each planned for every minute, while the hub is killed, its clock jumps, and projects have
 * no room for commands. Each planned time must have one command, or be told as refused or missed.
 */
export const storm = async ({ seed, projects, schedules, minutes }: Scale): Promise<{ made: number; told: number }> => {
  const roll = dice(seed);
  const rightNow = Date.now.bind(Date);
  let offMs = 0;
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => rightNow() + offMs);
  onTestFinished(() => clock.mockRestore());
  const folder = newFolder();
  const logTo: string[] = [];
  let hub = await startHub({ folder, logTo });
  const keys: { key: string; ids: string[]; projectId: string }[] = [];
  for (let n = 0; n < projects; n += 1) {
    const tenant = await lentTo(hub, `project-${n}`);
    await settle(tenant);
    const ids: string[] = [];
    for (let m = 0; m < schedules; m += 1) {
      const when = { cron: '* * * * *', timeZone: 'UTC' };
      const json = { serverId: 'main', label: 'Salary', task: TASK, when, missed: m % 2 === 0 ? 'skip' : 'run_once' };
      ids.push(String((await tenant.request('/api/v2/schedules', { json })).body['id']));
    }
    keys.push({ key: tenant.key, ids, projectId: tenant.project.id });
  }
  const from = Math.ceil(Date.now() / MINUTE_MS) * MINUTE_MS;
  const to = from + (minutes - 1) * MINUTE_MS;
  const look = async (): Promise<void> => {
    const at = Date.now();
    const isOver = async (): Promise<number> => (await hub.store.schedules.due(at, 1)).length;
    await eventually(isOver).toBe(0);
  };
  while (Date.now() <= to + MINUTE_MS) {
    // A jump over a minute is a gap; the clock is set right again, and its time passes once more.
    const event = roll(10);
    if (event === 0) {
      offMs += 3 * MINUTE_MS;
      await look();
      offMs -= 3 * MINUTE_MS;
    } else if (event <= 2) {
      await hub.crash();
      hub = await startHub({ folder, logTo });
    } else if (event <= 4) {
      const full = keys[roll(projects)];
      if (full !== undefined)
        await hub.store.projects.update(full.projectId, { maxWaiting: roll(2) * 50_000 }, Date.now());
    }
    offMs += STEP_MS;
    await look();
  }
  for (const { projectId } of keys) await hub.store.projects.update(projectId, { maxWaiting: 50_000 }, Date.now());
  // Runs that were refused for the moment are tried again after a minute at most.
  for (let n = 0; n < 6; n += 1) {
    offMs += STEP_MS;
    await look();
  }
  const gaps = gapsIn(logTo);
  let [made, told] = [0, 0];
  for (const { key, ids } of keys) {
    for (const id of ids) {
      const read = async () => (await hub.request(`/api/v2/schedules/${id}/runs`, { key })).body['data'] as Run[];
      await eventually(async () => (await read()).filter(({ status }) => status === 'started')).toEqual([]);
      const runs = new Map((await read()).map((run) => [Date.parse(run.plannedAt), run]));
      const ofCommands = Array.from(runs.values()).flatMap((run) => run.made ?? []);
      expect(new Set(ofCommands).size).toBe(ofCommands.length);
      for (let planned = from; planned <= to; planned += MINUTE_MS) {
        const run = runs.get(planned);
        const isInGap = gaps.some((gap) => gap.from < planned && planned <= gap.to);
        expect({ id, planned, isTold: run !== undefined || isInGap }).toEqual({ id, planned, isTold: true });
        if (run?.status === 'done') made += 1;
        else told += 1;
      }
    }
    const { body } = await hub.request('/api/v2/project', { key });
    const commands = body['commands'] as { waiting: number };
    const all = await Promise.all(
      ids.map(async (id) => (await hub.request(`/api/v2/schedules/${id}/runs`, { key })).body['data'] as Run[]),
    );
    // No command but those of the runs, and none twice.
    expect(commands.waiting).toBe(all.flat().filter((run) => run.made !== null).length);
  }
  return { made, told };
};
