import type { Rule } from '../../conformance/judges/rules.ts';
import type { Waits } from '../../conformance/line/watch.ts';
import {
  answersLate,
  endsWith,
  FAILED,
  follows,
  forgetsAcks,
  guessesAccounts,
  lends,
  looksOnce,
  neverDrains,
  pretends,
  readsNoFloats,
  readsStale,
  renames,
  settlesLeftOvers,
  trims,
} from './effects.ts';
import type { Fault } from './game.ts';

/** A bridge with one fault, the rule that it breaks, and the finding of verify. `only`: it breaks others, too. */
export type Planted = {
  rule: Rule;
  says: string;
  fault: Fault;
  text: string | RegExp;
  waits?: Partial<Waits>;
  only?: readonly Rule[];
};

const newJournal = /^journal\.id was \S+ before a crash and \S+ after it, though the journal knows older ids/;

export const EFFECT_FAULTS: readonly Planted[] = [
  {
    rule: 'R51',
    says: 'takes money below zero',
    fault: lends(),
    text: '1002 was taken from bank, which held 1001, and left -1',
  },
  {
    rule: 'R31',
    says: 'says done and gives nothing',
    fault: pretends('add'),
    text: '1 was given to bank and bank did not change',
  },
  {
    rule: 'R31',
    says: 'says done and takes nothing',
    fault: pretends('remove'),
    text: '1 was taken from bank and bank did not change',
  },
  {
    rule: 'R52',
    says: 'answers with a stale players.read',
    fault: readsStale(),
    text: /^bank became \d+ and players\.read said \d+$/,
  },
  {
    rule: 'R53',
    says: 'sends no players.changed after a command',
    fault: { out: (frame) => (frame.type === 'players.changed' ? [] : [frame]) },
    text: /^bank became \d+ and no players\.changed said so within 2000 ms/,
  },
  {
    rule: 'R33',
    says: 'takes commands while it drains',
    fault: neverDrains(),
    text: /^expected a command that came while draining to be rejected with server_restarting; saw .*"done"/,
  },
  {
    rule: 'R38',
    says: 'calls a custom command failed that a crash cut off',
    fault: settlesLeftOvers(FAILED, ({ name }) => name === 'custom:greet'),
    text: /^\d+ of 16 greet were failed after a crash, which no transaction covers$/,
  },
  {
    rule: 'R13',
    says: 'sends acknowledged results again for ever',
    fault: forgetsAcks(),
    text: '2 results that had been acknowledged came again after the next welcome',
  },
  {
    rule: 'R27',
    says: 'checks expiresAt only on arrival',
    fault: looksOnce(),
    text: 'a command that waited until its expiresAt had passed was done, not voided',
  },
  {
    rule: 'R26',
    says: 'matches the patterns of money before a newline',
    fault: trims(),
    text: /^expected rejected with invalid_params for .*\\n.*; saw /,
  },
  {
    rule: 'R49',
    says: 'refuses 5.0',
    fault: readsNoFloats(),
    text: 'the amount 1.0 was rejected with invalid_params',
  },
  {
    rule: 'R50',
    says: 'ends after a frame nested 65 deep',
    fault: endsWith('['.repeat(64)),
    text: 'a frame nested 65 deep ended the connection with 1006',
  },
  {
    rule: 'R50',
    says: 'is silent about what is not JSON',
    fault: { rawIn: (text) => text !== '{"type":' },
    text: 'a frame that is not JSON was not answered with error',
  },
  {
    rule: 'R40',
    says: 'calls its journal something else each time',
    fault: { starts: renames },
    text: newJournal,
  },
  {
    rule: 'R1',
    says: 'follows a redirect',
    fault: follows(),
    text: 'expected the path /bridge; saw /elsewhere',
  },
  {
    rule: 'R26',
    says: 'does not know which accounts it named',
    fault: guessesAccounts(),
    text: /^expected rejected with unknown_account for .*; saw .*player_not_found/,
  },
  {
    rule: 'R16',
    says: 'answers a ping late',
    fault: answersLate(100),
    text: /^expected a pong with n 0 within 50 ms; saw /,
    waits: { atOnceMs: 50 },
  },
  {
    rule: 'R32',
    says: 'calls failed what happened',
    fault: settlesLeftOvers(FAILED, ({ name }) => name === 'money'),
    text: /^16 commands around a crash moved bank by \d+; the results say \d+, and \d+ that had no effect$/,
  },
];
