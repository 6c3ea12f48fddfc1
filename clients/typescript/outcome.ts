import type { components } from './api-types.ts';
import { type ErrorCode, HubProblem, type Problem } from './problem.ts';
import { type Answer, type Call, type CallOptions, ended, filled, limited, type Transport } from './transport.ts';

/** A command as the hub's journal shows it. */
export type Command = components['schemas']['Command'];
type Reference = Pick<Command, 'id' | 'status'> & Partial<Command>;

/** Completes with the known texts, and takes others. */
type OrText<T extends string> = T | (string & Record<never, never>);

/** How a command ended, or that nobody can say now. */
export type Happened =
  /** It took effect, once. */
  | { happened: 'yes'; command: Command; reason?: undefined; problem?: undefined }
  /**
   * It did not take effect, and never will. `problem`: the hub's answer, if it was one to this request, and `retryAfterMs`
   * how long it wants no further one.
   */
  | {
      happened: 'no';
      reason: OrText<ErrorCode>;
      command?: Reference | undefined;
      problem?: Problem | undefined;
      retryAfterMs?: number;
    }
  /** It is stored, and waits for its game server or its player. It may still happen. */
  | { happened: 'waiting'; reason: 'server' | 'player'; command: Command; problem?: undefined }
  /**
   * It may have happened, or may still happen. `no_answer`: ask again with the same `key`. `in_doubt`, `accepted`: the hub
   * has stored it, `until` waits for its end. `indeterminate`, `bridge_error`: a person must look. `aborted`: your signal.
   */
  | {
      happened: 'unknown';
      reason: OrText<'no_answer' | 'in_doubt' | 'accepted' | 'aborted' | 'indeterminate' | 'bridge_error'>;
      command?: Reference | undefined;
      problem?: Problem | undefined;
      /** Why there was no answer, for a log. */
      detail?: string | undefined;
    };

/** `key`: the Idempotency-Key. The same command under it never takes effect twice. */
export type Outcome = Happened & { key: string };

const isCommand = (body: unknown): body is Command & { code?: string } =>
  typeof (body as Command | undefined)?.id === 'string' && typeof (body as Command).executed === 'string';

/** The outcome of a command; undefined: it has not ended. */
export const happenedOf = (command: Command): Happened | undefined => {
  const { status, executed, waitingFor = 'server', error } = command;
  if (executed === 'yes') return { happened: 'yes', command };
  if (status === 'waiting') return { happened: 'waiting', reason: waitingFor, command };
  if (status === 'indeterminate') return { happened: 'unknown', reason: status, command };
  if (status === 'accepted' || status === 'dispatched' || executed !== 'no') return undefined;
  return { happened: 'no', reason: status === 'resolved_not_applied' ? status : (error?.code ?? status), command };
};

/** An answer about a command that was sent and has not ended. */
const isOpen = ({ body, problem }: Answer): boolean =>
  problem === undefined ? isCommand(body) && happenedOf(body) === undefined : problem.code === 'bridge_timeout';

/** Refusals that say what is wrong in the game, not with the request. */
const ABOUT_THE_GAME = /^(player_not_found|action_not_found)$/;
/** The request itself is wrong, so nothing of it has happened. */
export const isBadRequest = ({ status, code }: Problem): boolean =>
  status < 500 && ![408, 409, 429].includes(status) && !ABOUT_THE_GAME.test(code);

/** Makes the Idempotency-Key of one command, from 128 random bits. Works in pages without TLS, too. */
export const newKey = (): string => crypto.getRandomValues(new Uint32Array(4)).join('-');

/**
 * Sends a command until its outcome is known, or its time is over.
 * @throws HubProblem: the request is bad, and nothing of it can have taken effect; or idempotency_mismatch
 */
export const carryOut = async ({ persist }: Transport, call: Call, options: CallOptions): Promise<Happened> => {
  const tried = await persist({ ...call, isRepeatable: true, waits: true, isOpen }, options);
  const { answer, open, isLost, isAborted, why } = tried;
  const { body, problem, retryAfterMs = 0 } = answer ?? {};
  const ended = problem === undefined && isCommand(body) ? happenedOf(body) : undefined;
  if (ended !== undefined) return ended;
  const command = problem?.command;
  if (problem !== undefined && problem.code !== 'bridge_timeout') {
    if (problem.code === 'idempotency_mismatch') throw new HubProblem(problem);
    const reason = problem.code;
    if (command !== undefined) {
      // `already_sent` names another command than this one.
      const isOver = problem.executed === 'no' && reason !== 'already_sent';
      // The reason fits to both, which the compiler does not see.
      return { happened: isOver ? 'no' : 'unknown', reason, command, problem } as Happened;
    }
    // A refusal of this request says nothing about one before it that was not answered.
    if (!isLost && open === undefined) {
      if (isBadRequest(problem)) throw new HubProblem(problem);
      if (problem.executed === 'no') return { happened: 'no', reason, problem, retryAfterMs };
    }
  }
  const known = open?.problem?.command ?? (open?.body as Command | undefined);
  const reason = known === undefined ? 'no_answer' : known.status === 'accepted' ? 'accepted' : 'in_doubt';
  return {
    happened: 'unknown',
    reason: isAborted ? 'aborted' : reason,
    command: known,
    problem,
    detail: why,
  };
};

const FIRST_LOOK_MS = 1_000;
const LONGEST_LOOK_MS = 30_000;

/** The options of `until`. */
export type UntilOptions = CallOptions & {
  /** `stream` also listens to the hub's events, which needs `players:read`; by default it only asks again and again. */
  by?: 'polling' | 'stream' | undefined;
};

/**
 * Looks at a command until it has ended, or the time is over. `listen` calls back whenever something may have changed,
 * until its signal. @throws HubProblem: the key may not read it, or there is no such command
 */
export const followTo = async (
  { persist, usual }: Transport,
  id: string,
  { signal, timeoutMs = usual }: CallOptions,
  listen?: (changed: () => void, until: AbortSignal) => void,
): Promise<Happened> => {
  const end = performance.now() + timeoutMs;
  const call: Call = { method: 'GET', path: filled('/api/v2/commands/{id}', { id }), isRepeatable: true };
  const listening = new AbortController();
  let pause = FIRST_LOOK_MS;
  let rest = limited(pause, signal);
  let last: Happened = { happened: 'unknown', reason: 'no_answer' };
  listen?.(() => rest.cut(), listening.signal);
  try {
    for (;;) {
      const { answer, why } = await persist(call, { signal, timeoutMs: Math.max(end - performance.now(), 0) });
      const { body, problem } = answer ?? {};
      if (problem?.retryable === false) throw new HubProblem(problem);
      if (isCommand(body)) {
        last = happenedOf(body) ?? { happened: 'unknown', reason: 'in_doubt', command: body };
        if (last.reason !== 'in_doubt' && last.happened !== 'waiting') return last;
      } else if (last.happened === 'unknown') last = { ...last, detail: why };
      if (performance.now() + pause >= end) return last;
      await ended(rest.signal);
      if (signal?.aborted) return last.happened === 'unknown' ? { ...last, reason: 'aborted' } : last;
      pause = Math.min(pause * 2, LONGEST_LOOK_MS);
      rest = limited(pause, signal);
    }
  } finally {
    rest.cut();
    listening.abort();
  }
};
