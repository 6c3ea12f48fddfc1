import { randomUUID } from 'node:crypto';
import { setTimeout as pace } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { type HubOptions, startHub, type TestHub } from './hub.ts';
import { answerAll, helloFrame, type RawBridge, welcomeRaw } from './raw-bridge.ts';
import { openTcp, type Tcp, upgradeRequest, wireMessage } from './raw-tcp.ts';

const KICK_EVERY_MS = 10;

/** Fails the test if anything escapes its promise or its listener while it runs. */
const watchProcess = (): void => {
  const escaped: unknown[] = [];
  const note = (error: unknown): void => {
    escaped.push(error);
  };
  process.on('unhandledRejection', note);
  process.on('uncaughtException', note);
  onTestFinished(() => {
    process.off('unhandledRejection', note);
    process.off('uncaughtException', note);
    expect(escaped).toEqual([]);
  });
};

/** A bridge that does everything right. */
export const wellBehaved = async (url: string, token: string): Promise<RawBridge> => {
  const bridge = await welcomeRaw(url, token, { instance: randomUUID() });
  answerAll(bridge, () => ({ status: 'done', data: { kicked: true } }));
  bridge.socket.on('message', (data) => {
    const frame = JSON.parse(data.toString());
    if (frame.type === 'ping') bridge.send({ type: 'pong', n: frame.n, now: Date.now() });
  });
  return bridge;
};

/**
 * A hub with a hostile server `main`, and a well-behaved bridge beside it that must notice nothing: it is kicked
 * through all the time while an attack runs.
 */
export const openArena = async (
  options: HubOptions = {},
  start: (options: HubOptions) => Promise<TestHub> = startHub,
) => {
  watchProcess();
  const hub = await start(options);
  // Bridges of the test before, whose hub this was, too, are going.
  await expect.poll(() => hub.sizes().connections).toBe(0);
  const bystander = await wellBehaved(hub.bridgeUrl, await hub.newServer('bystander'));
  let slowestMs = 0;

  const kick = async (): Promise<void> => {
    const start = performance.now();
    const json = { target: 'char1:ana' };
    const { status } = await hub.request('/api/v2/bridge/bystander/kick', {
      json,
      headers: { Prefer: 'wait=5' },
    });
    expect(status).toBe(200);
    slowestMs = Math.max(slowestMs, performance.now() - start);
  };

  /** Runs the attack while the bystander works; its slowest kick, in ms, may not take longer than `slowest`. */
  const during = async (attack: () => Promise<unknown>, { slowest = 5_000 } = {}): Promise<void> => {
    let isOver = false;
    await kick();
    slowestMs = 0;
    const work = (async () => {
      while (!isOver) {
        await kick();
        await pace(KICK_EVERY_MS);
      }
    })();
    try {
      await attack();
    } finally {
      isOver = true;
      await work;
    }
    await kick();
    expect(bystander.isClosed()).toBe(false);
    expect(slowestMs).toBeLessThan(slowest);
  };

  return {
    hub,
    bystander,
    during,
    slowest: () => slowestMs,
    /** The count of closed sockets by reason, as operators see it. */
    closes: async (reason: string): Promise<number> => {
      const text = await (await fetch(`${hub.address}/metrics`)).text();
      return Number(new RegExp(`causeway_bridge_closes_total\\{reason="${reason}"\\} (\\d+)`).exec(text)?.[1] ?? 0);
    },
    /** A welcomed bridge on a TCP socket that a test writes raw bytes to. */
    welcomeTcp: async (changes: Record<string, unknown> = {}, token = hub.token): Promise<Tcp> => {
      const tcp = openTcp(hub.port);
      tcp.send(upgradeRequest({ token }));
      await tcp.reads('101 Switching');
      tcp.send(wireMessage(helloFrame(changes)));
      await tcp.reads('"welcome"');
      return tcp;
    },
  };
};
export type Arena = Awaited<ReturnType<typeof openArena>>;
