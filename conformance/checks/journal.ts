import type { Result } from '../judges/book.ts';
import { Breach } from '../judges/findings.ts';
import type { Rule } from '../judges/rules.ts';
import type { Check } from './check.ts';

const UNKNOWN = { 'x-verify': [{}], priority: 'high' };

const ONE = { least: 1, most: 1 };
const NOTHING = { least: 0, most: 0 };

const expectStatus = (rule: Rule, result: Result, ...wanted: Result['status'][]): void => {
  if (wanted.includes(result.status)) return;
  throw new Breach({ rule, expected: `a result that is ${wanted.join(' or ')}`, saw: JSON.stringify(result) });
};

/** Checks of ids that are sent more than once. The book compares each result with the first one. */
export const JOURNAL_CHECKS: readonly Check[] = [
  {
    rules: ['R5'],
    name: 'ignores unknown fields and parameters of a command',
    needs: ['money'],
    run: async ({ deliver, result, money, target, moves }) => {
      await moves({ rule: 'R5', what: 'a command with unknown fields', units: 1 }, async () => {
        const command = money(target());
        const sent = { ...command, params: { ...command.params, ...UNKNOWN } };
        deliver(sent, { extra: UNKNOWN });
        expectStatus('R5', await result(sent.id), 'done');
        return ONE;
      });
    },
  },
  {
    rules: ['R24'],
    name: 'carries out once what comes twice at once',
    needs: ['money'],
    run: async ({ deliver, result, carryOut, money, target, moves }) => {
      await moves({ rule: 'R24', what: 'one id, delivered four times,', units: 3 }, async () => {
        const command = money(target());
        for (const attempt of [1, 2, 3]) deliver({ ...command, attempt });
        expectStatus('R24', await result(command.id), 'done');
        await carryOut({ ...command, attempt: 4 });
        return ONE;
      });
    },
  },
  {
    rules: ['R24', 'R39'],
    name: 'answers a settled id with its stored result, also after ack',
    needs: ['money'],
    run: async ({ carryOut, money, target, moves, acknowledge, barrier }) => {
      await moves({ rule: 'R24', what: 'one id, delivered four times,', units: 3 }, async () => {
        const command = money(target());
        expectStatus('R24', await carryOut(command), 'done');
        await carryOut({ ...command, attempt: 2 });
        acknowledge([command.id]);
        await barrier();
        expectStatus('R39', await carryOut({ ...command, attempt: 3 }), 'done');
        await carryOut({ ...command, attempt: 4 });
        return ONE;
      });
    },
  },
  {
    rules: ['R25'],
    name: 'rejects another command under a known id, and keeps the entry',
    needs: ['money'],
    run: async ({ carryOut, deliver, money, target, moves, book, until, line }) => {
      await moves({ rule: 'R25', what: 'one id with two different commands', units: 1 }, async () => {
        const command = money(target());
        expectStatus('R25', await carryOut(command), 'done');
        deliver({ ...money(target(), -1), id: command.id });
        const expected = 'a result rejected with fingerprint_mismatch';
        const mismatch = await until(() => book.get(command.id)?.mismatches[0], { expected, on: line() });
        expectStatus('R25', mismatch, 'rejected');
        expectStatus('R25', await carryOut({ ...command, attempt: 2 }), 'done');
        return ONE;
      });
    },
  },
  {
    rules: ['R30'],
    name: 'remembers a void of an id that it never saw',
    needs: ['money'],
    run: async ({ line, result, carryOut, money, target, moves, book }) => {
      await moves({ rule: 'R30', what: 'a command that was voided before it came', units: 1 }, async () => {
        const command = money(target());
        book.sent(command.id, {});
        line().send({ type: 'void', id: command.id });
        expectStatus('R30', await result(command.id, { rule: 'R30' }), 'voided');
        expectStatus('R30', await carryOut(command), 'voided');
        return NOTHING;
      });
    },
  },
  {
    rules: ['R32'],
    name: 'answers a void that comes too late with the truth',
    needs: ['money'],
    run: async ({ line, result, deliver, carryOut, money, target, moves }) => {
      await moves(
        { rule: 'R32', what: 'one command before its void, and one sent with its void,', units: 2 },
        async () => {
          const early = money(target());
          expectStatus('R32', await carryOut(early), 'done');
          line().send({ type: 'void', id: early.id });
          expectStatus('R32', await result(early.id, { nth: 2, rule: 'R32' }), 'done');
          const late = deliver(money(target()));
          line().send({ type: 'void', id: late.id });
          const { status } = await result(late.id);
          const least = status === 'done' ? 2 : 1;
          return { least, most: status === 'indeterminate' ? 2 : least };
        },
      );
    },
  },
];
