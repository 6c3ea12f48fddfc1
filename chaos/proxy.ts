import { connect, createServer, type Server, type Socket } from 'node:net';

/** What a line does to the bytes on it. */
export type Weather = {
  delayMs: number;
  /** Nothing passes, in either direction, until the weather changes. */
  isStalled: boolean;
};

type Line = { near: Socket; far: Socket; budget: number | undefined };

/**
 * A TCP proxy that delays, stalls and cuts at a random byte. It never changes or repeats one: TCP does not either.
 * Whatever is on its way when a line is cut is lost with it.
 */
export const openProxy = async (target: () => number) => {
  const lines = new Set<Line>();
  let weather: Weather = { delayMs: 0, isStalled: false };

  const cut = (line: Line): void => {
    lines.delete(line);
    line.near.resetAndDestroy();
    line.far.resetAndDestroy();
  };

  const pass = (line: Line, from: Socket, to: Socket): void => {
    // What comes after a delay that has just ended must not overtake what still waits.
    const waiting: (() => void)[] = [];
    let busyUntil = 0;
    const later = (act: () => void): void => {
      const now = performance.now();
      if (weather.delayMs === 0 && waiting.length === 0) return act();
      busyUntil = Math.max(busyUntil, now + weather.delayMs);
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
      // What was sent before the end still arrives.
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
    if (weather.isStalled) for (const socket of [near, far]) socket.pause();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;

  return {
    port,
    weather: (next: Weather): void => {
      weather = next;
      for (const line of lines) {
        const { near, far } = line;
        for (const socket of [near, far]) {
          if (next.isStalled) socket.pause();
          else socket.resume();
        }
      }
    },
    /** Lines that are to be cut are spared. */
    calm: (): void => {
      for (const line of lines) line.budget = undefined;
    },
    /** Every line of now is cut when this many more bytes have passed on it. */
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
export type ProxyLine = Pick<Awaited<ReturnType<typeof openProxy>>, 'weather' | 'calm' | 'cutAfter' | 'close'>;
