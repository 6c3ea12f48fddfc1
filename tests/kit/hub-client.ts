import { apiContract } from './openapi.ts';

export type Answer = {
  status: number;
  headers: Headers;
  text: string;
  // Answers are read as what the test expects; the contract has already checked their shape.
  body: { id?: string; code?: string; [field: string]: unknown };
};

export type RequestOptions = {
  key?: string | null;
  method?: string;
  json?: unknown;
  body?: string;
  headers?: Record<string, string>;
  signal?: AbortSignal;
};

/** Sends a request as a caller would; every answer is held against the OpenAPI document. */
export const createClient =
  (hub: { readonly address: string }, defaultKey: string) =>
  async (path: string, options: RequestOptions = {}): Promise<Answer> => {
    const { key = defaultKey, json, body, headers = {} } = options;
    const method = options.method ?? (json === undefined && body === undefined ? 'GET' : 'POST');
    const payload = json === undefined ? body : JSON.stringify(json);
    const response = await fetch(hub.address + path, {
      method,
      headers: {
        ...(key === null ? {} : { 'X-API-Key': key }),
        ...(payload === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(payload === undefined ? {} : { body: payload }),
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    });
    const text = await response.text();
    const contentType = response.headers.get('content-type')?.split(';', 1)[0] ?? '';
    const pathname = path.split('?', 1)[0] ?? path;
    (await apiContract())({ method, path: pathname, status: response.status, headers: response.headers, text });
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: contentType.endsWith('json') ? JSON.parse(text) : {},
    };
  };
