import { commandTag } from '../../bridge-protocol/wire/commands.ts';
import type { Command, Result } from '../judges/book.ts';
import { Breach } from '../judges/findings.ts';
import type { Rule } from '../judges/rules.ts';
import type { Check } from './check.ts';
import { tellClock } from './expiry.ts';
import { SAMPLES, STAFF_NAMES } from './samples.ts';

const NOTHING = { least: 0, most: 0 };
const EXPIRED_MS = 1_000;
/** A player that no game has. */
export const NOBODY = 'verify:nobody';

/** @throws Breach unless the bridge rejected the command with this code */
export const expectRefusal = (rule: Rule, { status, error }: Result, code: string, sent: Command): void => {
  if (status === 'rejected' && error?.code === code) return;
  const saw = JSON.stringify({ status, error });
  throw new Breach({ rule, expected: `rejected with ${code} for ${JSON.stringify(sent.params)}`, saw });
};

/** Invalid parameters, as changes to valid ones. */
const unfitFor = ({ target, type }: Record<string, unknown>): Record<string, unknown>[] => [
  { amount: 0 },
  { amount: -1 },
  { amount: 1.5 },
  { amount: '1' },
  { action: 'steal' },
  { target: undefined },
  { allowNegative: 'no' },
  { type: '' },
  { target: `${target}\n` },
  { type: `${type}\n` },
];

/** Commands that the bridge must not carry out. */
export const REFUSAL_CHECKS: readonly Check[] = [
  {
    rules: ['R26'],
    name: 'refuses a command that it did not declare',
    run: async ({ carryOut, command, hub }) => {
      const unknown = command('verify_unknown', { target: NOBODY });
      expectRefusal('R26', await carryOut(unknown), 'unsupported', unknown);
      expectRefusal('R26', await carryOut({ ...unknown, attempt: 2 }), 'unsupported', unknown);
      const money = { target: NOBODY, type: 'bank', amount: 1, action: 'add', allowNegative: false };
      for (const name of ['money', ...STAFF_NAMES] as const) {
        if (hub.hello()?.commands.includes(commandTag(name))) continue;
        const undeclared = command(name, name === 'money' ? money : SAMPLES[name].params(NOBODY));
        expectRefusal('R26', await carryOut(undeclared), 'unsupported', undeclared);
      }
    },
  },
  {
    rules: ['R26'],
    name: 'refuses a kick without a reason',
    run: async ({ carryOut, command, hub }) => {
      const kick = command('kick', { target: NOBODY, reason: '' });
      const isDeclared = hub.hello()?.commands.includes('kick@1') === true;
      expectRefusal('R26', await carryOut(kick), isDeclared ? 'invalid_params' : 'unsupported', kick);
    },
  },
  {
    rules: ['R26', 'R32'],
    name: 'refuses money with parameters that do not fit, without an effect',
    needs: ['money'],
    run: async ({ carryOut, money, target, moves }) => {
      const { params } = money(target());
      const unfit = unfitFor(params);
      await moves({ rule: 'R32', what: 'refused commands', units: unfit.length }, async () => {
        for (const changes of unfit) {
          const command = money(target());
          const sent = { ...command, params: { ...command.params, ...changes } };
          expectRefusal('R26', await carryOut(sent), 'invalid_params', sent);
        }
        return NOTHING;
      });
    },
  },
  {
    rules: ['R26'],
    name: 'refuses an account that hello does not name',
    needs: ['money'],
    run: async ({ carryOut, money, target }) => {
      const order = money(target());
      const sent = { ...order, params: { ...order.params, type: 'verify_none' } };
      expectRefusal('R26', await carryOut(sent), 'unknown_account', sent);
    },
  },
  {
    rules: ['R32'],
    name: 'rejects money for an unknown player',
    needs: ['money'],
    run: async ({ carryOut, money }) => {
      const result = await carryOut(money(NOBODY));
      if (result.status === 'rejected' || result.status === 'failed') return;
      throw new Breach({ expected: 'a result that is rejected', saw: JSON.stringify(result) });
    },
  },
  {
    rules: ['R27', 'R32'],
    name: 'voids what has expired on the clock of the hub',
    needs: ['money'],
    run: async (stage) => {
      const { carryOut, money, target, moves, hub } = stage;
      await moves({ rule: 'R27', what: 'a command that has expired', units: 2 }, async () => {
        // The clock of a bridge may be late by the time that a ping took.
        const tripMs = await tellClock(stage);
        const expired = money(target(), 1, { expiresAt: Math.floor(hub.now() - EXPIRED_MS - tripMs) });
        for (const attempt of [1, 2]) {
          const result = await carryOut({ ...expired, attempt });
          if (result.status === 'voided') continue;
          const expected = 'voided: it expired more than a second ago on a hub that is hours ahead';
          throw new Breach({ rule: 'R27', expected, saw: JSON.stringify(result) });
        }
        return NOTHING;
      });
    },
  },
];
