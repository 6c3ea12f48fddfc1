import { connect, type Socket } from 'node:net';
import { createHistogram } from 'node:perf_hooks';

const END_OF_HEAD = Buffer.from('\r\n\r\n');
const LENGTH = /content-length: *(\d+)/i;

export type Load = {
  requests: number;
  /** Answers other than 200: their first line with its count. */
  failed: Record<string, number>;
  perSecond: number;
  p50Us: number;
  p99Us: number;
  maxUs: number;
};

/** The requests in turn, again and again. */
export const inTurn =
  (requests: readonly Buffer[]): ((n: number) => Buffer) =>
  (n) =>
    requests[n % requests.length] ?? Buffer.alloc(0);

/** One HTTP request as raw bytes. */
export const requestBytes = (path: string, headers: Record<string, string>, body?: string): Buffer => {
  const method = body === undefined ? 'GET' : 'POST';
  const all = { Host: 'bench', ...headers, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  const length = body === undefined ? '' : `Content-Length: ${Buffer.byteLength(body)}\r\n`;
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}${length}\r\n${body ?? ''}`);
};

/** Calls `answered` with the status of each complete answer. Answers without a length are not supported. */
const readAnswers = (socket: Socket, answered: (head: string) => void): void => {
  let rest: Buffer | undefined;
  socket.on('data', (chunk: Buffer) => {
    let bytes = rest === undefined ? chunk : Buffer.concat([rest, chunk]);
    rest = undefined;
    for (;;) {
      const end = bytes.indexOf(END_OF_HEAD);
      if (end === -1) break;
      const head = bytes.toString('latin1', 0, end);
      const size = end + 4 + Number(LENGTH.exec(head)?.[1] ?? 0);
      if (bytes.length < size) break;
      bytes = bytes.subarray(size);
      answered(head);
    }
    if (bytes.length > 0) rest = bytes;
  });
};

/**
 * Callers with one connection and one open request each, for a given time.
 * Requests that are open at the end are waited for and not counted.
 */
export const drive = async ({
  port,
  requestOf,
  callers,
  forMs,
}: {
  port: number;
  /** The bytes of the request with this number. */
  requestOf: (n: number) => Buffer;
  callers: number;
  forMs: number;
}): Promise<Load> => {
  const histogram = createHistogram();
  const failed: Record<string, number> = {};
  let next = 0;
  let counted = 0;
  const from = performance.now();
  const until = from + forMs;

  const call = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true });
      let sentAt = 0n;
      const send = (): void => {
        const request = requestOf(next);
        next += 1;
        sentAt = process.hrtime.bigint();
        socket.write(request);
      };
      readAnswers(socket, (head) => {
        const took = process.hrtime.bigint() - sentAt;
        if (performance.now() > until) {
          socket.destroy();
          return resolve();
        }
        counted += 1;
        histogram.record(took > 0n ? took : 1n);
        if (!head.startsWith('HTTP/1.1 20')) {
          const line = head.split('\r\n', 1)[0] ?? '';
          failed[line] = (failed[line] ?? 0) + 1;
        }
        send();
      });
      socket.on('connect', send);
      socket.on('error', reject);
      socket.on('close', () => resolve());
    });

  await Promise.all(Array.from({ length: callers }, call));
  const micros = (ns: number): number => Math.round(ns / 1_000);
  return {
    requests: counted,
    failed,
    perSecond: Math.round((counted / forMs) * 1_000),
    p50Us: micros(histogram.percentile(50)),
    p99Us: micros(histogram.percentile(99)),
    maxUs: micros(histogram.max),
  };
};
