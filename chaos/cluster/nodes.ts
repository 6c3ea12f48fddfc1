import { freePort } from '../../tests/kit/free-port.ts';
import { createVictim } from '../../tests/kit/processes.ts';
import { CHAOS_ENV, CHAOS_HUB } from '../limits.ts';
import { openProxy, type ProxyLine } from '../proxy.ts';

/** A port on which no process listens. */
const NOWHERE = 1;

/** The line from a node to a server behind it. */
const openLine = async (port: number) => {
  let isCut = false;
  const proxy = await openProxy(() => (isCut ? NOWHERE : port));
  return {
    port: proxy.port,
    cut: (): void => {
      isCut = true;
      proxy.cutAfter(0);
    },
    mend: (): void => {
      isCut = false;
    },
    close: proxy.close,
  };
};

/** A line of a node's log without the fields that all lines share. */
const inShort = (line: string): string => {
  try {
    const { msg, task, err } = JSON.parse(line) as { msg: string; task?: string; err?: { message?: string } };
    return [msg, task, err?.message].filter((part) => part !== undefined).join('; ');
  } catch {
    return line;
  }
};

/** A node in its own process, with the lines from callers and bridges, and the lines to NATS and PostgreSQL. */
export const openNode = async (
  name: string,
  { databaseUrl, natsPort, hear }: { databaseUrl: string; natsPort: number; hear: (line: string) => void },
) => {
  const port = await freePort();
  const ownUrl = new URL(databaseUrl);
  const bus = await openLine(natsPort);
  const base = await openLine(Number(ownUrl.port));
  ownUrl.port = String(base.port);
  const env = {
    ...CHAOS_ENV,
    NODE_NAME: name,
    DATABASE_URL: ownUrl.href,
    NATS_URL: `nats://127.0.0.1:${bus.port}`,
    PORT: String(port),
  };
  const child = createVictim(CHAOS_HUB, env, { hear: (line) => hear(`${name}: ${inShort(line)}`) });
  const callers = await openProxy(() => port);
  return {
    name,
    port,
    child,
    bus,
    base,
    callers,
    isReady: (): Promise<boolean> =>
      fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(1_000) }).then(
        ({ ok }) => ok,
        () => false,
      ),
    close: async (): Promise<void> => {
      await child.kill();
      for (const line of [bus, base, callers]) line.close();
    },
  };
};
export type Node = Awaited<ReturnType<typeof openNode>>;

/** Controls several lines as one. */
export const together = (lines: readonly ProxyLine[]): ProxyLine => ({
  setCondition: (next) => {
    for (const line of lines) line.setCondition(next);
  },
  calm: () => {
    for (const line of lines) line.calm();
  },
  cutAfter: (bytes) => {
    for (const line of lines) line.cutAfter(bytes);
  },
  close: () => {
    for (const line of lines) line.close();
  },
});
