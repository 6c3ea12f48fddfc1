import { type CommandName, commandTag } from '../../bridge-protocol/wire/commands.ts';
import type { JournalClass } from '../../bridge-protocol/wire/messages.ts';
import type { Command, Result } from '../judges/book.ts';
import { Breach, NotTried } from '../judges/findings.ts';
import type { Line } from '../line/line.ts';
import type { GoodsName } from '../stage/goods.ts';
import type { Stage } from '../stage/stage.ts';
import type { Tally } from '../stage/tally.ts';
import type { Check } from './check.ts';
import { expectResent } from './reconnect.ts';

const AT_ONCE = 16;
/** Attempts to kill the bridge between the start and the outcome of a command. */
const TRIES = 3;

type Moment = (stage: Stage, commands: readonly Command[], line: Line) => Promise<unknown>;

const answered = (wanted: 'answers' | 'results', count: number): Moment => {
  return ({ until, book }, commands, on) => {
    const isSo = ({ id }: Command): boolean => {
      const entry = book.get(id);
      return (wanted === 'answers' ? (entry?.answers ?? 0) : (entry?.results.length ?? 0)) > 0;
    };
    const look = () => (commands.filter(isSo).length >= count ? true : undefined);
    return until(look, { expected: `${count} of ${commands.length} commands answered`, on, withinMs: 20_000 });
  };
};

/**
 * The restarted bridge must have the same journal; a volatile journal may end with its process. A new journal id breaks
 * R40, unless the bridge has forgotten earlier `done` results: then a new id is correct.
 */
export const expectJournal = async (stage: Stage, done: string | undefined): Promise<void> => {
  const { hub, book, result, line } = stage;
  const [before, after] = [hub.earlierHello()?.journal, hub.hello()?.journal];
  if (before === undefined || after === undefined || before.id === after.id) return;
  if (after.class === 'volatile') throw new NotTried('the journal is volatile and ended with its process');
  const isNew = `journal.id was ${before.id} before a crash and ${after.id} after it`;
  if (done === undefined) throw new Breach({ rule: 'R40', saw: isNew });
  book.sent(done, {});
  line().send({ type: 'void', id: done });
  const { status } = await result(done);
  if (status !== 'voided') throw new Breach({ rule: 'R40', saw: `${isNew}, though the journal knows older ids` });
  throw new Breach({ rule: 'R39', saw: `${isNew}, and an id that was done before is not known any more` });
};

const expectSequence = ({ hub, book }: Stage): void => {
  const [highest, { sequence } = { sequence: 0 }] = [book.highest() ?? 0, hub.hello()?.journal];
  if (sequence >= highest) return;
  const expected = `a sequence in hello of at least ${highest}, which a result had named before the crash`;
  throw new Breach({ rule: 'R41', expected, saw: `${sequence}` });
};

/** The bridge must report the same outcome after the crash as before it. */
const expectUnchanged = ({ book }: Stage, told: readonly string[]): void => {
  for (const id of told) {
    const results = book.get(id)?.results ?? [];
    const [first, last] = [results[0], results.at(-1)];
    if (first?.status === last?.status) continue;
    const expected = `${JSON.stringify(first)} again after a crash`;
    throw new Breach({ rule: 'R35', expected, saw: JSON.stringify(last) });
  }
};

/** The class that the bridge declares for the effects of a command. */
const classOf = ({ hub }: Stage, name: CommandName): JournalClass | undefined => {
  const hello = hub.hello();
  return hello?.classes?.[commandTag(name)] ?? hello?.journal.class;
};

const judge = (
  stage: Stage,
  name: CommandName,
  results: readonly Result[],
): { least: number; most: number; denied: number } => {
  const { findings } = stage;
  const count = (...wanted: Result['status'][]) => results.filter(({ status }) => wanted.includes(status)).length;
  const isAtomic = classOf(stage, name) === 'atomic';
  const unknown = results.find(({ status }) => status === 'indeterminate');
  if (isAtomic && unknown !== undefined) {
    const expected = 'failed for what an atomic journal finds started';
    throw new Breach({ rule: 'R38', expected, saw: JSON.stringify(unknown) });
  }
  if (count('failed', 'indeterminate') > 0) findings.kept('R38');
  const denied = count('failed', 'rejected', 'voided');
  return { least: count('done'), most: count('done', 'indeterminate'), denied };
};

