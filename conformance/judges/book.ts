import { COMMANDS, isCommandName } from '../../bridge-protocol/wire/commands.ts';
import type { BridgeMessage, HubMessage, MessageOf } from '../../bridge-protocol/wire/messages.ts';
import { Breach, type Findings } from './findings.ts';
import type { Rule } from './rules.ts';

export type Command = MessageOf<HubMessage, 'command'>;
export type Result = MessageOf<BridgeMessage, 'result'>;

const RESULTS_KEPT = 20;
const NO_EFFECT = ['rejected', 'failed', 'voided'];

/** What is known of one id that was sent as a command, or only as a `void`. */
export type Entry = {
  command: Command | undefined;
  /** `received` and results that came for it. */
  answers: number;
  /** Without those that say `fingerprint_mismatch`. */
  results: Result[];
  mismatches: Result[];
  isAcked: boolean;
  /** The highest sequence that was reported before it was first sent. */
  floor: number | undefined;
  whileDraining: boolean;
};

const sameness = ({ status, data, error, sequence }: Result): string =>
  JSON.stringify([status, data ?? null, error ?? null, sequence ?? null]);

/** How far a command that was done has moved the balance. */
const deltaOf = ({ params }: Command, { data }: Result): number => {
  const amount = Number(data?.['applied'] ?? params['amount']);
  return params['action'] === 'remove' ? -amount : amount;
};

/** The commands that were sent, and what the bridge said about them; judges each answer by the ones before. */
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
    if (command.name !== 'money' || !read.success) return;
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

  /** That the answer is the same does not prove that nothing was run again. */
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

  /** Adds to each balance what was done to it. */
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
    /** An id is about to be sent; `command` is missing for a `void` that comes first. */
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
    /** An id whose command was carried out. */
    anyDone: (): string | undefined => [...entries].find(([, { results }]) => results[0]?.status === 'done')?.[0],
    /** The highest sequence that a result named. */
    highest: (): number | undefined => highest,
    /** Another journal knows nothing of all this, and counts anew. */
    startOver: (): void => {
      addUp(sums);
      entries.clear();
      highest = undefined;
    },
    /** Ids that are settled and not acknowledged. */
    unacknowledged: (): string[] =>
      [...entries].filter(([, { results, isAcked }]) => results.length > 0 && !isAcked).map(([id]) => id),
    /** By how much each balance has moved by all that was done. */
    moved: (): Map<string, number> => addUp(new Map(sums)),
    movedBy: (target: string): number => addUp(new Map(sums)).get(target) ?? 0,
    /** No result tells of it, but it was seen: what ended as indeterminate, or was done twice. */
    alsoMoved: (target: string, by: number): void => {
      sums.set(target, (sums.get(target) ?? 0) + by);
    },
  };
};
export type Book = ReturnType<typeof createBook>;
