import { expect, it } from 'vitest';
import { startHub, type TestHub } from '../../kit/hub.ts';
import { answerAll, playerFrame, reportPlayers, welcomeRaw } from '../../kit/raw-bridge.ts';
import { eventually, rewrite } from '../../kit/stage.ts';
import { ANA, come, makeSchedule, openScheduleStage, PARAMS, runsOf } from './schedule-stage.ts';

const [BOB, CID] = ['char1:bob', 'char1:cid'];
const TASK = { name: 'money', params: PARAMS, targets: { job: 'police' }, deliver: 'when_connected' };

/** A game whose journal outlives its connections: it pays once for each id, and counts the payments of each player. */
const openGame = () => {
  const ids = new Set<string>();
  const paid: Record<string, number> = {};
  return {
    paid: (): Record<string, number> => paid,
    /** Comes with all three players, of whom these are police. */
    connect: async (hub: TestHub, token: string, police: readonly string[]): Promise<void> => {
      const bridge = await welcomeRaw(hub.bridgeUrl, token);
      answerAll(bridge, ({ id, params }) => {
        const target = String(params['target']);
        if (!ids.has(id)) paid[target] = (paid[target] ?? 0) + 1;
        ids.add(id);
        return { status: 'done', data: { account: 'bank', before: 0, after: 5 } };
      });
      const jobOf = (id: string) => ({ job: police.includes(id) ? 'police' : 'cook' });
      const players = [ANA, BOB, CID].map((id) => playerFrame(id, { online: id !== BOB, metadata: jobOf(id) }));
      await reportPlayers(hub, bridge, ...players);
    },
  };
};

it.each([
  ['before its players are kept', 'insert into batches', 'before', [BOB, CID]],
  ['after its players are kept', 'insert into batches', 'after', [ANA, BOB]],
  ['before its commands are stored', 'commands.insert', 'before', [ANA, BOB]],
  ['before its end is stored', 'update schedule_runs', 'before', [ANA, BOB]],
] as const)('a hub that dies in a run by job, %s, pays each player once', async (_, statement, when, players) => {
  const { hub } = await openScheduleStage();
  const game = openGame();
  await game.connect(hub, hub.token, [ANA, BOB]);
  await eventually(async () => (await hub.request('/api/v2/players?job=police')).body['data']).toHaveLength(2);
  const id = await makeSchedule(hub, { task: TASK });
  hub.stopAt({ statement, when });
  await come(hub, id);
  await eventually(hub.hasStopped).toBe(true);
  await hub.crash();

  // Ana leaves the police meanwhile, and Cid joins it.
  const next = await startHub({ folder: hub.folder });
  await game.connect(next, hub.token, [BOB, CID]);
  // The next process waits half a minute for whoever began the run.
  await rewrite(next, "UPDATE schedule_runs SET touched_at = 0 WHERE status = 'started'");
  await eventually(() => runsOf(next, id)).toMatchObject([{ status: 'done', error: null }]);
  const [run] = await runsOf(next, id);
  const look = async () => (await next.request(`/api/v2/batches/${run?.made}`)).body;
  await eventually(look).toMatchObject({ status: 'settled', counts: { succeeded: 2 } });
  expect(game.paid()).toEqual(Object.fromEntries(players.map((player) => [player, 1])));
});
