import type { Journal, Outcome } from '../journal/journal.ts';
import { LIMITS } from '../wire/limits.ts';
import type { BridgeMessage, HubMessage, MessageOf } from '../wire/messages.ts';
import {
  boundOutcome,
  type Call,
  type Handlers,
  outcomeOf,
  rejected,
  resultMessage,
  unfinished,
  VOIDED,
} from './handlers.ts';
import type { Log } from './options.ts';
import { createLanes, createTasks, type Received, type Task } from './queue.ts';

/** Samples kept: about a minute of pings. */
const SAMPLES = 4;

/**
 * An estimate of the hub's clock. Every `now` of the hub arrives late, never early, so the largest difference of the
 * last samples is the best one. After a process slept, it reads old frames; older samples are still right then.
 */
export const createHubClock = ({ now }: { now: () => number }) => {
  const offsets: number[] = [];
  return {
    heard: (hubNow: number): void => {
      offsets.push(hubNow - now());
      if (offsets.length > SAMPLES) offsets.shift();
    },
    /** Epoch milliseconds at the hub; the clock of this machine before the first sample. */
    now: (): number => now() + (offsets.length === 0 ? 0 : Math.max(...offsets)),
  };
};
export type HubClock = ReturnType<typeof createHubClock>;

type CommandMessage = MessageOf<HubMessage, 'command'>;

type ExecutorOptions = {
  journal: Journal;
  handlers: Handlers;
  clock: HubClock;
  received: Received;
  send: (message: BridgeMessage) => void;
  log: Log;
};

const isCall = (prepared: Call | Outcome): prepared is Call => 'run' in prepared;

/** Runs a handler; the command has an outcome in every case. */
const call = async (
  { id, fingerprint }: Task,
  { name, urgent, run }: Call,
  { handlers, log }: Pick<ExecutorOptions, 'handlers' | 'log'>,
): Promise<Outcome> => {
  try {
    const outcome = boundOutcome(name, await run({ id, fingerprint }));
    if (outcome !== undefined) return outcome;
    log('error', `The handler of ${name} did not answer with an outcome for ${id}.`);
  } catch (error) {
    log('error', `The handler of ${name} failed for ${id}: ${String(error)}`);
  }
  // No journal covers ephemeral or custom commands, so nothing proves that they were rolled back.
  return unfinished(urgent ? 'volatile' : handlers.classOf(name), `The handler of ${name} failed.`);
};

/**
 * Carries commands out: each id at most once, per player in the order of arrival, and every answer from the journal
 * where the command needs one. It knows no socket: `send` may lose a message.
 */
export const createExecutor = ({ journal, handlers, clock, received, send, log }: ExecutorOptions) => {
  const tasks = createTasks({ journal, classOf: handlers.classOf, received, send, log });
  let isDraining = false;

  const background = (id: string, work: Promise<void>): void => {
    work.catch((error: unknown) => log('error', `${id}: ${String(error)}`));
  };

  const execute = async (task: Task): Promise<void> => {
    if (task.phase !== 'queued' || task.call === undefined) return;
    if (task.expiresAt <= clock.now()) return tasks.refuse(task, VOIDED);
    task.phase = 'running';
    if (!task.urgent) {
      try {
        const { name, params } = task.call;
        await journal.start(task.id, task.fingerprint, { name, params });
      } catch (error) {
        log('error', `The journal does not take ${task.id}: ${String(error)}`);
        const outcome = rejected('journal_unavailable', 'The journal of the bridge takes no writes.');
        return tasks.refuseStart(task, outcome);
      }
    }
    received.add(task.id);
    await tasks.end(task, await call(task, task.call, { handlers, log }));
  };

  const lanes = createLanes<Task>({
    window: LIMITS.inFlight,
    run: (task) => {
      const work = execute(task).finally(() => lanes.done(task));
      background(task.id, work);
    },
  });

  /** Answers a command whose id is known, without running anything. False when it is new. */
  const answerKnown = ({ id, fingerprint }: CommandMessage): boolean => {
    const task = tasks.get(id);
    const recent = tasks.recent(id);
    const entry = journal.get(id);
    const known = task ?? recent ?? entry;
    if (known === undefined) return false;
    if (known.fingerprint !== '' && known.fingerprint !== fingerprint) {
      tasks.answer(id, rejected('fingerprint_mismatch', 'The id belongs to another command.'));
    } else if (task !== undefined) received.add(id);
    else if (recent !== undefined) tasks.answer(id, recent.outcome);
    else if (entry?.status === 'started') background(id, tasks.endLeftOver(entry));
    else if (entry !== undefined) tasks.answerFrom(entry);
    return true;
  };

  const begin = ({ id, name, params, fingerprint, expiresAt }: CommandMessage): void => {
    const prepared = handlers.prepare(name, params);
    if (!isCall(prepared)) {
      background(id, tasks.refuse(tasks.add({ id, fingerprint }), prepared));
      return;
    }
    const { order: lane, urgent } = prepared;
    const task = tasks.add({ id, lane, urgent, fingerprint, expiresAt, call: prepared, phase: 'queued' });
    if (expiresAt <= clock.now()) background(id, tasks.refuse(task, VOIDED));
    else if (isDraining) {
      const outcome = rejected('server_restarting', 'The game server is about to restart.');
      background(id, tasks.refuse(task, outcome));
    } else {
      // A command that starts at once is reported when its start is in the journal.
      if (lanes.isBusy(lane)) received.add(id);
      lanes.add(task);
    }
  };

  return {
    command: (message: CommandMessage): void => {
      if (answerKnown(message)) return;
      if (tasks.size() < LIMITS.openCommands) begin(message);
      else send({ type: 'error', re: 'command', code: 'busy', message: `${message.id} is one too many.` });
    },
    /** Takes a command back if it has not started; one that runs is answered when it ends. */
    void: (id: string): void => {
      const task = tasks.get(id);
      const recent = tasks.recent(id);
      const entry = journal.get(id);
      if (task?.phase === 'queued') background(id, tasks.end(task, VOIDED));
      else if (task !== undefined) received.add(id);
      else if (recent !== undefined) tasks.answer(id, recent.outcome);
      else if (entry === undefined) background(id, tasks.end(tasks.add({ id }), VOIDED));
      else if (entry.status === 'started') background(id, tasks.endLeftOver(entry));
      else tasks.answerFrom(entry);
    },
    acknowledge: async (ids: readonly string[]): Promise<void> => {
      await journal.acknowledge(ids);
    },
    /** Settles commands that an earlier process started and did not finish. */
    recover: (): void => {
      for (const entry of journal.open()) {
        if (entry.status === 'started') background(entry.id, tasks.endLeftOver(entry));
      }
    },
    /** The results that the hub has not acknowledged, oldest first. */
    openResults: (): BridgeMessage[] =>
      journal.open().flatMap((entry) => {
        const outcome = outcomeOf(entry);
        return outcome === undefined ? [] : [resultMessage(entry.id, outcome, entry.sequence)];
      }),
    isDraining: (): boolean => isDraining,
    /** The number of received commands that have not ended. */
    size: tasks.size,
    draining: (on: boolean): void => {
      isDraining = on;
    },
    /** Resolves when nothing runs any more, at the latest after `withinMs`. */
    idle: tasks.idle,
    /** Gives up on outcomes that the journal does not take; the next process finds them `started`. */
    close: tasks.close,
  };
};
export type Executor = ReturnType<typeof createExecutor>;
