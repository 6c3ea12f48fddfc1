import { api, type Command, ProblemError, type Schemas } from '../api.ts';
import type { paths } from '../api-types.ts';
import type { BuiltIn } from '../commands/kinds.ts';

type PathOf<N extends string> = `/api/v2/bridge/{serverId}/${N}`;
/** The built-in commands for one player. */
export type OrderName = Exclude<BuiltIn, 'announce'>;
export type BodyOf<N extends BuiltIn> = paths[PathOf<N>]['post']['requestBody']['content']['application/json'];

/** A command that the user requests. */
export type Order = { serverId: string } & (
  | { [N in BuiltIn]: { name: N; body: BodyOf<N> } }[BuiltIn]
  /** One of the game server's own: `command` is its name. */
  | { name: 'custom'; command: string; params: Record<string, unknown> }
  /** The opposite of the command with this id, which the hub makes once. */
  | { name: 'undo'; id: string; reason?: string }
  /** The command with this id once more: it had no effect. */
  | { name: 'again'; id: string }
);

/** The progress of a command. Only `done`, `before` and `refused` are final; the dialog ends with `waiting`, too. */
export type Phase =
  | { is: 'asking' }
  | { is: 'sending' }
  /** No answer came back; it is asked again under the same key. */
  | { is: 'lost' }
  | { is: 'doubt'; id: string }
  | { is: 'done'; command: Command }
  /** It waits for its server or its player, and it may wait for days. */
  | { is: 'waiting'; command: Command }
  /** An undo that another request has sent before. `command`: as far as the key may read it. */
  | { is: 'before'; id: string | undefined; command: Command | undefined }
  /** The command took effect after all, or another request has repeated it before. */
  | { is: 'repeated'; id: string | undefined }
  | { is: 'refused'; error: ProblemError }
  | { is: 'unknown'; id: string | undefined }
  | { is: 'gaveUp' };

const WAIT_SECONDS = 10;
const PAUSE_MS = 1_000;
/** The panel repeats a request by itself for this long; then a person decides. */
const LOST_FOR_MS = 60_000;
const DOUBT_FOR_MS = 10 * 60_000;

const send = (order: Order, key: string) => {
  const Prefer = `wait=${WAIT_SECONDS}`;
  if (order.name === 'undo') {
    // The id of the request tells whether this dialog or another user has undone the command.
    const headers = { Prefer, 'X-Request-Id': key };
    const { id, reason } = order;
    const body = reason === undefined ? {} : { reason };
    return api.POST('/api/v2/commands/{id}/undo', { params: { path: { id } }, headers, body });
  }
  if (order.name === 'again') {
    const headers = { Prefer, 'X-Request-Id': key };
    return api.POST('/api/v2/commands/{id}/again', { params: { path: { id: order.id } }, headers });
  }
  const headers = { 'Idempotency-Key': key, Prefer };
  const path = { serverId: order.serverId };
  if (order.name === 'custom') {
    return api.POST('/api/v2/bridge/{serverId}/actions/{name}', {
      params: { path: { ...path, name: order.command } },
      headers,
      // Only the game server knows the valid parameters; the API document describes them as an object.
      body: order.params as Record<string, never>,
    });
  }
  // The body belongs to the name, which the compiler does not follow through a union.
  return api.POST(`/api/v2/bridge/{serverId}/${order.name}`, { params: { path }, headers, body: order.body as never });
};

type Problem = Schemas['Problem'];

const phaseOf = (problem: Problem): Phase => {
  const { code, executed, command } = problem;
  // The command itself may have been sent before.
  if (code === 'signed_out' || code === 'missing_api_key') return { is: 'gaveUp' };
  if (code === 'indeterminate' || (code === 'bridge_error' && executed === 'unknown')) {
    return { is: 'unknown', id: command?.id };
  }
  if (executed === 'no') return { is: 'refused', error: new ProblemError(problem) };
  return command === undefined ? { is: 'lost' } : { is: 'doubt', id: command.id };
};

/** The outcome of a command that is not sent again. It may be the repeat of this dialog, whose answer was lost. */
const phaseOfRepeat = async (id: string, key: string): Promise<Phase> => {
  const { data, response } = await api.GET('/api/v2/commands/{id}', { params: { path: { id } } });
  // A key that may not read it; a limit or a restart says nothing about it.
  if (data === undefined) return { is: response.status === 403 ? 'repeated' : 'doubt', id };
  if (data.requestId !== key) return { is: 'repeated', id };
  if (data.status === 'waiting') return { is: 'waiting', command: data };
  if (data.executed === 'yes') return { is: 'done', command: data };
  // One that has ended without effect by now is sent once more, like the first one.
  return data.settledAt === null || data.executed === 'no' ? { is: 'doubt', id } : { is: 'unknown', id };
};

const ask = async (order: Order, key: string): Promise<Phase> => {
  try {
    const { data, error, response } = await send(order, key);
    if (data !== undefined) {
      if (data.status === 'waiting') return { is: 'waiting', command: data };
      if (response.status === 202) return { is: 'doubt', id: data.id };
      const isEarlier = order.name === 'undo' && data.requestId !== key && data.undoes === order.id;
      return isEarlier ? { is: 'before', id: data.id, command: data } : { is: 'done', command: data };
    }
    if (typeof error !== 'object' || error === null || !('code' in error)) return { is: 'lost' };
    const problem = error as Problem;
    if (order.name !== 'again' || problem.code !== 'already_sent') return phaseOf(problem);
    return await phaseOfRepeat(problem.command?.id ?? order.id, key);
  } catch {
    return { is: 'lost' };
  }
};

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, PAUSE_MS));

/** An attempt that was sent and has no known outcome. */
export type Open = Extract<Phase, { is: 'lost' | 'doubt' }>;

/** A refusal of the request itself (a limit, a restart) says nothing about the attempt that was sent before. */
const isOfThisAttempt = (phase: Phase): boolean => phase.is === 'refused' && phase.error.problem.command === undefined;

const isUnsettled = (phase: Phase): phase is Open => phase.is === 'lost' || phase.is === 'doubt';

/**
 * Sends a command until the hub reports its outcome: every repetition has the same key, so it runs once. `report` gets
 * each phase; `isWanted` stops the requests, not the command. `open`: the last phase of an earlier attempt. Returns the
 * last phase.
 */
export const carryOut = async (
  order: Order,
  key: string,
  { report, isWanted, open }: { report: (phase: Phase) => void; isWanted: () => boolean; open?: Open | undefined },
): Promise<Phase | undefined> => {
  const start = Date.now();
  let before = open;
  report({ is: 'sending' });
  while (isWanted()) {
    const answer = await ask(order, key);
    if (!isWanted()) return undefined;
    let phase = before !== undefined && isOfThisAttempt(answer) ? before : answer;
    if (isUnsettled(phase)) {
      before = phase;
      if (Date.now() - start > (phase.is === 'lost' ? LOST_FOR_MS : DOUBT_FOR_MS)) phase = { is: 'gaveUp' };
    }
    report(phase);
    if (!isUnsettled(phase)) return phase;
    await pause();
  }
  return undefined;
};
