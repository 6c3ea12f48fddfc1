import { Agent, request } from 'node:http';
import { expect } from 'vitest';
import { ERRORS } from '../../server/platform/errors.ts';
import { atEnd } from './ends.ts';
import type { TestHub } from './hub.ts';
import { apiContract } from './openapi.ts';

export type Call = {
  method?: string;
  path: string;
  /** Null: none at all. */
  key?: string | null;
  json?: unknown;
  /** As it goes over the wire; `json` is the usual way. */
  body?: string | Uint8Array;
  headers?: Record<string, string>;
};
export type Reply = { status: number; headers: Headers; text: string; body: Record<string, unknown> };

type Sent = { method: string; path: string; headers: Record<string, string>; payload: string | Uint8Array | undefined };

/** For requests that hang; a busy machine takes seconds for many at once. */
const DEADLINE_MS = 30_000;
const SECURITY_HEADERS = [
  ['cache-control', 'no-store'],
  ['content-security-policy', "default-src 'none'; frame-ancestors 'none'"],
  ['cross-origin-resource-policy', 'same-origin'],
  ['referrer-policy', 'no-referrer'],
  ['x-content-type-options', 'nosniff'],
  ['x-frame-options', 'DENY'],
] as const;
/** Patterns of a stack trace, a query and a path of the machine. */
const INSIDES =
  /\n\s+at |node_modules|node:internal|\.[jt]s:\d|file:\/\/|sqlite|drizzle|\bselect\b.+\bfrom\b|zoderror/i;

const contract = await apiContract();

const expectProblem = ({ status, headers, text, body }: Reply, hasBody: boolean): void => {
  expect(text).not.toMatch(INSIDES);
  expect(headers.get('content-type')).toBe('application/problem+json');
  if (!hasBody) return;
  const { code } = body;
  expect(Object.keys(ERRORS)).toContain(code);
  expect(body).toMatchObject({
    status,
    type: `/docs/errors#${code}`,
    title: expect.any(String),
    detail: expect.any(String),
    instance: expect.any(String),
    requestId: headers.get('x-request-id'),
  });
  expect(ERRORS[code as keyof typeof ERRORS].status).toBe(status);
};

/** One request with exact bytes: fetch would normalise addresses and open more connections. */
const exchange = (hub: TestHub, agent: Agent, { method, path, headers, payload }: Sent): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', port: hub.port, method, path, headers, agent });
    const timer = setTimeout(() => outgoing.destroy(new Error(`${method} ${path} takes too long`)), DEADLINE_MS);
    outgoing.on('error', reject);
    outgoing.on('close', () => clearTimeout(timer));
    outgoing.on('response', (incoming) => {
      // The answer came before the whole request was sent: later errors of the socket do not matter.
      if (!outgoing.writableFinished) outgoing.socket?.on('error', () => undefined);
      const chunks: Buffer[] = [];
      const finish = (): void => {
        const text = Buffer.concat(chunks).toString();
        const received = new Headers(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]));
        const isJson = received.get('content-type')?.endsWith('json') === true && text !== '';
        resolve({ status: incoming.statusCode ?? 0, headers: received, text, body: isJson ? JSON.parse(text) : {} });
      };
      if (method !== 'HEAD' && incoming.headers['content-type'] === 'text/event-stream') {
        outgoing.destroy();
        return finish();
      }
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', finish);
    });
    outgoing.end(payload);
  });

/**
 * Sends requests, and holds every answer against what is true of all of them: in time, declared, with a request id
 * and the security headers, never a failure of the hub, never its insides, never a secret.
 */
export const createCaller = ({ hub, secrets }: { hub: TestHub; secrets: readonly string[] }) => {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  atEnd(() => agent.destroy());

  return async ({ method = 'GET', path, key = hub.key, json, body, headers = {} }: Call): Promise<Reply> => {
    const payload = json === undefined ? body : JSON.stringify(json);
    const reply = await exchange(hub, agent, {
      method,
      path,
      headers: {
        ...(key === null ? {} : { 'X-API-Key': key }),
        ...(payload === undefined
          ? {}
          : { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(payload)) }),
        ...headers,
      },
      payload,
    });
    const { status, text } = reply;
    expect(status, text).toBeLessThan(500);
    expect(reply.headers.get('x-request-id')).toMatch(/^[A-Za-z0-9_.:-]{1,64}$/);
    for (const [name, value] of SECURITY_HEADERS) expect(reply.headers.get(name), name).toBe(value);
    if (status >= 400) expectProblem(reply, method !== 'HEAD');
    for (const secret of [...secrets, hub.folder]) expect(text).not.toContain(secret);
    if (method !== 'HEAD') {
      contract({ method, path: path.split('?', 1)[0] ?? path, status, headers: reply.headers, text });
    }
    return reply;
  };
};
