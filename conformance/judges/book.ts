import { COMMANDS, isCommandName } from '../../bridge-protocol/wire/commands.ts';
import type { BridgeMessage, HubMessage, MessageOf } from '../../bridge-protocol/wire/messages.ts';
import { Breach, type Findings } from './findings.ts';
import type { Rule } from './rules.ts';

export type Command = MessageOf<HubMessage, 'command'>;
export type Result = MessageOf<BridgeMessage, 'result'>;

const RESULTS_KEPT = 20;
const NO_EFFECT = ['rejected', 'failed', 'voided'];

/** The record of one id that was sent as a command, or only as a `void`. */
export type Entry = {
  command: Command | undefined;
  /** The `received` and `result` frames for it. */
  answers: number;
  /** Results without those that report `fingerprint_mismatch`. */
  results: Result[];
  mismatches: Result[];
  isAcked: boolean;
  /** The highest sequence that the bridge had reported before the id was first sent. */
  floor: number | undefined;
  whileDraining: boolean;
};

const sameness = ({ status, data, error, sequence }: Result): string =>
  JSON.stringify([status, data ?? null, error ?? null, sequence ?? null]);

const isJournaled = (command: Command | undefined): boolean =>
  command !== undefined && !(isCommandName(command.name) && COMMANDS[command.name].class === 'ephemeral');

/** By how much a completed command has changed the balance. */
const deltaOf = ({ params }: Command, { data }: Result): number => {
  const amount = Number(data?.['applied'] ?? params['amount']);
  return params['action'] === 'remove' ? -amount : amount;
};

/** Records the sent commands and the bridge's answers, and judges each answer by the earlier ones. */
export const createBook = (findings: Findings) => {
  const entries = new Map<string, Entry>();
  const sums = new Map<string, number>();
  let highest: number | undefined;

  const expect = (rule: Rule, holds: boolean, expected: string, result: Result): void => {
    findings.kept(rule);
    if (!holds) findings.broken(rule, new Breach({ rule, expected, saw: JSON.stringify(result) }));
  };

  const judgeDone = (result: Result, command: Command): void => {
    if (!isCommandName(command.name)) return;
    const { result: promised, fits } = COMMANDS[command.name];
    const read = promised.safeParse(result.data);
    const holds = read.success && fits(command.params, read.data);
    const fields = Object.keys(promised.shape).join();
    expect('R31', holds, `the data of ${command.name}: ${fields}, and numbers that fit the order`, result);
    if (COMMANDS[command.name].class === 'ephemeral' || !read.success) return;
    expect('R41', result.sequence !== undefined, 'the sequence of its entry', result);
  };

  const judgeFirst = (result: Result, { command, floor, whileDraining }: Entry): void => {
    const { status, sequence } = result;
    if (status === 'done' && command !== undefined) judgeDone(result, command);
    if (whileDraining) {
      const isRefused = status === 'rejected' && result.error?.code === 'server_restarting';
      expect('R33', isRefused, 'a command that came while draining to be rejected with server_restarting', result);
    }
    if (sequence === undefined) return;
    if (floor !== undefined) expect('R41', sequence > floor, `a sequence over ${floor}, which came earlier`, result);
    highest = Math.max(highest ?? sequence, sequence);
  };

  /** Equal answers alone do not prove that no command ran again. */
  const judgeAgain = (result: Result, first: Result, isAcked: boolean): void => {
    const isSame = isAcked ? result.status === first.status : sameness(result) === sameness(first);
    if (isSame) return;
    const rule = NO_EFFECT.includes(first.status) && result.status === 'done' ? 'R32' : 'R24';
    const expected = `the same result again: ${JSON.stringify(first)}`;
    findings.broken(rule, new Breach({ rule, expected, saw: JSON.stringify(result) }));
  };

  const heardResult = (result: Result, entry: Entry): void => {
    const [first] = entry.results;
    if (result.error?.code === 'fingerprint_mismatch') entry.mismatches.push(result);
    else if (first === undefined) judgeFirst(result, entry);
    else judgeAgain(result, first, entry.isAcked);
    if (result.error?.code !== 'fingerprint_mismatch') entry.results.push(result);
    if (entry.results.length > RESULTS_KEPT) entry.results.splice(1, 1);
    if (entry.mismatches.length > RESULTS_KEPT) entry.mismatches.shift();
  };

  /** Adds the effect of each completed command to its balance. */
  const addUp = (to: Map<string, number>): Map<string, number> => {
    for (const { command, results } of entries.values()) {
      const [result] = results;
      if (command?.name !== 'money' || result?.status !== 'done') continue;
      const target = String(command.params['target']);
      to.set(target, (to.get(target) ?? 0) + deltaOf(command, result));
    }
    return to;
  };

  const get = (id: string): Entry | undefined => entries.get(id);

  return {
    get,
    /** Records an id before it is sent; `command` is missing for a `void` that comes first. */
    sent: (id: string, { command, isDraining = false }: { command?: Command; isDraining?: boolean }): Entry => {
      const known = get(id);
      if (known !== undefined) {
        known.command ??= command;
        return known;
      }
      const nothing = { answers: 0, results: [], mismatches: [], isAcked: false };
      const entry = { ...nothing, command, floor: highest, whileDraining: isDraining };
      entries.set(id, entry);
      return entry;
    },
    heard: (message: BridgeMessage): void => {
      const ids = message.type === 'received' ? message.ids : message.type === 'result' ? [message.id] : [];
      for (const id of ids) {
        const entry = get(id);
        if (entry === undefined) continue;
        entry.answers += 1;
        if (message.type === 'result') heardResult(message, entry);
      }
    },
    /** An id of the journal whose command was carried out. */
    anyDone: (): string | undefined =>
      [...entries].find(([, { command, results }]) => isJournaled(command) && results[0]?.status === 'done')?.[0],
    /** The highest sequence that a result contained. */
    highest: (): number | undefined => highest,
    /** Starts over for another journal, which knows none of these ids and has its own sequence. */
    startOver: (): void => {
      addUp(sums);
      entries.clear();
      highest = undefined;
    },
    /** Settled ids that the hub has not acknowledged. */
    unacknowledged: (): string[] =>
      [...entries].filter(([, { results, isAcked }]) => results.length > 0 && !isAcked).map(([id]) => id),
    /** By how much all completed commands have changed each balance. */
    moved: (): Map<string, number> => addUp(new Map(sums)),
    movedBy: (target: string): number => addUp(new Map(sums)).get(target) ?? 0,
    /** Effects that were seen but that no result reports: of indeterminate commands, or of commands that ran twice. */
    alsoMoved: (target: string, by: number): void => {
      sums.set(target, (sums.get(target) ?? 0) + by);
    },
  };
};
export type Book = ReturnType<typeof createBook>;
