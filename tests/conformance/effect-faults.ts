import { randomUUID } from 'node:crypto';
import type { JournalEntry, Outcome, Player } from '../../bridge-protocol/index.ts';
import type { Rule } from '../../conformance/rules.ts';
import type { Disk } from './disk.ts';
import { slow } from './faults.ts';
import type { Fault, Frame } from './game.ts';

/** A bridge with one fault, the rule that it breaks, and what verify says that it saw. */
type Planted = { rule: Rule; says: string; fault: Fault; text: string | RegExp };

const isMoney = ({ type, name }: Frame): boolean => type === 'command' && name === 'money';
const withParams = (frame: Frame, changes: object): Frame => ({
  ...frame,
  params: { ...Object(frame['params']), ...changes },
});

/** Every debt is allowed. */
const lends = (): Fault => ({
  in: (frame) => {
    const isAsked = isMoney(frame) && Object(frame['params']).allowNegative === false;
    return [isAsked ? withParams(frame, { allowNegative: true }) : frame];
  },
});

/** Puts the balance back as soon as the command is done with it. */
const pretends = (action: 'add' | 'remove'): Fault => ({
  handlers: ({ kick, money }, { banks }) => ({
    kick,
    money: async (params, context) => {
      const before = banks.get(params.target);
      const outcome = await money(params, context);
      if (params.action === action && before !== undefined) banks.set(params.target, before);
      return outcome;
    },
  }),
});

/** Answers every `players.read` with what the game held when the bridge started. */
const readsStale = (): Fault => ({
  options: (options) => {
    const snapshot = options.players?.snapshot ?? (() => []);
    const known = new Map([...(snapshot() as Player[])].map((player) => [player.identifier, player]));
    return { ...options, players: { snapshot, read: (identifier) => known.get(identifier) } };
  },
});

/** Commands that come while the bridge drains are carried out, as far as a hub can see. */
const neverDrains = (): Fault => {
  const orders = new Map<unknown, { action?: string }>();
  return {
    in: (frame) => {
      if (isMoney(frame)) orders.set(frame['id'], Object(frame['params']));
      return [frame];
    },
    out: (frame) => {
      const { error, ...rest } = frame;
      if (Object(error).code !== 'server_restarting') return [frame];
      const after = orders.get(frame['id'])?.action === 'remove' ? -1 : 1;
      return [{ ...rest, status: 'done', data: { account: 'bank', before: 0, after } }];
    },
  };
};

/** Entries that a crash left are settled before the bridge sees them. */
const settlesLeftOvers = (outcome: Outcome, isMeant: (entry: JournalEntry) => boolean) => ({
  starts: ({ entries }: Disk): void => {
    for (const [id, entry] of entries) {
      if (entry.status === 'started' && isMeant(entry)) entries.set(id, { ...entry, ...outcome, outcome });
    }
  },
});
const FAILED: Outcome = { status: 'failed', error: { code: 'internal_error', message: 'It was cut off.' } };

/** The journal takes no acknowledgement. */
const forgetsAcks = (): Fault => ({ journal: (journal) => ({ ...journal, acknowledge: () => {} }) });

/** What has not expired when it comes never does. */
const looksOnce = (): Fault => {
  let ahead = 0;
  return {
    ...slow(5),
    in: (frame) => {
      if (typeof frame['now'] === 'number') ahead = frame['now'] - Date.now();
      const isLate = Number(frame['expiresAt']) <= Date.now() + ahead;
      return [frame.type === 'command' && !isLate ? { ...frame, expiresAt: Number.MAX_SAFE_INTEGER } : frame];
    },
  };
};

/** Texts are read without a newline at their end. */
const trims = (name: string): Fault => ({
  in: (frame) => {
    if (frame['name'] !== name) return [frame];
    const params = Object.entries(Object(frame['params']));
    const trimmed = params.map(([key, value]) => [key, typeof value === 'string' ? value.replace(/\n$/, '') : value]);
    return [withParams(frame, Object.fromEntries(trimmed))];
  },
});

/** Reads whole numbers by their text. */
const readsNoFloats = (): Fault => ({
  rawIn: (text, { say }) => {
    if (!/"amount":1(?:\.0|e0)/.test(text)) return true;
    const { id } = JSON.parse(text);
    say({ type: 'result', id, status: 'rejected', error: { code: 'invalid_params', message: 'no whole number' } });
    return false;
  },
});

const endsWith = (text: string): Fault => ({
  rawIn: (frame, { cut }) => {
    if (!frame.includes(text)) return true;
    cut();
    return false;
  },
});

const renames = (disk: Disk): void => {
  disk.journalId = randomUUID();
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
    text: /^bank became \d+ and no players\.changed said so within 400 ms$/,
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
    fault: trims('money'),
    text: /^expected rejected with invalid_params for .*\\n.*; saw /,
  },
  {
    rule: 'R48',
    says: 'matches the patterns of a custom command before a newline',
    fault: trims('custom:greet'),
    text: 'a text with a newline after what its pattern allows was taken by greet: done',
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
    rule: 'R32',
    says: 'calls failed what happened',
    fault: settlesLeftOvers(FAILED, ({ name }) => name === 'money'),
    text: /^16 commands around a crash moved bank by \d+; the results say \d+, and \d+ that had no effect$/,
  },
];
