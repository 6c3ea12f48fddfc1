import { HubProblem, HubUnreachable, type Problem } from './problem.ts';

/** Where a hub is, and who asks. */
export type HubOptions = {
  /** Such as `https://hub.example.org`, with a path if the hub is below one. */
  url: string;
  /** The secret of an API key, `cw_live_…`. Without it the browser's cookies count. */
  apiKey?: string | undefined;
  /** Another `fetch`, by default the platform's. */
  fetch?: ((request: Request) => Promise<Response>) | undefined;
  /** The `timeoutMs` of calls that name none, by default 60,000. */
  timeoutMs?: number | undefined;
};

/** The options of every call. */
export type CallOptions = {
  /** Ends the waiting. A command that was sent goes on; its outcome is then `unknown`. */
  signal?: AbortSignal | undefined;
  /** How long to go on asking, milliseconds, by default that of the hub. 0: one request only. */
  timeoutMs?: number | undefined;
};

/** One request, and what may be repeated of it. */
export type Call = {
  method: string;
  path: string;
  query?: object | undefined;
  body?: unknown;
  headers?: Record<string, string | undefined> | undefined;
  /** The hub carries out repeated requests once: after a lost answer it is sent again. */
  isRepeatable?: boolean | undefined;
  /** Asks the hub to wait for the outcome, for ten seconds at most. */
  waits?: boolean | undefined;
  /** Whether this answer leaves the end open, so that the same is asked again. */
  isOpen?: ((answer: Answer) => boolean) | undefined;
};

/** An answer of the hub. `problem`: it is an error. */
export type Answer = { status: number; headers: Headers; body?: unknown; problem?: Problem; retryAfterMs: number };

/** How a call went: `answer` is the last one, and `isLost` says that one of its requests was never answered. */
export type Tried = {
  answer: Answer | undefined;
  /** The last answer that left the end open. */
  open: Answer | undefined;
  isLost: boolean;
  isAborted: boolean;
  /** Why the last lost request has no answer. */
  why: string;
};

const TIMEOUT_MS = 60_000;
/** A hub waits ten seconds for an outcome; after twice as long its answer is lost. */
const WAIT_S = 10;
const ATTEMPT_MS = 20_000;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;

/** Refusals that last for minutes: the caller decides. */
const LASTING = /^(bridge_offline|waiting_full|server_restarting)$/;

/** The hub has done nothing, and soon takes the same request. */
const isPassing = ({ status, problem }: Answer): boolean =>
  problem?.executed === 'no' &&
  problem.retryable &&
  problem.command === undefined &&
  [408, 429, 503].includes(status) &&
  !LASTING.test(problem.code);

/** The hub cannot say whether it stored the request. */
const isDoubtful = ({ problem }: Answer): boolean => problem?.executed === 'unknown' && problem.command === undefined;

/** As long as this the hub waits for the outcome, so that its answer comes before the caller's time is over. */
const waitHeader = (ms: number): string => `wait=${Math.max(1, Math.min(WAIT_S, Math.floor(ms / 1000) - 1))}`;

/** A signal that comes after this time, with the other signal, or when it is cut. */
export const limited = (ms: number, signal?: AbortSignal) => {
  const controller = new AbortController();
  const cut = (): void => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', cut);
    controller.abort(signal?.reason ?? 'no answer');
  };
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** Begins the time anew. */
  const extend = (): void => {
    clearTimeout(timer);
    timer = setTimeout(cut, ms);
  };
  extend();
  signal?.addEventListener('abort', cut);
  if (signal?.aborted) cut();
  return {
    signal: controller.signal,
    cut,
    extend,
  };
};

/** Waits for a signal. */
export const ended = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', resolve as () => void);
  });

/** Waits, but not longer than until the signal. */
export const sleep = (ms: number, signal?: AbortSignal): Promise<void> => ended(limited(ms, signal).signal);

/** A path with its parameters. @throws TypeError for a value that would make it another path */
export const filled = (template: string, values: object): string =>
  template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = String((values as Record<string, unknown>)[name] ?? '');
    if (/^\.{0,2}$/.test(value)) throw new TypeError(`${name} is empty, or a path`);
    return encodeURIComponent(value);
  });

