import { type Contract, createContract, type OpenApiDocument } from './openapi.ts';

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

/** Every hub has the same document, and to compile it takes longer than a test: the first one's is kept. */
let contract: Promise<Contract> | undefined;
const contractOf = async (address: string): Promise<Contract> => {
  const answer = await fetch(`${address}/api/v2/openapi.json`);
  return createContract((await answer.json()) as OpenApiDocument);
};

export const createClient = (hub: { readonly address: string }, defaultKey: string) => {
  const check = (): Promise<Contract> => {
    contract ??= contractOf(hub.address).catch((error: unknown) => {
      contract = undefined;
      throw error;
    });
    return contract;
  };
  /** Sends a request as a caller would; every answer is held against the OpenAPI document. */
  return async (path: string, options: RequestOptions = {}): Promise<Answer> => {
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
    (await check())({ method, path: pathname, status: response.status, headers: response.headers, text });
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: contentType.endsWith('json') ? JSON.parse(text) : {},
    };
  };
};
