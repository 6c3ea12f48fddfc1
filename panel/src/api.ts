import createClient from 'openapi-fetch';
import type { components, paths } from './api-types.ts';
import { reportDate } from './clock.ts';
import { reportConnection } from './connection.ts';
import { fetchPatiently } from './patience.ts';

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
type Problem = Schemas['Problem'];

/** The hub's error answer to a request. */
export class ProblemError extends Error {
  override name = 'ProblemError';
  readonly problem: Problem;
  constructor(problem: Problem) {
    super(problem.detail);
    this.problem = problem;
  }
}

/** Whether the hub sent this error. */
export const isCode = (error: unknown, code: Problem['code']): boolean =>
  error instanceof ProblemError && error.problem.code === code;

/** The hub's public REST API. The browser adds the cookie. */
export const api = createClient<paths>({ baseUrl: location.origin, fetch: fetchPatiently });

let whenSignedOut = (): void => undefined;
/** Called when the hub reports that the session is over. */
export const onSignedOut = (listener: () => void): void => {
  whenSignedOut = listener;
};

const GATEWAY_STATUSES = new Set([502, 503, 504]);

api.use({
  onResponse: ({ response }) => {
    const isProblem = response.headers.get('content-type')?.startsWith('application/problem+json') === true;
    // A proxy that answers for a hub that is gone.
    reportConnection(isProblem || !GATEWAY_STATUSES.has(response.status));
    reportDate(response.headers.get('date'));
    if (response.status === 401) whenSignedOut();
  },
  onError: ({ error }) => {
    if (!(error instanceof DOMException && error.name === 'AbortError')) reportConnection(false);
  },
});

const UNREADABLE: Problem = {
  type: '',
  title: '',
  status: 0,
  detail: '',
  instance: '',
  code: 'internal_error',
  requestId: '',
  executed: 'unknown',
  retryable: true,
};

const isProblem = (value: unknown): value is Problem => typeof value === 'object' && value !== null && 'code' in value;

/** The data of an answer. @throws ProblemError for the hub's error answer; TypeError without an answer */
export const dataOf = async <T>(call: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<T> => {
  const { data, error, response } = await call;
  if (response.ok) return data as T;
  throw new ProblemError(
    isProblem(error) ? error : { ...UNREADABLE, status: response.status, detail: `HTTP ${response.status}` },
  );
};

/** Sends a request to an address of the hub outside of its public API. @throws like `dataOf` */
export const hubPage = async <T = undefined>(path: string, body?: object): Promise<T> => {
  const post = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
  const response = await fetch(path, body === undefined ? {} : post);
  const text = await response.text();
  const document: unknown = text === '' ? undefined : JSON.parse(text);
  return dataOf(Promise.resolve(response.ok ? { data: document as T, response } : { error: document, response }));
};
