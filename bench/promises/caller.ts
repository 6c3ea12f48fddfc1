import { Agent, request } from 'node:http';

export type Answer = {
  status: number;
  /** Fields of many answers; each reader knows which fields its answer has. */
  body: {
    id?: string;
    code?: string;
    status?: string;
    executed?: string;
    connected?: boolean;
    token?: string;
    result?: Record<string, unknown> | null;
    command?: { id: string; status: string };
    commands?: { accepted: number; dispatched: number; indeterminate: number };
  };
  ms: number;
};

/** Sends requests over kept connections, without the overhead of `fetch`. */
export const createCaller = ({ port, key }: { port: number; key: string }) => {
  const agent = new Agent({ keepAlive: true, noDelay: true });

  const exchange = (method: string, path: string, json?: object, headers: Record<string, string> = {}) =>
    new Promise<{ status: number; text: string; ms: number }>((resolve, reject) => {
      const from = performance.now();
      const payload = json === undefined ? undefined : JSON.stringify(json);
      const fields = {
        'X-API-Key': key,
        ...(payload === undefined
          ? {}
          : { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(payload)) }),
        ...headers,
      };
      const sent = request({ host: '127.0.0.1', port, method, path, agent, headers: fields }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part) => {
          text += part;
        });
        response.on('error', reject);
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text, ms: performance.now() - from }));
      });
      sent.on('error', reject);
      sent.end(payload);
    });

  const ask = async (...args: Parameters<typeof exchange>): Promise<Answer> => {
    const { text, ...answer } = await exchange(...args);
    return { ...answer, body: text.startsWith('{') ? JSON.parse(text) : {} };
  };

  return {
    ask,
    text: async (path: string): Promise<string> => (await exchange('GET', path)).text,
    money: (
      server: string,
      target: string,
      { json = {}, headers = {} }: { json?: object; headers?: Record<string, string> } = {},
    ) =>
      ask(
        'POST',
        `/api/v2/bridge/${server}/money`,
        { target, type: 'bank', amount: 1, action: 'add', ...json },
        headers,
      ),
    kick: (server: string, target: string) => ask('POST', `/api/v2/bridge/${server}/kick`, { target }),
    isReady: (): Promise<boolean> =>
      ask('GET', '/readyz').then(
        ({ status }) => status === 200,
        () => false,
      ),
    isConnected: async (server: string): Promise<boolean> =>
      (await ask('GET', `/api/v2/servers/${server}`)).body.connected === true,
    close: (): void => agent.destroy(),
  };
};
export type Caller = ReturnType<typeof createCaller>;
