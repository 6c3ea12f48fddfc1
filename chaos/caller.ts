import type { Call, Told } from './calls.ts';

const ATTEMPTS = 6;
const ATTEMPT_TIMEOUT_MS = 3_000;

type Answer = {
  executed?: Told['executed'];
  code?: string;
  id?: string;
  command?: { id: string };
  retryable?: boolean;
};

const readAnswer = ({ executed, code = '', id, command, retryable = false }: Answer): Told | undefined =>
  executed === undefined ? undefined : { executed, code, id: command?.id ?? id, retryable };

/** Follows the API guide: repeats safe requests with a key; sends a request without a key only once. */
export const createCaller = ({
  address,
  key,
  deadlineMs = ATTEMPT_TIMEOUT_MS,
}: {
  address: () => string;
  key: string;
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

  const post = ({ label, name, target, body, key: idempotencyKey, expiresInSeconds }: Call) =>
    request(`/api/v2/bridge/main/${name}`, {
      method: 'POST',
      body: JSON.stringify({
        target,
        ...body,
        reason: label,
        ...(expiresInSeconds === undefined ? {} : { expiresInSeconds }),
      }),
      headers: {
        Prefer: 'wait=1',
        ...(idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }),
      },
    });

  return {
    call: async (call: Call): Promise<void> => {
      for (let attempt = 0; attempt < (call.key === undefined ? 1 : ATTEMPTS); attempt += 1) {
        const told = await post(call);
        if (told !== undefined) call.told.push(told);
        const isOpen = told?.executed === 'unknown' || told?.code === 'accepted';
        if (told !== undefined && !told.retryable && !isOpen) return;
        await new Promise((resolve) => setTimeout(resolve, 30 * 2 ** attempt));
      }
    },
    /** The hub's state of a command after the run. */
    ask: (id: string): Promise<Told | undefined> => request(`/api/v2/commands/${id}`),
    /** Number of requests without an answer in time since the last call. */
    takeHung: (): string[] => {
      const taken = hung;
      hung = [];
      return taken;
    },
  };
};
export type Caller = ReturnType<typeof createCaller>;
