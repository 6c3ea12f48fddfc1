import type { Journal, JournalEntry, Outcome } from '../journal/journal.ts';
import type { BridgeMessage } from '../wire/messages.ts';
import { type Call, type Handlers, leftOver, outcomeOf, resultMessage } from './handlers.ts';
import type { Log } from './options.ts';
import { Sleepers } from './sleepers.ts';

/** One piece of work and the lane it waits in. `urgent` work does not count for the window. */
type LaneEntry = { readonly id: string; readonly lane: string; readonly urgent: boolean };

/**
 * First in, first out per lane, one at a time in each; lanes do not wait for one another. At most `window` entries
 * that are not urgent run at once: the lane that became ready first goes first.
 */
export const createLanes = <E extends LaneEntry>({ window, run }: { window: number; run: (entry: E) => void }) => {
  const lanes = new Map<string, E[]>();
  const ready: E[] = [];
  const running = new Set<string>();
  let inWindow = 0;

  const begin = (entry: E): void => {
    running.add(entry.id);
    if (!entry.urgent) inWindow += 1;
    run(entry);
  };

  const beginReady = (): void => {
    while (inWindow < window) {
      const next = ready.shift();
      if (next === undefined) return;
      begin(next);
    }
  };

  const offer = (entry: E): void => {
    if (entry.urgent) begin(entry);
    else {
      ready.push(entry);
      beginReady();
    }
  };

  return {
    /** Whether an entry of the lane would have to wait for another one. */
    isBusy: (lane: string): boolean => lanes.has(lane),
    add: (entry: E): void => {
      const lane = lanes.get(entry.lane);
      if (lane !== undefined) lane.push(entry);
      else {
        lanes.set(entry.lane, [entry]);
        offer(entry);
      }
    },
    /** The entry has ended: its lane goes on. */
    done: (entry: E): void => {
      if (!running.delete(entry.id)) return;
      if (!entry.urgent) inWindow -= 1;
      const lane = lanes.get(entry.lane) ?? [];
      lane.shift();
      const next = lane[0];
      if (next === undefined) lanes.delete(entry.lane);
      else offer(next);
      beginReady();
    },
  };
};

const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 30_000;

/**
 * Writes outcomes into the journal and does not give up: an effect that has happened must not be forgotten because
 * the disk was full for a minute. `close` ends the attempts that are under way.
 */
const createSettling = ({ journal, log }: { journal: Journal; log: Log }) => {
  const sleepers = new Sleepers();
  let isClosed = false;

  /** One attempt. An entry that is settled already (by an atomic handler) is the answer as it is. @throws */
  const once = async (id: string, outcome: Outcome): Promise<JournalEntry> => {
    const before = journal.get(id);
    if (before !== undefined && before.status !== 'started') return before;
    await journal.settle(id, outcome);
    const settled = journal.get(id);
    if (settled === undefined) throw new Error('the entry is not there after it was written');
    return settled;
  };

  return {
    once,
    /** The settled entry, as soon as the journal has it; undefined when the bridge was closed before. */
    settle: async (id: string, outcome: Outcome): Promise<JournalEntry | undefined> => {
      for (let delayMs = FIRST_RETRY_MS; !isClosed; delayMs = Math.min(delayMs * 2, LAST_RETRY_MS)) {
        try {
          return await once(id, outcome);
        } catch (error) {
          log('error', `The outcome of ${id} (${outcome.status}) is not in the journal yet: ${String(error)}`);
        }
        if (!isClosed) await sleepers.sleep(delayMs);
      }
      return undefined;
    },
    close: (): void => {
      isClosed = true;
      sleepers.wake();
    },
  };
};

const IDS_PER_FRAME = 1024;

/**
 * Collects the ids of received commands and reports them in one `received` frame, at most `withinMs` late. A `result`
 * confirms its command, too, so an id that gets a result meanwhile is removed.
 */
export const createReceived = ({ withinMs, send }: { withinMs: number; send: (ids: string[]) => void }) => {
  const ids = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;

  const clear = (): void => {
    ids.clear();
    clearTimeout(timer);
    timer = undefined;
  };

  const flush = (): void => {
    const collected = [...ids];
    clear();
    if (collected.length > 0) send(collected);
  };

  return {
    add: (id: string): void => {
      ids.add(id);
      if (ids.size >= IDS_PER_FRAME) flush();
      else timer ??= setTimeout(flush, withinMs);
    },
    remove: (id: string): void => {
      ids.delete(id);
    },
    /** Drops the collected ids of a connection that has ended. */
    clear,
  };
};
export type Received = ReturnType<typeof createReceived>;

