import type { operations, paths } from './api-types.ts';
import { type EventOptions, follow, type HubEvent } from './events.ts';
import { carryOut, followTo, type Happened, newKey, type Outcome, type UntilOptions } from './outcome.ts';
import { type Call, type CallOptions, filled, type Transport } from './transport.ts';

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

/** A method of the API. */
export type Method = 'get' | 'post' | 'patch' | 'delete';
/** The paths of the OpenAPI document that have this method. */
export type PathsWith<M extends Method> = {
  [P in keyof paths]: paths[P] extends Record<M, { responses: object }> ? P : never;
}[keyof paths];
type OperationAt<P, M extends Method> = P extends keyof paths ? paths[P][M] : never;
type BodyIn<T> = T extends { content: infer C } ? C[keyof C] : undefined;
type Good<R> = { [S in keyof R]: S extends 200 | 201 | 202 | 204 ? BodyIn<R[S]> : never }[keyof R];
/** The answer of an operation. */
export type ResultOf<O> = O extends { responses: infer R } ? Exclude<Good<R>, undefined> | Nothing<R> : never;
type Nothing<R> = 204 extends keyof R ? undefined : never;
type PartOf<O, N extends string> = O extends { parameters: { [K in N]?: infer V extends object } } ? V : undefined;

/** The parts that a request of `request` may have, by the OpenAPI document. */
export type RequestParts<O> = {
  path?: PartOf<O, 'path'> | undefined;
  query?: PartOf<O, 'query'> | undefined;
  body?: (O extends { requestBody?: { content: { 'application/json': infer B } } } ? B : undefined) | undefined;
  headers?: Record<string, string | undefined> | undefined;
};

/** The functions that both entries offer, over one transport. */
export const coreOf = (transport: Transport) => {
  /** @throws HubProblem, as `carryOut` */
  const send = async (
    path: string,
    { key = newKey(), body, query }: { key?: string | undefined; body: unknown; query?: object },
    options: CallOptions,
  ): Promise<Outcome> => {
    const headers = { 'Idempotency-Key': key };
    return { ...(await carryOut(transport, { method: 'POST', path, query, body, headers }, options)), key };
  };

  return {
    /**
     * Sends a built-in command, such as `command('money', { serverId, target, type, amount, action, key })`.
     * @throws HubProblem for a bad request, which had no effect, and for idempotency_mismatch; TypeError
     */
    command: <N extends CommandName>(
      name: N,
      { serverId, key, ...body }: CommandInput<N>,
      options: CallOptions = {},
    ): Promise<Outcome> => send(filled(`/api/v2/bridge/{serverId}/${name}`, { serverId }), { key, body }, options),

    /** Runs a custom command of a game server. @throws as `command` */
    action: ({ serverId, name, params, key, ...query }: ActionInput, options: CallOptions = {}): Promise<Outcome> =>
      send(
        filled('/api/v2/bridge/{serverId}/actions/{name}', { serverId, name }),
        { key, body: params, query },
        options,
      ),

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

    /** The hub's events, for ever; `break` or the signal ends it. @throws HubProblem if the hub refuses the stream */
    events: (options: EventOptions = {}): AsyncGenerator<HubEvent, void> => follow(transport, options),

    /**
     * Any other request by its path in the OpenAPI document. Only GET is sent again after a lost answer.
     * @throws HubProblem, HubUnreachable, TypeError, the reason of the signal
     */
    request: async <M extends Method, P extends PathsWith<M>>(
      method: M,
      path: P,
      parts: RequestParts<OperationAt<P, M>> = {},
      options: CallOptions = {},
    ): Promise<ResultOf<OperationAt<P, M>>> => {
      // The document's types go no further than this.
      const { path: values = {}, ...rest } = parts as Omit<Call, 'method' | 'path'> & { path?: object };
      const call = {
        ...rest,
        method: method.toUpperCase(),
        path: filled(path, values),
        isRepeatable: method === 'get',
      };
      return transport.request(call, options) as Promise<ResultOf<OperationAt<P, M>>>;
    },
  };
};
