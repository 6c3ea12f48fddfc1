import type { Journal, JournalEntry } from '../../bridge-protocol/index.ts';
import type { Disk } from './disk.ts';
import type { Planted } from './effect-faults.ts';
import type { Fault, Frame } from './game.ts';

const isRound = (id: unknown): boolean => /\.\d+$/.test(String(id));
const isSent = ({ type }: Frame): boolean => type === 'command' || type === 'void';

/** Ids are known to the bridge without the number of their round. */
const mixesRounds = (): Fault => {
  const whole = new Map<string, unknown>();
  const told = (id: unknown): unknown => whole.get(String(id)) ?? id;
  return {
    in: (frame) => {
      if (!isSent(frame)) return [frame];
      const id = String(frame['id']).replace(/\.\d+$/, '');
      whole.set(id, frame['id']);
      return [{ ...frame, id }];
    },
    out: (frame) => {
      if (frame.type === 'result') return [{ ...frame, id: told(frame['id']) }];
      return [frame.type === 'received' ? { ...frame, ids: Object(frame['ids']).map(told) } : frame];
    },
  };
};

/** A round that comes again counts as the next one. */
const runsRoundsAgain: Fault = {
  in: (frame) => {
    const isAgain = frame.type === 'command' && isRound(frame['id']) && frame['attempt'] !== 1;
    return [isAgain ? { ...frame, id: `${frame['id']}~` } : frame];
  },
  out: (frame) => [frame.type === 'result' ? { ...frame, id: String(frame['id']).replaceAll('~', '') } : frame],
};

/** The journal keeps no rounds. */
const losesRounds = ({ entries }: Disk): void => {
  for (const id of entries.keys()) if (isRound(id)) entries.delete(id);
};

/** Drops the whole outcome of a refusal when the hub has it. */
const forgetsCodes = (journal: Journal, disk: Disk): Journal => ({
  ...journal,
  acknowledge: (ids) => {
    void journal.acknowledge(ids);
    for (const id of ids) {
      const { outcome: _, ...kept } = disk.entries.get(id) ?? {};
      if ('id' in kept) disk.entries.set(id, kept as JournalEntry);
    }
  },
});

/** Refusals are kept in memory only. */
const losesRefusals = ({ entries }: Disk): void => {
  for (const [id, { status }] of entries) if (isRound(id) && status === 'rejected') entries.delete(id);
};

const choosing = (players: unknown): unknown[] =>
  Array.isArray(players) ? players.map((player) => ({ ...player, playable: false })) : [];

/** Reports players while they choose a character, and never after it. */
const neverPlays: Fault = {
  out: (frame) => {
    const isReport = frame.type === 'players.snapshot' || frame.type === 'players.changed';
    return [isReport ? { ...frame, players: choosing(frame['players']) } : frame];
  },
};

/** Faults that only commands meet which waited for their player. */
export const ROUND_FAULTS: readonly Planted[] = [
  {
    rule: 'R57',
    says: 'takes all rounds of a command for one',
    fault: mixesRounds(),
    only: ['R57'],
    text: /^cmd_\w+\.10 was voided, after cmd_\w+\.1 had been voided/,
  },
  {
    rule: 'R24',
    says: 'runs a round again when it comes again',
    fault: runsRoundsAgain,
    only: ['R24'],
    text: /one round, delivered three times, moved bank by 3; the results say 1/,
  },
  {
    rule: 'R24',
    says: 'forgets rounds in a crash',
    fault: { starts: losesRounds },
    only: ['R24'],
    text: /^expected the same result again: .*"done"/,
  },
  {
    rule: 'R59',
    says: 'forgets why it refused a round',
    fault: { journal: forgetsCodes },
    only: ['R59'],
    text: /^expected the code player_not_found again after the ack of cmd_\w+\.1; saw /,
  },
  {
    rule: 'R59',
    says: 'forgets refused rounds in a crash',
    fault: { starts: losesRefusals },
    only: ['R59'],
    text: /^expected the refusal of cmd_\w+\.1 with player_not_found again after a crash; saw /,
  },
  {
    rule: 'R58',
    says: 'does not report that a player can play now',
    fault: neverPlays,
    text: /^players\.read says that char1:ana can play, and no report said so within 2000 ms$/,
  },
];
