import { isBadRequest } from './outcome.ts';
import { type ErrorCode, HubProblem, type Problem } from './problem.ts';
import type { Call, CallOptions, Transport } from './transport.ts';

/** Whether the hub has stored what makes commands later: a batch, a schedule, a run, an order. */
export type Stored<T> = (
  | { stored: 'yes'; value: T; reason?: undefined; problem?: undefined }
  /** It is not stored, and nothing of it will happen. */
  | { stored: 'no'; reason: ErrorCode; problem: Problem }
  /** It may be stored. Ask again with the same `key`. */
  | { stored: 'unknown'; reason: 'no_answer' | 'aborted'; problem?: Problem; detail?: string }
) & {
  /** The Idempotency-Key; undefined where the hub needs none to do it once. */
  key: string | undefined;
};

/** Sends what the hub stores once, until that is known or the time is over. @throws HubProblem as for a command */
export const store = async <T>(
  { persist }: Transport,
  call: Call,
  key: string | undefined,
  options: CallOptions = {},
): Promise<Stored<T>> => {
  const tried = await persist({ ...call, isRepeatable: true, isOpen: () => false }, options);
  const { answer, isLost, isAborted, why } = tried;
  const problem = answer?.problem;
  if (answer !== undefined && problem === undefined) return { stored: 'yes', value: answer.body as T, key };
  if (problem?.code === 'idempotency_mismatch') throw new HubProblem(problem);
  if (problem !== undefined && !isLost) {
    if (isBadRequest(problem)) throw new HubProblem(problem);
    if (problem.executed === 'no') return { stored: 'no', reason: problem.code, problem, key };
  }
  const reason = isAborted ? 'aborted' : 'no_answer';
  return { stored: 'unknown', reason, ...(problem && { problem }), ...(why !== '' && { detail: why }), key };
};
