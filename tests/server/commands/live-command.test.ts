import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CommandRow } from '../../../db/queries/commands/read.ts';
import type { Store } from '../../../db/store.ts';
import { Elsewhere } from '../../../server/commands/elsewhere.ts';
import { LiveCommands } from '../../../server/commands/live.ts';
import { Queues } from '../../../server/commands/queue.ts';
import { startHub } from '../../kit/hub.ts';
import { answerAll, welcomeRaw } from '../../kit/raw-bridge.ts';
import { commandsOf, eventually, PAY, pay, rewrite } from '../../kit/stage.ts';
import { EVENTS, openWalk, openWalkedHub } from '../../model/live/walk.ts';

const DONE = { status: 'done', data: { account: 'bank', before: 0, after: PAY }, sequence: 1 };
/** On a busy machine there are fewer walks. */
const MAX_WALK_MS = 4_000;
const NOTHING = { queued: 0, inFlight: 0, callers: 0, live: 0, lanes: 0 };

describe('a command that is to be sent while a later session of its bridge begins', () => {
  it('keeps its slot, and that session sends it', async () => {
    const hub = await startHub();
    const bridge = await welcomeRaw(hub.bridgeUrl, hub.token, { instance: 'one' });
    // The row of the later session is written; this node has not attached it yet.
    await rewrite(hub, 'UPDATE sessions SET epoch = epoch + 1');
    expect(await pay(hub, { Prefer: 'respond-async' })).toMatchObject({ status: 202 });
    await eventually(() => hub.sizes().queued).toBe(1);
    expect(bridge.frames.filter(({ type }) => type === 'command')).toEqual([]);
    bridge.kill();
    answerAll(await welcomeRaw(hub.bridgeUrl, hub.token, { instance: 'one' }), () => DONE);
    await eventually(() => commandsOf(hub)).toMatchObject([{ status: 'succeeded', attempts: 1 }]);
    await eventually(() => hub.hub.commands.sizes()).toEqual(NOTHING);
  });
});

describe('an insert that is answered late, after the bridge has reconnected', () => {
  /** The next session has the command, and the hub does not know yet that it is stored. */
  const openLate = async () => {
    const hub = await startHub();
    const first = await welcomeRaw(hub.bridgeUrl, hub.token, { instance: 'one' });
    hub.loseAnswer('commands.insert', 4);
    let told: number | undefined;
    void pay(hub).then((answer) => {
      told = answer?.status;
    });
    await eventually(() => commandsOf(hub)).toMatchObject([{ status: 'dispatched' }]);
    first.kill();
    const bridge = await welcomeRaw(hub.bridgeUrl, hub.token, { instance: 'one' });
    const { id } = await bridge.command();
    return { hub, told: () => told, answer: () => bridge.send({ type: 'result', id, ...DONE }) };
  };

  it('tells its caller at once that the command has ended meanwhile', async () => {
    const { hub, told, answer } = await openLate();
    answer();
    await eventually(() => commandsOf(hub)).toMatchObject([{ status: 'succeeded' }]);
    // Its wait of 10 s is not over yet.
    await eventually(told).toBe(200);
    await eventually(() => hub.hub.commands.sizes()).toEqual(NOTHING);
  });

  it('leaves the command the slot that it has in the next session', async () => {
    const { hub, told, answer } = await openLate();
    await eventually(() => hub.hub.commands.sizes().callers).toBe(1);
    expect(hub.hub.commands.sizes()).toEqual({ queued: 0, inFlight: 1, callers: 1, live: 1, lanes: 0 });
    answer();
    await eventually(told).toBe(200);
    await eventually(() => hub.hub.commands.sizes()).toEqual(NOTHING);
  });
});

describe('a command that waits here and has settled at another node', () => {
  it('is forgotten although the message about that was lost', async () => {
    const row = {
      id: 'cmd_1',
      projectId: 'p',
      serverId: 'main',
      name: 'money',
      target: 'x',
      expiresAt: 1,
      round: null,
      undoes: null,
    };
    const settled = { ...row, status: 'succeeded' } as CommandRow;
    const store = { commands: { among: async () => [settled] } } as unknown as Pick<Store, 'commands'>;
    const live = new LiveCommands({ store });
    const queues = new Queues({ live, start: () => undefined, windowOf: () => 0 });
    queues.requeue(live.open(row));
    const told = live.wait(row, 10_000);
    await new Elsewhere({ store, live } as ConstructorParameters<typeof Elsewhere>[0]).watch();
    expect(await told).toBe(settled);
    expect({ ...queues.totals(), ...live.sizes() }).toEqual({ queued: 0, inFlight: 0, callers: 0, live: 0 });
  });
});

describe('the state table', () => {
  it('agrees with a real hub in random sequences of events', async () => {
    const { hub, passDeadlines } = await openWalkedHub();
    const until = performance.now() + MAX_WALK_MS;
    let walks = 0;
    const walkAll = fc.asyncProperty(EVENTS, async (events) => {
      if (performance.now() > until) return;
      walks += 1;
      const walk = openWalk(hub, `walk-${walks}`, passDeadlines);
      for (const event of events) await walk.take(event);
      await walk.end();
    });
    // A walk that fails leaves commands behind, so a shorter one cannot be looked for in this hub.
    await fc.assert(walkAll, { seed: 20_261_123, numRuns: 30, endOnFailure: true });
    expect(walks).toBeGreaterThan(0);
    expect(hub.hub.commands.sizes()).toEqual(NOTHING);
  });
});
