import { Breach } from '../judges/findings.ts';
import type { Check } from './check.ts';

/** Fields that the protocol does not define. */
const UNKNOWN = { 'x-verify': { nested: [1, { deeper: null }] }, later: 'unknown' };

/** Checks that need only a connection. */
export const SESSION_CHECKS: readonly Check[] = [
  {
    rules: ['R9', 'R12'],
    name: 'says hello and waits for its welcome',
    run: async ({ hub, waits, until, happens, findings }) => {
      const expected = 'hello as the first frame';
      await until(hub.hello, { expected, withinMs: waits.helloMs + waits.graceMs });
      await happens(() => (hub.waiting() === undefined ? true : undefined), waits.heldMs);
      findings.kept('R12');
      hub.manner.holdsWelcome = false;
      const line = hub.waiting();
      if (line !== undefined) hub.welcome(line);
      const stays = { rule: 'R19', expected: 'a connection that stays until it is welcomed' } as const;
      await until(hub.session, { ...stays, withinMs: waits.comeBackMs });
    },
  },
  {
    rules: ['R19', 'R20'],
    name: 'sends all players after welcome',
    run: async ({ line, synced }) => {
      await synced(line());
    },
  },
  {
    rules: ['R23'],
    name: 'sends its status after welcome',
    run: async ({ line, hears }) => {
      await hears(line(), 'status', () => true, { expected: 'a status after welcome', since: 0 });
    },
  },
  {
    rules: ['R16'],
    shows: ['R4'],
    name: 'answers three pings at once',
    run: async ({ line, hub, ask, barrier, waits }) => {
      for (const n of [0, 7_000_001, Number.MAX_SAFE_INTEGER]) {
        const frame = { type: 'ping', n, now: hub.now() };
        await ask(frame, 'pong', (pong) => pong.n === n, {
          expected: `a pong with n ${n}`,
          withinMs: waits.atOnceMs,
        });
      }
      await Promise.all([barrier(line()), barrier(line()), barrier(line())]);
    },
  },
  {
    rules: ['R5'],
    name: 'ignores unknown fields of a ping',
    run: async ({ hub, ask }) => {
      const frame = { ...UNKNOWN, type: 'ping', n: 4_242, now: hub.now() };
      await ask(frame, 'pong', ({ n }) => n === 4_242, { expected: 'a pong for a ping with unknown fields' });
    },
  },
  {
    rules: ['R6'],
    name: 'answers an unknown type with error unsupported',
    run: async ({ ask, barrier, line }) => {
      const expected = 'error with the code unsupported for a frame of an unknown type';
      const frame = { type: 'verify.unknown', id: 'x' };
      await ask(frame, 'error', ({ code }) => code === 'unsupported', { expected });
      await barrier(line(), 'R6');
    },
  },
  {
    rules: ['R7'],
    name: 'leaves errors unanswered',
    run: async ({ line, barrier, happens, waits }) => {
      const on = line();
      const since = on.frames.length;
      on.send({ type: 'error', re: 'pong', code: 'invalid_message', message: 'A complaint of verify.' });
      on.send({ type: 'error', code: 'a_code_of_tomorrow', message: 'Another one.', ...UNKNOWN });
      on.send({ type: 'error' });
      await barrier(on);
      const answer = () => on.frames.slice(since).find(({ message }) => message?.type === 'error');
      const frame = await happens(answer, Math.min(waits.answerMs, 100));
      if (frame !== undefined) throw new Breach({ expected: 'no answer to an error', saw: frame.text });
    },
  },
  {
    rules: ['R19', 'R20'],
    name: 'sends all players again after a resync',
    run: async ({ line, hub, until, waits }) => {
      const on = line();
      const before = hub.snapshots(on);
      on.send({ type: 'players.resync' });
      await until(() => (hub.snapshots(on) > before ? true : undefined), {
        expected: 'a complete snapshot after players.resync',
        withinMs: waits.snapshotMs,
        on,
      });
    },
  },
  {
    rules: ['R52'],
    name: 'reads one player, and answers with an error for one that it does not know',
    run: async ({ cast, read }) => {
      const unknown = await read('verify:nobody');
      if (unknown.error === undefined) {
        throw new Breach({ expected: 'an error for an unknown player', saw: JSON.stringify(unknown) });
      }
      if (cast.target === undefined) return;
      const known = await read(cast.target);
      if (known.player?.identifier === cast.target || known.error?.code === 'unsupported') return;
      throw new Breach({ expected: `the record of ${cast.target}`, saw: JSON.stringify(known) });
    },
  },
];
