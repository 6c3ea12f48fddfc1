import type { Result } from '../judges/book.ts';
import { Breach, NotTried } from '../judges/findings.ts';
import type { Stage } from '../stage/stage.ts';
import type { Check } from './check.ts';
import { expectRefusal } from './refusals.ts';

/** A balance may change by itself once; a real fault appears each time. */
const LOOKS = 2;
/** Each step is verified by the balance that the next step starts from. */
const STEPS = [1, -1, 1, -1] as const;

type Step = { delta: 1 | -1; before: number; after: number };

const did = (delta: number, account: string): string => `1 was ${delta > 0 ? 'given to' : 'taken from'} ${account}`;

/** Gives and takes money until a step does not have the reported effect. */
const walk = async ({ carryOut, money, target }: Stage): Promise<Step[]> => {
  const steps: Step[] = [];
  for (const delta of STEPS) {
    const result: Result = await carryOut(money(target(), delta));
    const { before, after } = { before: undefined, after: undefined, ...result.data };
    if (result.status !== 'done') {
      if (steps.length > 0) throw new Breach({ rule: 'R31', expected: 'done', saw: JSON.stringify(result) });
      throw new NotTried(`money for ${target()} ended as ${result.status} ${result.error?.code ?? ''}`.trim());
    }
    // The book has already judged the data of a completed command.
    if (typeof before !== 'number' || typeof after !== 'number') return steps;
    steps.push({ delta, before, after });
  }
  return steps;
};

/** Finds the step whose effect is missing in the next balance. */
const idleStep = (steps: readonly Step[]): Step | undefined =>
  steps.find(({ delta, after }, nth) => steps[nth + 1]?.before === after - delta);

const paysTruly = async (stage: Stage): Promise<void> => {
  const { account, acknowledge, book, target } = stage;
  const idle: Step[] = [];
  for (let look = 0; look < LOOKS; look += 1) {
    const steps = await walk(stage);
    acknowledge();
    const found = idleStep(steps);
    if (found === undefined) return;
    const drift = steps.reduce((sum, { before }, nth) => sum + before - (steps[nth - 1]?.after ?? before), 0);
    book.alsoMoved(target(), drift);
    idle.push(found);
  }
  const [first] = idle;
  if (first === undefined) return;
  throw new Breach({ rule: 'R31', saw: `${did(first.delta, account)} and ${account} did not change` });
};

const keepsFloor = async ({ move, money, carryOut, target, account, acknowledge }: Stage): Promise<void> => {
  const { after: has } = await move(1, target());
  const amount = Math.max(has, 0) + 1;
  const order = money(target(), -amount);
  const sent = { ...order, params: { ...order.params, allowNegative: false } };
  const result = await carryOut(sent);
  const left = result.data?.['after'];
  if (result.status === 'done' && typeof left === 'number' && left < 0) {
    throw new Breach({ rule: 'R51', saw: `${amount} was taken from ${account}, which held ${has}, and left ${left}` });
  }
  if (result.status === 'done') throw new NotTried(`the balance of ${target()} moves by itself`);
  const { before } = await move(-1, target());
  if (before === has - amount) {
    throw new Breach({ rule: 'R32', saw: `${amount} was taken from ${account} by a command that is ${result.status}` });
  }
  expectRefusal('R51', result, 'insufficient_funds', sent);
  acknowledge();
};

/** Reads between two commands: the read can be judged only if the second command finds the balance of the first. */
const readsNow = async ({ move, target, read, account }: Stage): Promise<void> => {
  for (let look = 0; look < LOOKS; look += 1) {
    const { after } = await move(1, target());
    const { player, error } = await read(target());
    const { before } = await move(-1, target());
    if (error !== undefined) throw new NotTried(`players.read ended as ${error.code}`);
    const said = player?.accounts[account];
    if (said === after) return;
    if (before === after)
      throw new Breach({ rule: 'R52', saw: `${account} became ${after} and players.read said ${said}` });
  }
  throw new NotTried(`the balance of ${target()} moves by itself`);
};

const reportsChange = async ({ hub, move, target, happens, waits, account }: Stage): Promise<void> => {
  for (const delta of [1, -1] as const) {
    const { after } = await move(delta, target());
    const reported = () => hub.roster.balance(target());
    const isTold = () => (reported() === after ? true : undefined);
    if (await happens(isTold, waits.answerMs)) continue;
    const isStill = (await move(delta, target())).before === after;
    await move(delta === 1 ? -1 : 1, target());
    if (!isStill) throw new NotTried(`the balance of ${target()} moves by itself`);
    const told = `no players.changed said so within ${waits.answerMs} ms`;
    throw new Breach({ rule: 'R53', saw: `${account} became ${after} and ${told}` });
  }
};

/** Checks of balances after money commands, and of their reports. */
export const MONEY_CHECKS: readonly Check[] = [
  {
    rules: ['R31', 'R29'],
    shows: ['R21', 'R41'],
    name: 'gives one unit of bank and takes it again',
    needs: ['money'],
    run: paysTruly,
  },
  {
    rules: ['R51', 'R32'],
    name: 'takes no more than there is',
    needs: ['money'],
    run: keepsFloor,
  },
  {
    rules: ['R49'],
    name: 'reads 1.0 and 1e0 as 1',
    needs: ['money'],
    run: async ({ deliver, result, money, target, moves }) => {
      await moves({ rule: 'R49', what: 'the amounts 1.0 and 1e0', units: 2 }, async () => {
        for (const amount of ['1.0', '1e0']) {
          const { id } = deliver(money(target()), {
            rewrite: (json) => json.replace('"amount":1,', `"amount":${amount},`),
          });
          const { status, error } = await result(id);
          if (status === 'done') continue;
          throw new Breach({ rule: 'R49', saw: `the amount ${amount} was ${status} with ${error?.code ?? 'no code'}` });
        }
        return { least: 2, most: 2 };
      });
    },
  },
  {
    rules: ['R52'],
    name: 'reads a player as the last command has left them',
    needs: ['money'],
    run: readsNow,
  },
  {
    rules: ['R53'],
    name: 'reports a balance that a command has changed',
    needs: ['money'],
    run: reportsChange,
  },
];
