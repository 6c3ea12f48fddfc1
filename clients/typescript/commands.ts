import type { operations } from './api-types.ts';
import { type EventOptions, follow, type HubEvent } from './events.ts';
import { carryOut, followTo, type Happened, newKey, type Outcome, type UntilOptions } from './outcome.ts';
import { callOf, type OperationAt, type RequestParts, requestOf } from './request.ts';
import type { CallOptions, Transport } from './transport.ts';

/** The built-in commands of a game server. */
export type CommandName =
  | ('kick' | 'money' | 'items' | 'vehicles' | 'job')
  | ('announce' | 'message' | 'revive' | 'heal' | 'freeze' | 'teleport');
type BodyOf<N extends CommandName> = operations[N]['requestBody']['content']['application/json'];
/**
 * `key`: the Idempotency-Key, made from what pays (an order, a vote), 1 to 255 printable ASCII characters. Without it a new
 * one is made.
 */
export type CommandInput<N extends CommandName> = { serverId: string; key?: string | undefined } & BodyOf<N>;

/** A command that a game server has defined itself. */
export type ActionInput = {
  serverId: string;
  name: string;
  params: Record<string, unknown>;
  key?: string | undefined;
} & NonNullable<operations['runAction']['parameters']['query']>;

/** The requests that make one command of another, however often they are sent. */
type CommandPath = '/api/v2/commands/{id}/undo' | '/api/v2/commands/{id}/again';

/** Commands with their outcomes, over one transport. */
export const commandsOf = (transport: Transport) => {
  /** @throws HubProblem, as `carryOut` */
  const outcome = (path: string, parts: object, options: CallOptions = {}): Promise<Happened> =>
    carryOut(transport, callOf('post', path, parts), options);

  const send = (
    path: string,
    { key = newKey(), ...parts }: { path: object; key?: string | undefined; body: unknown; query?: object },
    options?: CallOptions,
  ): Promise<Outcome> =>
    outcome(path, { ...parts, headers: { 'Idempotency-Key': key } }, options).then((happened) => ({
      ...happened,
      key,
    }));

  return {
    /**
     * Sends a built-in command, such as `command('money', { serverId, target, type, amount, action, key })`.
     * @throws HubProblem for a bad request, which had no effect, and for idempotency_mismatch; TypeError
     */
    command: <N extends CommandName>(
      name: N,
      { serverId, key, ...body }: CommandInput<N>,
      options?: CallOptions,
    ): Promise<Outcome> => send(`/api/v2/bridge/{serverId}/${name}`, { path: { serverId }, key, body }, options),

    /** Runs a custom command of a game server. @throws as `command` */
    action: ({ serverId, name, params, key, ...query }: ActionInput, options?: CallOptions): Promise<Outcome> =>
      send('/api/v2/bridge/{serverId}/actions/{name}', { path: { serverId, name }, key, body: params, query }, options),

    /** Undoes a command, or sends it again. `X-Request-Id` tells the command of this caller from another's. @throws as `command` */
    outcome: outcome as <P extends CommandPath>(
      path: P,
      parts: RequestParts<OperationAt<P, 'post'>>,
      options?: CallOptions,
    ) => Promise<Happened>,

    /**
     * Waits until a command has ended, by its id, for at most `timeoutMs`. Needs the scope `commands:read`.
     * @throws HubProblem: the key may not read it, or there is no such command
     */
    until: (command: string | { id: string }, { by, ...options }: UntilOptions = {}): Promise<Happened> => {
      const id = typeof command === 'string' ? command : command.id;
      const listen = async (changed: () => void, signal: AbortSignal): Promise<void> => {
        try {
          const types = ['command.settled'] as const;
          for await (const { type, data } of follow(transport, { signal, types, onOpen: changed })) {
            if (type !== 'command.settled' || data.id === id) changed();
          }
        } catch {
          // The key may have no right to the stream; looking again and again goes on.
        }
      };
      return followTo(transport, id, options, by === 'stream' ? listen : undefined);
    },
  };
};

/** The functions that both entries offer, over one transport. */
export const coreOf = (transport: Transport) => ({
  request: requestOf(transport),
  ...commandsOf(transport),

  /** The hub's events, for ever; `break` or the signal ends it. @throws HubProblem if the hub refuses the stream */
  events: (options: EventOptions = {}): AsyncGenerator<HubEvent, void> => follow(transport, options),
});