/** The hub's answer; undefined, or an error: no hub has sent it. */
export const readAnswer = async (response: Response): Promise<Answer | undefined> => {
  const { status, headers } = response;
  const type = status < 300 ? headers.get('content-type') : '';
  const text = await response.text();
  const answer = { status, headers, retryAfterMs: Number(headers.get('retry-after')) * 1000 || 0 };
  if (status === 204) return answer;
  if (type?.startsWith('text/csv')) return { ...answer, body: text };
  const body = JSON.parse(text);
  // A hub whose database is down answers with its health and 503.
  if (type?.startsWith('application/json') || body?.api) return { ...answer, body };
  return typeof body?.code === 'string' && body.executed !== undefined ? { ...answer, body, problem: body } : undefined;
};

/** The values that are there, by their names. */
const given = (values: object): [string, string][] => Object.entries(values).filter(([, value]) => value !== undefined);

export const createTransport = ({ url, apiKey, fetch: own, timeoutMs: usual = TIMEOUT_MS }: HubOptions) => {
  const base = new URL(url).href.replace(/\/+$/, '');
  // `localhost:8080` is a URL, too.
  if (!/^https?:/.test(base)) throw new TypeError('url is not http');

  /** @throws TypeError for a request that cannot be made */
  const requestOf = ({ method, path, query = {}, body, headers = {} }: Call, signal?: AbortSignal): Request => {
    const target = new URL(base + path);
    target.search = `${new URLSearchParams(given(query))}`;
    const type = body === undefined ? body : 'application/json';
    return new Request(target, {
      method,
      headers: given({ 'X-API-Key': apiKey, 'Content-Type': type, ...headers }),
      // A redirected POST would arrive as a GET.
      redirect: 'manual',
      body: JSON.stringify(body),
      signal: signal ?? null,
    });
  };

  const open = (call: Call, signal: AbortSignal): Promise<Response> => (own ?? fetch)(requestOf(call, signal));

  /** One request. A text says why no hub has answered it. */
  const attempt = async (call: Call, ms: number, signal?: AbortSignal): Promise<Answer | string> => {
    const limit = limited(ms, signal);
    let why = '';
    try {
      const response = await open(call, limit.signal);
      why = `HTTP ${response.status}, not from a hub`;
      return (await readAnswer(response)) ?? why;
    } catch (error) {
      return why || String((error as Error | undefined)?.cause ?? error);
    } finally {
      limit.cut();
    }
  };

  /** Sends a call until an answer ends it or its time is over; after a lost answer again only if it is repeatable. */
  const persist = async (call: Call, { signal, timeoutMs = usual }: CallOptions): Promise<Tried> => {
    signal?.throwIfAborted();
    // Whatever cannot be sent at all is thrown here.
    requestOf(call);
    const { isRepeatable, isOpen } = call;
    const isAborted = (): boolean => !!signal?.aborted;
    const end = performance.now() + timeoutMs;
    let answer: Answer | undefined;
    let open: Answer | undefined;
    let isLost = false;
    let why = '';
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      const ms = timeoutMs > 0 ? Math.min(end - performance.now(), ATTEMPT_MS) : ATTEMPT_MS;
      const headers = { Prefer: call.waits ? waitHeader(ms) : undefined, ...call.headers };
      const got = await attempt({ ...call, headers }, ms, signal);
      let wait = pause;
      if (typeof got === 'string') {
        answer = undefined;
        why = got;
        isLost = true;
        if (!isRepeatable) break;
      } else {
        answer = got;
        const isStillOpen = isOpen?.(got);
        const isDoubt = isOpen && isDoubtful(got);
        if (isStillOpen) open = got;
        if (isDoubt) isLost = true;
        if (!isStillOpen && !isDoubt && !isPassing(got)) break;
        // The hub has waited for an open command already.
        wait = isStillOpen ? FIRST_PAUSE_MS : Math.max(pause, got.retryAfterMs);
      }
      wait *= 1 + Math.random() / 4;
      if (performance.now() + wait >= end) break;
      await sleep(wait, signal);
      if (isAborted() || performance.now() >= end) break;
    }
    return { answer, open, isLost, isAborted: isAborted(), why };
  };

  /** The body of the answer. @throws HubProblem, HubUnreachable, the reason of the signal */
  const request = async (call: Call, options: CallOptions): Promise<unknown> => {
    const { answer, why } = await persist(call, options);
    if (answer?.problem) throw new HubProblem(answer.problem, answer.retryAfterMs);
    if (answer) return answer.body;
    options.signal?.throwIfAborted();
    throw new HubUnreachable(why);
  };

  return { open, persist, request, usual };
};
export type Transport = ReturnType<typeof createTransport>;
