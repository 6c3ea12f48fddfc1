import { customName } from '../../bridge-protocol/wire/commands.ts';
import type { Command } from '../judges/book.ts';
import { Breach, NotTried } from '../judges/findings.ts';
import type { Stage } from '../stage/stage.ts';
import type { Check } from './check.ts';
import { expectJournal } from './crash.ts';

const AT_ONCE = 16;
/** Attempts to kill the bridge between the start and the outcome of a command. */
const TRIES = 3;

const custom = ({ cast, command }: Stage): Command => {
  const { name, params } = { name: '', params: {}, ...cast.custom };
  return command(customName(name), params);
};

/** A command that already fails without a crash proves nothing after one. */
const expectDone = async (stage: Stage): Promise<void> => {
  const { status, error } = await stage.carryOut(custom(stage));
  if (status === 'done') return;
  throw new NotTried(`${stage.cast.custom?.name} ended as ${status} ${error?.code ?? ''}`.trim());
};

/** Kills the bridge after the nth result; returns whether that interrupted a command. */
const crash = async (stage: Stage, nth: number): Promise<boolean> => {
  const { deliver, book, until, restart, next, waits, result, synced, acknowledge, cast } = stage;
  const line = stage.line();
  const commands = Array.from({ length: AT_ONCE }, () => deliver(custom(stage)));
  const results = () => commands.filter(({ id }) => (book.get(id)?.results.length ?? 0) > 0).length;
  await until(() => (results() >= nth ? true : undefined), { expected: `${nth} results`, on: line });
  const done = book.anyDone();
  await restart();
  await next(line, { expected: 'the bridge to dial in again after it was started', withinMs: waits.dialInMs });
  await expectJournal(stage, done);
  await synced(stage.line());
  for (const command of commands) deliver({ ...command, attempt: 2 });
  const ended = await Promise.all(commands.map(({ id }) => result(id)));
  acknowledge();
  const failed = ended.filter(({ status }) => status === 'failed').length;
  if (failed > 0) {
    const saw = `${failed} of ${AT_ONCE} ${cast.custom?.name} were failed after a crash, which no transaction covers`;
    throw new Breach({ rule: 'R38', saw });
  }
  return ended.some(({ status }) => status === 'indeterminate');
};

/** Custom commands around a crash; no journal class covers their effects. */
export const CUSTOM_CRASH_CHECKS: readonly Check[] = [
  {
    rules: ['R38'],
    name: 'does not call a custom command failed that a crash cut off',
    needs: ['custom', 'run'],
    withinMs: 300_000,
    run: async (stage) => {
      await expectDone(stage);
      for (let nth = 1; nth <= TRIES; nth += 1) if (await crash(stage, nth)) return;
      throw new NotTried('no custom command was caught between its start and its outcome; try again');
    },
  },
];