type Answer = { fingerprint: string; outcome: Outcome };

const ANSWERS = 4096;

/** The latest answers that are in no journal: a command that comes twice is answered and not run again. */
const createRecent = () => {
  const answers = new Map<string, Answer>();
  return {
    get: (id: string): Answer | undefined => answers.get(id),
    put: (id: string, answer: Answer): void => {
      answers.set(id, answer);
      if (answers.size <= ANSWERS) return;
      const [oldest] = answers.keys();
      if (oldest !== undefined) answers.delete(oldest);
    },
  };
};

/** A received command that has not ended. `ending`: its outcome is certain and is being written into the journal. */
export type Task = LaneEntry & {
  /** Empty for a `void`, which has none. */
  readonly fingerprint: string;
  readonly expiresAt: number;
  readonly call: Call | undefined;
  phase: 'queued' | 'running' | 'ending';
};

/** The id of a round of a command that waited. */
const isRound = (id: string): boolean => /\.\d+$/.test(id);

const ENDING = {
  lane: '',
  urgent: false,
  fingerprint: '',
  expiresAt: 0,
  call: undefined,
  phase: 'ending',
} as const;

/**
 * The commands that have not ended, and how they end: first in the journal (an ephemeral one in memory), then as a
 * `result`. A `result` that is lost with its connection is sent again after the next welcome.
 */
export const createTasks = ({
  journal,
  classOf,
  received,
  send,
  log,
}: {
  journal: Journal;
  classOf: Handlers['classOf'];
  received: Received;
  send: (message: BridgeMessage) => void;
  log: Log;
}) => {
  const tasks = new Map<string, Task>();
  const recent = createRecent();
  const settling = createSettling({ journal, log });
  const idle = new Sleepers();

  const answer = (id: string, outcome: Outcome, sequence?: number): void => {
    received.remove(id);
    send(resultMessage(id, outcome, sequence));
  };

  const answerFrom = (entry: JournalEntry): void => {
    const outcome = outcomeOf(entry);
    if (outcome !== undefined) answer(entry.id, outcome, entry.sequence);
  };

  const forget = (id: string): void => {
    tasks.delete(id);
    if (tasks.size === 0) idle.wake();
  };

  /** Ends a task in memory. */
  const endInMemory = ({ id, fingerprint }: Task, outcome: Outcome): void => {
    recent.put(id, { fingerprint, outcome });
    forget(id);
    answer(id, outcome);
  };

  /** Ends a task whose outcome must not be lost. */
  const end = async (task: Task, outcome: Outcome): Promise<void> => {
    task.phase = 'ending';
    if (task.urgent) {
      endInMemory(task, outcome);
      return;
    }
    const entry = await settling.settle(task.id, outcome);
    forget(task.id);
    if (entry !== undefined) answerFrom(entry);
  };

  /**
   * Ends a task that never began; durably if that is possible, so that a late re-delivery is answered alike. The refusal
   * of a round waits for the journal: a restored hub may send that round again, and it must not be carried out then.
   */
  const refuse = async (task: Task, outcome: Outcome): Promise<void> => {
    if (isRound(task.id)) return end(task, outcome);
    task.phase = 'ending';
    if (task.urgent) {
      endInMemory(task, outcome);
      return;
    }
    try {
      const entry = await settling.once(task.id, outcome);
      forget(task.id);
      answerFrom(entry);
    } catch (error) {
      log('error', `The refusal of ${task.id} is not in the journal: ${String(error)}`);
      endInMemory(task, outcome);
    }
  };

  /** Ends a task whose start the journal did not take. */
  const refuseStart = async (task: Task, outcome: Outcome): Promise<void> => {
    if (isRound(task.id)) return end(task, outcome);
    endInMemory(task, outcome);
  };

  const add = (task: Partial<Task> & { id: string }): Task => {
    const added: Task = { ...ENDING, ...task };
    tasks.set(added.id, added);
    return added;
  };

  return {
    size: (): number => tasks.size,
    get: (id: string): Task | undefined => tasks.get(id),
    recent: recent.get,
    add,
    answer,
    answerFrom,
    end,
    refuse,
    refuseStart,
    /** Ends a task that an earlier process started; it never runs again. */
    endLeftOver: ({ id, fingerprint, name = '' }: JournalEntry): Promise<void> => {
      return end(add({ id, fingerprint }), leftOver(classOf(name)));
    },
    /** Resolves when every task has ended, at the latest after `withinMs`. */
    idle: async (withinMs: number): Promise<void> => {
      if (tasks.size > 0) await idle.sleep(withinMs);
    },
    close: settling.close,
  };
};
