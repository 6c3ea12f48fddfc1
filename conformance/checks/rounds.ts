import type { Command, Result } from '../judges/book.ts';
import { Breach, NotTried } from '../judges/findings.ts';
import { endedAs } from '../stage/goods.ts';
import type { Stage } from '../stage/stage.ts';
import type { Tally } from '../stage/tally.ts';
import type { Check } from './check.ts';
import { expectJournal } from './crash.ts';
import { NOBODY } from './refusals.ts';

/** Two rounds of a command that waits; one id is the beginning of the other. */
const [EARLIER, LATER] = [1, 10];

/** A round has an id of its own; name, parameters and fingerprint stay. */
const roundOf = (command: Command, round: number): Command => ({ ...command, id: `${command.id}.${round}` });

/** Ends a round without an effect before it comes. */
const takesBack = async ({ book, line, result }: Stage, { id }: Command): Promise<void> => {
  book.sent(id, {});
  line().send({ type: 'void', id });
  const { status } = await result(id, { rule: 'R30' });
  if (status !== 'voided') throw new Breach({ rule: 'R30', expected: `voided for the round ${id}`, saw: status });
};

const isVoided = async ({ carryOut }: Stage, round: Command): Promise<void> => {
  const { status } = await carryOut(round);
  if (status !== 'voided')
    throw new Breach({ rule: 'R30', expected: 'voided again for an earlier round', saw: status });
};

/** Runs a later round; the rounds before it ended without an effect. */
const carriesOut = async ({ carryOut }: Stage, round: Command, earlier: Command): Promise<Result> => {
  const result = await carryOut(round);
  if (result.status === 'done') return result;
  const isAlike = result.status === 'voided' || result.error?.code === 'fingerprint_mismatch';
  if (!isAlike) throw new NotTried(endedAs(round, result));
  const saw = `${round.id} was ${result.error?.code ?? result.status}, after ${earlier.id} had been voided`;
  throw new Breach({ rule: 'R57', saw });
};

/** The earlier round is voided, and the later one carried out and asked about, also after its `ack`. */
const keepsRoundsApart = async (stage: Stage, of: Tally): Promise<void> => {
  const { moves, carryOut, acknowledge } = stage;
  await moves({ rule: 'R24', what: 'one round, delivered three times,', units: 2, of }, async () => {
    const order = of.order();
    const [earlier, later] = [roundOf(order, EARLIER), roundOf(order, LATER)];
    await takesBack(stage, earlier);
    await isVoided(stage, earlier);
    await carriesOut(stage, later, earlier);
    await carryOut({ ...later, attempt: 2 });
    acknowledge();
    await carryOut({ ...later, attempt: 3 });
    await carryOut({ ...earlier, attempt: 2 });
    acknowledge();
    return { least: 1, most: 1 };
  });
};

const survivesCrash = async (stage: Stage): Promise<void> => {
  const { moves, carryOut, restart, next, waits, acknowledge } = stage;
  await moves({ rule: 'R24', what: 'two rounds around a crash', units: 2 }, async () => {
    const line = stage.line();
    const [order, other] = [stage.bank.order(), stage.bank.order()];
    const [earlier, later] = [roundOf(order, EARLIER), roundOf(order, LATER)];
    await takesBack(stage, earlier);
    const paid = roundOf(other, EARLIER);
    const result = await carryOut(paid);
    if (result.status !== 'done') throw new NotTried(endedAs(paid, result));
    await restart();
    await next(line, { expected: 'the bridge to dial in again after it was started', withinMs: waits.dialInMs });
    await expectJournal(stage, paid.id);
    await carryOut({ ...paid, attempt: 2 });
    await isVoided(stage, earlier);
    await carriesOut(stage, later, earlier);
    acknowledge();
    return { least: 2, most: 2 };
  });
};

/** A round that the game refuses, and the code of its refusal. */
const refusedRound = async ({ carryOut, money }: Stage): Promise<{ round: Command; code: string }> => {
  const round = roundOf(money(NOBODY), EARLIER);
  const { status, error } = await carryOut(round);
  const isRefused = status === 'rejected' || status === 'failed';
  if (!isRefused || error === undefined) throw new NotTried(`money for ${NOBODY} was not refused with a code`);
  return { round, code: error.code };
};

const keepsCode = async (stage: Stage): Promise<void> => {
  const { round, code } = await refusedRound(stage);
  stage.acknowledge([round.id]);
  await stage.barrier();
  const { status, error } = await stage.carryOut({ ...round, attempt: 2 });
  if (error?.code === code) return;
  const expected = `the code ${code} again after the ack of ${round.id}`;
  throw new Breach({ rule: 'R59', expected, saw: JSON.stringify({ status, error }) });
};

const keepsRefusal = async (stage: Stage): Promise<void> => {
  const line = stage.line();
  const { round, code } = await refusedRound(stage);
  await stage.restart();
  await stage.next(line, {
    expected: 'the bridge to dial in again after it was started',
    withinMs: stage.waits.dialInMs,
  });
  await expectJournal(stage, undefined);
  const before = stage.book.get(round.id)?.results.length ?? 0;
  stage.line().send({ type: 'void', id: round.id });
  const { status, error } = await stage.result(round.id, { nth: before + 1, rule: 'R59' });
  if (error?.code === code) return;
  const expected = `the refusal of ${round.id} with ${code} again after a crash`;
  throw new Breach({ rule: 'R59', expected, saw: JSON.stringify({ status, error }) });
};

const apartOf = (name: 'items' | 'vehicles'): Check => ({
  rules: ['R57', 'R24'],
  name: `takes each round of a command of ${name} as a command of its own`,
  needs: [name],
  run: async (stage) => keepsRoundsApart(stage, await stage.shelf.tally(name)),
});

/** Checks of commands that waited: each delivery round has its own id. */
export const ROUND_CHECKS: readonly Check[] = [
  {
    rules: ['R57', 'R24', 'R30'],
    name: 'takes each round of a command of money as a command of its own',
    needs: ['money'],
    run: (stage) => keepsRoundsApart(stage, stage.bank),
  },
  {
    rules: ['R59'],
    name: 'knows why it refused a round, also after ack',
    needs: ['money'],
    run: keepsCode,
  },
  apartOf('items'),
  apartOf('vehicles'),
];

/** Checks of rounds after a killed process. */
export const CRASH_ROUND_CHECKS: readonly Check[] = [
  {
    rules: ['R57', 'R24', 'R30'],
    name: 'knows each round after it was killed',
    needs: ['money', 'run'],
    withinMs: 150_000,
    run: survivesCrash,
  },
  {
    rules: ['R59'],
    name: 'knows a refused round after it was killed',
    needs: ['money', 'run'],
    withinMs: 150_000,
    run: keepsRefusal,
  },
];