/** Kills the bridge during commands, restarts it, delivers all commands again, and counts their effects. */
const crash = async (stage: Stage, moment: Moment, of: Tally = stage.bank): Promise<void> => {
  const { moves, deliver, result, restart, next, synced, book, waits, acknowledge } = stage;
  const what = `${AT_ONCE} commands around a crash`;
  await moves({ rule: 'R34', lost: 'R42', what, units: AT_ONCE, of }, async () => {
    const line = stage.line();
    const commands = Array.from({ length: AT_ONCE }, () => deliver(of.order()));
    await moment(stage, commands, line);
    const done = book.anyDone();
    await restart();
    const told = commands.flatMap(({ id }) => ((book.get(id)?.results.length ?? 0) > 0 ? [id] : []));
    await next(line, { expected: 'the bridge to dial in again after it was started', withinMs: waits.dialInMs });
    await expectJournal(stage, done);
    expectSequence(stage);
    await synced(stage.line());
    expectResent(stage.line(), told, 'R35');
    expectUnchanged(stage, told);
    for (const command of commands) deliver({ ...command, attempt: 2 });
    const results = await Promise.all(commands.map(({ id }) => result(id)));
    const effects = judge(stage, of.name, results);
    acknowledge();
    return effects;
  });
};

/** A volatile effect may be undone by a crash, so that counting it proves nothing. */
const crashWith = async (stage: Stage, name: GoodsName): Promise<void> => {
  if (classOf(stage, name) === 'volatile') {
    throw new NotTried(`${commandTag(name)} is volatile: a crash may undo what was done`);
  }
  await crash(stage, answered('results', 1), await stage.shelf.tally(name));
};

const crashOf = (name: GoodsName): Check => ({
  rules: ['R34', 'R24'],
  shows: ['R32', 'R38', 'R42'],
  name: `runs no command of ${name} twice when it is killed in the middle`,
  needs: [name, 'run'],
  withinMs: 150_000,
  run: (stage) => crashWith(stage, name),
});

/** Checks of the state after a killed process. */
export const CRASH_CHECKS: readonly Check[] = [
  {
    rules: ['R34', 'R10', 'R40', 'R41'],
    name: 'runs nothing twice when it is killed with commands on the way',
    needs: ['money', 'run'],
    withinMs: 150_000,
    run: (stage) => crash(stage, (_stage, _commands, line) => line.flushed()),
  },
  {
    rules: ['R34', 'R24'],
    shows: ['R38', 'R42'],
    name: 'runs nothing twice when it is killed in the middle',
    needs: ['money', 'run'],
    withinMs: 300_000,
    run: async (stage) => {
      for (let nth = 0; nth < TRIES && !stage.findings.isKept('R38'); nth += 1) {
        await crash(stage, answered('results', 1 + nth));
      }
      if (!stage.findings.isKept('R38')) {
        const why = 'no command was caught between its start and its outcome; try again';
        stage.findings.skipped('R38', { check: 'killed in the middle', why });
      }
    },
  },
  {
    rules: ['R35', 'R13', 'R39', 'R40'],
    name: 'has every result in its journal when it is killed before the ack',
    needs: ['money', 'run'],
    withinMs: 150_000,
    run: (stage) => crash(stage, answered('results', AT_ONCE)),
  },
  crashOf('items'),
  crashOf('vehicles'),
  {
    rules: ['R30'],
    name: 'remembers a void when it is killed after the answer',
    needs: ['money', 'run'],
    withinMs: 150_000,
    run: async (stage) => {
      const { money, target, moves, book, result, restart, next, carryOut, waits, acknowledge } = stage;
      await moves({ rule: 'R30', what: 'a command that was voided before a crash', units: 1 }, async () => {
        const line = stage.line();
        const command = money(target());
        book.sent(command.id, {});
        line.send({ type: 'void', id: command.id });
        await result(command.id);
        const done = book.anyDone();
        await restart();
        await next(line, { withinMs: waits.dialInMs });
        await expectJournal(stage, done);
        const { status } = await carryOut(command);
        if (status !== 'voided') throw new Breach({ rule: 'R30', expected: 'voided again after a crash', saw: status });
        acknowledge();
        return { least: 0, most: 0 };
      });
    },
  },
];
