import { type ErrorCode, HubProblem } from '../../clients/typescript/problem.ts';
import { type Loose, type PathsWith, requestOf } from '../../clients/typescript/request.ts';
import { createTransport } from '../../clients/typescript/transport.ts';
import type { components, paths } from './api-types.ts';
import { reportDate } from './clock.ts';
import { fetchPatiently } from './patience.ts';
import { createStore } from './store.ts';

const connected = createStore(true);

/** The result of the last request. A stream that fails is none: a proxy may cut streams alone, so another request tells. */
const reportConnection = (isConnected: boolean, { headers }: Request): void => {
  if (!isConnected && headers.get('accept') === 'text/event-stream') {
    hub.request('get', '/api/v2/panel/session').catch(() => undefined);
  } else if (isConnected !== connected.get()) connected.set(isConnected);
};

/** Whether the hub answers. */
export const useConnected = connected.use;

export { HubProblem };
export type Schemas = components['schemas'];
export type Command = Schemas['Command'];
export type Player = Schemas['Player'];
export type PlayerSummary = Schemas['PlayerSummary'];
export type Server = Schemas['Server'];
export type Integration = Schemas['Integration'];
export type OrderLine = Schemas['OrderLine'];
export type ApiKey = Schemas['ApiKey'];
export type PanelSession = Schemas['PanelSession'];
export type Scope = PanelSession['scopes'][number];

/** A refusal by the panel, whose code only the panel knows. */
export const notSent = (code: string): HubProblem =>
  new HubProblem({
    ...{ type: '', title: '', status: 0, detail: '', instance: '', requestId: '' },
    ...{ code, executed: 'no', retryable: false },
  } as never);

/** The filters of a list. */
export type QueryOf<P extends PathsWith<'get'>> = Loose<
  NonNullable<paths[P]['get'] extends { parameters: { query?: infer Q } } ? Q : never>
>;

export const isCode = (error: unknown, code: ErrorCode): boolean => error instanceof HubProblem && error.code === code;

let whenSignedOut = (): void => undefined;
/** Called when the hub reports that the session is over. */
export const onSignedOut = (listener: () => void): void => {
  whenSignedOut = listener;
};

const GATEWAY_STATUSES = new Set([502, 503, 504]);

/** Sends a request, and notes what its end says about the hub. */
const fetchWatched = async (request: Request): Promise<Response> => {
  // If the answer is lost, the panel finds the command or batch by this id.
  const key = request.headers.get('idempotency-key');
  if (key !== null) request.headers.set('X-Request-Id', key);
  try {
    const response = await fetchPatiently(request);
    const isProblem = response.headers.get('content-type')?.startsWith('application/problem+json') === true;
    // A proxy that answers for a hub that is gone.
    reportConnection(isProblem || !GATEWAY_STATUSES.has(response.status), request);
    reportDate(response.headers.get('date'));
    if (response.status === 401) whenSignedOut();
    return response;
  } catch (error) {
    if (!(error instanceof DOMException && error.name === 'AbortError')) reportConnection(false, request);
    throw error;
  }
};

/** The way to the hub. The browser adds the cookie. Each call is one request: lists and dialogs repeat theirs themselves. */
export const transport = createTransport({ url: location.origin, fetch: fetchWatched, timeoutMs: 0 });
export const hub = { request: requestOf(transport) };

/**
 * Sends a request to an address of the hub outside of its public API.
 * @throws HubProblem for the hub's error answer, another error without an answer
 */
export const hubPage = async <T = undefined>(path: string, body?: object): Promise<T> => {
  const post = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
  const response = await fetch(path, body === undefined ? {} : post);
  const text = await response.text();
  const document = text === '' ? undefined : JSON.parse(text);
  if (!response.ok) throw new HubProblem(document);
  return document;
};
