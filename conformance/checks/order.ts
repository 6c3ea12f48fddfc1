import type { Command, Result } from '../judges/book.ts';
import { Breach, NotTried } from '../judges/findings.ts';
import type { Stage } from '../stage/stage.ts';
import type { Check } from './check.ts';

const IN_A_ROW = 10;

/** The balance goes up unit by unit and down again, so that a wrong order becomes visible. */
const upAndDown = (stage: Stage, target: string, count: number): Command[] =>
  Array.from({ length: count }, (_, nth) => stage.money(target, nth < count / 2 ? 1 : -1));

const results = async (stage: Stage, commands: readonly Command[]): Promise<Result[]> => {
  const all: Result[] = [];
  for (const { id } of commands) all.push(await stage.result(id, { rule: 'R28' }));
  return all;
};

/**
 * Each result has to start where the one before ended. A jump larger than all commands together comes from the game.
 */
const expectChain = (all: readonly Result[]): void => {
  all.forEach((one, nth) => {
    const ended = nth === 0 ? undefined : all[nth - 1]?.data?.['after'];
    const began = one.data?.['before'];
    if (one.status !== 'done') throw new NotTried(`money ended as ${one.status} ${one.error?.code ?? ''}`.trim());
    if (ended === undefined || began === ended) return;
    if (Math.abs(Number(began) - Number(ended)) > all.length) throw new NotTried('the balance moves by itself');
    const expected = `command ${nth + 1} of one player to begin at ${ended}, where the one before has ended`;
    throw new Breach({ rule: 'R28', expected, saw: JSON.stringify(one.data) });
  });
};

/** Commands for one player keep their order, and do not delay commands for other players. */
export const ORDER_CHECKS: readonly Check[] = [
  {
    rules: ['R28'],
    name: 'carries out the commands of one player in their order',
    needs: ['money'],
    run: async (stage) => {
      const commands = upAndDown(stage, stage.target(), IN_A_ROW);
      for (const command of commands) stage.deliver(command);
      expectChain(await results(stage, commands));
      stage.acknowledge();
    },
  },
  {
    rules: ['R28'],
    name: 'keeps the order of two players, and neither waits for the other',
    needs: ['money', 'other'],
    run: async (stage) => {
      const { cast, waits, happens, book, deliver } = stage;
      const many = upAndDown(stage, stage.target(), IN_A_ROW * 2);
      const few = upAndDown(stage, cast.other ?? '', 2);
      const startedAt = performance.now();
      for (const command of [...many, ...few]) deliver(command);
      const isSettled = (command: Command | undefined) => (book.get(command?.id ?? '')?.results.length ?? 0) > 0;
      await happens(() => (isSettled(few[0]) || isSettled(many.at(-1)) ? true : undefined), waits.settleMs);
      const tookMs = performance.now() - startedAt;
      if (!isSettled(few[0]) && tookMs > waits.passMs) {
        const saw = `${many.length} commands of the other player first, for ${Math.round(tookMs)} ms`;
        throw new Breach({ rule: 'R28', expected: 'a player not to wait for another one', saw });
      }
      expectChain(await results(stage, many));
      expectChain(await results(stage, few));
      stage.acknowledge();
    },
  },
  {
    rules: ['R29', 'R28'],
    name: 'answers far more commands at once than the window has',
    needs: ['money'],
    withinMs: 150_000,
    run: async (stage) => {
      const commands = upAndDown(stage, stage.target(), stage.burst);
      for (const command of commands) stage.deliver(command);
      await stage.settled(commands.map(({ id }) => id));
      expectChain(await results(stage, commands));
      stage.acknowledge();
    },
  },
  {
    rules: ['R28', 'R24', 'R31'],
    name: 'kicks once, and the kick does not wait behind money',
    needs: ['kick'],
    run: async (stage) => {
      const { cast, command, deliver, result, carryOut, waits, book } = stage;
      const target = cast.kick ?? '';
      const startedAt = performance.now();
      const money = stage.canPay() ? upAndDown(stage, target, IN_A_ROW * 2) : [];
      for (const one of money) deliver(one);
      const kick = deliver(command('kick', { target, reason: 'Kicked by a test of the bridge.' }));
      const { status, error } = await result(kick.id, { rule: 'R28' });
      const tookMs = performance.now() - startedAt;
      if (status !== 'done') throw new NotTried(`the kick ended as ${status} ${error?.code ?? ''}`.trim());
      const isLast = money.length > 0 && money.every(({ id }) => (book.get(id)?.results.length ?? 0) > 0);
      if (isLast && tookMs > waits.passMs) {
        const saw = `${money.length} money commands first, for ${Math.round(tookMs)} ms`;
        throw new Breach({ rule: 'R28', expected: 'a kick not to wait behind money', saw });
      }
      await carryOut({ ...kick, attempt: 2 });
      for (const { id } of money) await result(id);
      stage.acknowledge();
    },
  },
];
