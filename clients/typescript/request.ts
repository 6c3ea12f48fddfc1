import type { paths } from './api-types.ts';
import { type Call, type CallOptions, filled, type Transport } from './transport.ts';

/** A method of the API. */
export type Method = 'get' | 'post' | 'patch' | 'delete';
/** The paths of the OpenAPI document that have this method. */
export type PathsWith<M extends Method> = {
  [P in keyof paths]: paths[P] extends Record<M, { responses: object }> ? P : never;
}[keyof paths];
/** The operation of a path and method. */
export type OperationAt<P, M extends Method> = P extends keyof paths ? paths[P][M] : never;
type BodyIn<T> = T extends { content: infer C } ? C[keyof C] : undefined;
type Good<R> = { [S in keyof R]: S extends 200 | 201 | 202 | 204 ? BodyIn<R[S]> : never }[keyof R];
/** The answer of an operation. */
export type ResultOf<O> = O extends { responses: infer R } ? Exclude<Good<R>, undefined> | Nothing<R> : never;
type Nothing<R> = 204 extends keyof R ? undefined : never;
/** The path or the query of an operation; undefined: it has none. */
export type PartOf<O, N extends 'path' | 'query'> = O extends { parameters: { [K in N]?: infer V extends object } }
  ? V
  : undefined;
/** The body of an operation; undefined: it has none. */
export type BodyOfOperation<O> = O extends { requestBody?: { content: { 'application/json': infer B } } }
  ? B
  : undefined;
/** A query whose optional fields may be there without a value: then they are not sent. */
export type Loose<V> = { [K in keyof V]: Record<never, never> extends Pick<V, K> ? V[K] | undefined : V[K] };
/** A part that must be there if the operation cannot do without it. */
type Part<N extends string, V, IsNeeded> = IsNeeded extends true ? Record<N, V> : { [K in N]?: V | undefined };

/** The parts of a request of `request`, by the OpenAPI document. */
export type RequestParts<O> = Part<
  'path',
  PartOf<O, 'path'>,
  O extends { parameters: { path: object } } ? true : false
> &
  Part<'query', Loose<PartOf<O, 'query'>>, O extends { parameters: { query: object } } ? true : false> &
  Part<'body', BodyOfOperation<O>, O extends { requestBody: object } ? true : false> &
  HeadersOf<O>;
type AnyHeaders = Record<string, string | undefined>;
/** Headers that must be there, such as the key under which something is done once, and any others. */
type HeadersOf<O> = O extends { parameters: { header: infer H extends object } }
  ? { headers: H & AnyHeaders }
  : { headers?: AnyHeaders | undefined };
/** The arguments of a call whose input can be left out if nothing in it is needed. */
export type Args<I> =
  Record<never, never> extends I ? [input?: I, options?: CallOptions] : [input: I, options?: CallOptions];

/** A call by its path in the OpenAPI document, whose types go no further than this. */
export const callOf = (method: Method, path: string, parts: object = {}): Call => {
  const { path: values = {}, ...rest } = parts as Omit<Call, 'method' | 'path'> & { path?: object };
  return { ...rest, method: method.toUpperCase(), path: filled(path, values), isRepeatable: method === 'get' };
};

/** Any other request over one transport. */
export const requestOf =
  (transport: Transport) =>
  /**
   * A request by its path in the OpenAPI document. Only GET is sent again after a lost answer.
   * @throws HubProblem, HubUnreachable, TypeError, the reason of the signal
   */
  async <M extends Method, P extends PathsWith<M>>(
    method: M,
    path: P,
    ...[parts, options = {}]: Args<RequestParts<OperationAt<P, M>>>
  ): Promise<ResultOf<OperationAt<P, M>>> =>
    transport.request(callOf(method, path, parts), options) as Promise<ResultOf<OperationAt<P, M>>>;
