import { connect, createServer, type Server, type Socket } from 'node:net';

/** The condition of a line: its delay, and whether it is stalled. */
export type Condition = {
  delayMs: number;
  /** No byte passes in either direction until the condition changes. */
  isStalled: boolean;
};

type Line = { near: Socket; far: Socket; budget: number | undefined };

/**
 * A TCP proxy that delays, stalls and cuts at a random byte. Like TCP, it never changes or repeats a byte. Bytes that
 * are on the way when a line is cut are lost.
 */
export const openProxy = async (target: () => number) => {
  const lines = new Set<Line>();
  let condition: Condition = { delayMs: 0, isStalled: false };

  const cut = (line: Line): void => {
    lines.delete(line);
    line.near.resetAndDestroy();
    line.far.resetAndDestroy();
  };

  const pass = (line: Line, from: Socket, to: Socket): void => {
    // A chunk that arrives just after a delay ended must not overtake chunks that still wait.
    const waiting: (() => void)[] = [];
    let busyUntil = 0;
    const later = (act: () => void): void => {
      const now = performance.now();
      if (condition.delayMs === 0 && waiting.length === 0) return act();
      busyUntil = Math.max(busyUntil, now + condition.delayMs);
      waiting.push(act);
      setTimeout(() => waiting.shift()?.(), busyUntil - now);
    };
    from.on('data', (bytes: Buffer) => {
      const { budget } = line;
      if (budget !== undefined) line.budget = budget - bytes.length;
      const kept = budget === undefined ? bytes : bytes.subarray(0, Math.max(0, budget));
      later(() => {
        if (!to.destroyed && kept.length > 0) to.write(kept);
        if (budget !== undefined && bytes.length >= budget) cut(line);
      });
    });
    from.on('error', () => cut(line));
    from.on('close', () => {
      // Bytes that were sent before the end still arrive.
      later(() => {
        to.end();
        to.resume();
        if (to.closed) lines.delete(line);
      });
    });
  };

  const server: Server = createServer({ noDelay: true }, (near) => {
    const far = connect({ port: target(), host: '127.0.0.1', noDelay: true });
    const line: Line = { near, far, budget: undefined };
    lines.add(line);
    pass(line, near, far);
    pass(line, far, near);
    if (condition.isStalled) for (const socket of [near, far]) socket.pause();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;

  return {
    port,
    setCondition: (next: Condition): void => {
      condition = next;
      for (const line of lines) {
        const { near, far } = line;
        for (const socket of [near, far]) {
          if (next.isStalled) socket.pause();
          else socket.resume();
        }
      }
    },
    /** Cancels the planned cuts of all lines. */
    calm: (): void => {
      for (const line of lines) line.budget = undefined;
    },
    /** Cuts each currently open line after this many more bytes. */
    cutAfter: (bytes: number): void => {
      for (const line of lines) {
        if (bytes === 0) cut(line);
        else line.budget = bytes;
      }
    },
    close: (): void => {
      for (const line of [...lines]) cut(line);
      server.close();
    },
  };
};
export type ProxyLine = Pick<Awaited<ReturnType<typeof openProxy>>, 'setCondition' | 'calm' | 'cutAfter' | 'close'>;
