import { commandsOf } from '../../../clients/typescript/commands.ts';
import type { Happened } from '../../../clients/typescript/outcome.ts';
import { type Command, HubProblem, transport } from '../api.ts';
import type { paths } from '../api-types.ts';
import type { BuiltIn } from '../commands/kinds.ts';

type PathOf<N extends string> = `/api/v2/bridge/{serverId}/${N}`;
/** The built-in commands for one player. */
export type OrderName = Exclude<BuiltIn, 'announce'>;
type BodyOf<N extends BuiltIn> = paths[PathOf<N>]['post']['requestBody']['content']['application/json'];

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
  | { is: 'refused'; error: HubProblem }
  | { is: 'unknown'; id: string | undefined }
  | { is: 'gaveUp' };

const hub = commandsOf(transport);

const PAUSE_MS = 1_000;
/** The panel repeats a request by itself for this long; then a person decides. */
const LOST_FOR_MS = 60_000;
const DOUBT_FOR_MS = 10 * 60_000;

const send = (order: Order, key: string): Promise<Happened> => {
  const { serverId } = order;
  // The id of the request of an undo or a repeat tells whether this dialog or another user has sent it.
  const headers = { 'X-Request-Id': key };
  if (order.name === 'undo') {
    const { id, reason } = order;
    const body = reason === undefined ? {} : { reason };
    return hub.outcome('/api/v2/commands/{id}/undo', { path: { id }, headers, body });
  }
  if (order.name === 'again') return hub.outcome('/api/v2/commands/{id}/again', { path: { id: order.id }, headers });
  if (order.name === 'custom') return hub.action({ serverId, name: order.command, params: order.params, key });
  // The body belongs to the name, which the compiler does not follow through a union.
  return hub.command(order.name, { serverId, key, ...order.body } as never);
};

const phaseOf = ({ happened, reason, command, problem }: Happened): Phase => {
  if (happened === 'yes' || happened === 'waiting') return { is: happened === 'yes' ? 'done' : happened, command };
  if (happened === 'no') {
    // Only the undo of a command that was not sent, and never will be, has no problem.
    return problem === undefined
      ? { is: 'done', command: command as Command }
      : { is: 'refused', error: new HubProblem(problem) };
  }
  if (reason === 'indeterminate' || reason === 'bridge_error') return { is: 'unknown', id: command?.id };
  return command === undefined ? { is: 'lost' } : { is: 'doubt', id: command.id };
};

/** The outcome of a command that is not sent again. It may be the repeat of this dialog, whose answer was lost. */
const phaseOfRepeat = async (id: string, key: string): Promise<Phase> => {
  try {
    const repeat = await hub.until(id);
    const { happened, command } = repeat;
    if (command !== undefined && command.requestId !== key) return { is: 'repeated', id };
    // One that has ended without effect by now is sent once more, like the first one.
    return command === undefined || happened === 'no' ? { is: 'doubt', id } : phaseOf(repeat);
  } catch (error) {
    // A key that may not read it; a session that is over says nothing about it.
    return { is: error instanceof HubProblem && error.problem.status === 403 ? 'repeated' : 'doubt', id };
  }
};

const ask = async (order: Order, key: string): Promise<Phase> => {
  try {
    const outcome = await send(order, key);
    const { happened, reason, command } = outcome;
    if (order.name === 'again' && reason === 'already_sent') return await phaseOfRepeat(command?.id ?? order.id, key);
    const isEarlier =
      order.name === 'undo' && happened === 'yes' && command.requestId !== key && command.undoes === order.id;
    return isEarlier ? { is: 'before', id: command.id, command } : phaseOf(outcome);
  } catch (error) {
    if (!(error instanceof HubProblem)) return { is: 'lost' };
    // The command itself may have been sent before.
    const isOut = error.code === 'signed_out' || error.code === 'missing_api_key';
    return isOut ? { is: 'gaveUp' } : { is: 'refused', error };
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
