import { setTimeout as pause } from 'node:timers/promises';
import type { Call, Told } from './calls.ts';
import type { Shop } from './shop.ts';

const ATTEMPTS = 6;
const ATTEMPT_TIMEOUT_MS = 3_000;

type Answer = {
  executed?: Told['executed'];
  code?: string;
  id?: string;
  command?: { id: string };
  retryable?: boolean;
};

/** The hub has stored the request, and says nothing of its effect yet. */
const STORED = 'stored';
/** The hub has stored the request, and goes on with it by itself. */
const isKept = ({ code }: Told): boolean => code === STORED || code === 'waiting';

const readAnswer = ({ executed, code = '', id, command, retryable = false }: Answer): Told | undefined => {
  if (executed !== undefined) return { executed, code, id: command?.id ?? id, retryable };
  return id === undefined ? undefined : { executed: 'unknown', code: STORED, id, retryable };
};

/** Follows the API guide: repeats safe requests with a key; sends a request without a key only once. */
export const createCaller = ({
  address,
  key,
  shop,
  deadlineMs = ATTEMPT_TIMEOUT_MS,
}: {
  address: () => string;
  key: string;
  shop: Shop;
  /** The caller stops waiting for an answer after this time. */
  deadlineMs?: number;
}) => {
  let hung: string[] = [];
  const request = async (path: string, init: RequestInit = {}): Promise<Told | undefined> => {
    try {
      const response = await fetch(`${address()}${path}`, {
        ...init,
        headers: { 'X-API-Key': key, 'Content-Type': 'application/json', ...init.headers },
        signal: AbortSignal.timeout(deadlineMs),
      });
      return readAnswer((await response.json()) as Answer);
    } catch (error) {
      if (error instanceof Error && error.name === 'TimeoutError') hung.push(`hung: ${path}`);
      // The connection broke: the caller got no answer.
      return undefined;
    }
  };

  const post = ({ label, way, name, targets, body, key: idempotencyKey, deliver, expiresInSeconds }: Call) => {
    const times = { ...(deliver && { deliver }), ...(expiresInSeconds && { expiresInSeconds }) };
    const params = { ...body, reason: label };
    const [path, content] =
      way === 'batch'
        ? ['/api/v2/batches', { serverId: 'main', name, params, targets, label, ...times }]
        : [`/api/v2/bridge/main/${name}`, { target: targets[0], ...params, ...times }];
    return request(path, {
      method: 'POST',
      body: JSON.stringify(content),
      headers: {
        Prefer: 'wait=1',
        ...(idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }),
      },
    });
  };

  const takeBack = (kind: 'batches' | 'commands', id: string): Promise<unknown> =>
    request(`/api/v2/${kind}/${id}/void`, { method: 'POST' });

  /** Repeats a request as long as that is safe and of use; returns the id of what the hub keeps. */
  const order = async (call: Call): Promise<string | undefined> => {
    for (let attempt = 0; attempt < (call.key === undefined ? 1 : ATTEMPTS); attempt += 1) {
      const told = await post(call);
      if (told !== undefined) call.told.push(told);
      if (told !== undefined && isKept(told)) return told.id;
      const isOpen = told?.executed === 'unknown' || told?.code === 'accepted';
      if (told !== undefined && !told.retryable && !isOpen) return undefined;
      await pause(30 * 2 ** attempt);
    }
    return undefined;
  };

  return {
    call: async (call: Call): Promise<void> => {
      if (call.way === 'order') {
        await shop.sell(call);
        call.told.push({ executed: 'unknown', code: STORED, id: undefined, retryable: false });
        return;
      }
      const id = await order(call);
      if (id === undefined || call.voidAfterMs === undefined) return;
      await pause(call.voidAfterMs);
      await takeBack(call.way === 'batch' ? 'batches' : 'commands', id);
    },
    takeBack: (id: string): Promise<unknown> => takeBack('commands', id),
    /** The hub's state of a single command after the run. */
    ask: async ({ way, told }: Call): Promise<Told | undefined> => {
      const id = way === 'command' ? told.findLast((each) => each.id !== undefined)?.id : undefined;
      const answer = id === undefined ? undefined : await request(`/api/v2/commands/${id}`);
      return answer && { ...answer, id };
    },
    /** Number of requests without an answer in time since the last call. */
    takeHung: (): string[] => {
      const taken = hung;
      hung = [];
      return taken;
    },
  };
};
export type Caller = ReturnType<typeof createCaller>;
