import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { startHub, type TestHub } from '../kit/hub.ts';
import { heapMiB } from '../kit/memory.ts';
import { helloFrame, type RawBridge, welcomeRaw } from '../kit/raw-bridge.ts';

/** Memory that may remain after ten thousand requests: caches that were empty before. */
const MAX_LEFT_MIB = 12;

const NOTHING = { queued: 0, inFlight: 0, callers: 0, live: 0, lanes: 0 };

/** Parses commands and never carries them out. */
const confirmAll = (bridge: RawBridge): void => {
  bridge.socket.on('message', (data) => {
    const frame = JSON.parse(data.toString());
    if (frame.type === 'command') bridge.send({ type: 'received', ids: [frame.id] });
  });
};

const agent = new Agent({ keepAlive: true, maxSockets: 1024 });

/** A request without fetch, which is too slow for ten thousand of them. */
const post = (url: string, key: string, json: object): Promise<Record<string, unknown>> =>
  new Promise((resolve, reject) => {
    const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' };
    const sent = request(url, { method: 'POST', agent, headers }, (response) => {
      let text = '';
      response.on('data', (data) => {
        text += String(data);
      });
      response.on('end', () => resolve(JSON.parse(text)));
    });
    sent.on('error', reject);
    sent.end(JSON.stringify(json));
  });

const timeOut = async (hub: TestHub, server: number, target: number): Promise<void> => {
  const json = { target: `char1:${target}`, expiresInSeconds: 1 };
  const { status, code, executed } = await post(`${hub.address}/api/v2/bridge/s${server}/kick`, hub.key, json);
  // On a busy machine, the database can be later than the caller's wait and one second.
  const late = [503, 'store_unavailable', 'unknown'];
  expect([[504, 'bridge_timeout', 'unknown'], late]).toContainEqual([status, code, executed]);
};

const times = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

describe('nothing grows', () => {
  it('with 10,000 commands that all time out', async () => {
    const hub = await startHub({ env: { COMMAND_WAIT_MS: '50' } });
    const servers = times(107);
    for (const n of servers) {
      const token = await hub.newServer(`s${n}`);
      confirmAll(await welcomeRaw(hub.bridgeUrl, token, { instance: `i${n}` }));
    }
    const round = async (count = servers.length): Promise<void> => {
      // More at once would keep the bridges of this process from answering their pings on a busy machine.
      for (let from = 0; from < count; from += 16) {
        const some = servers.slice(from, Math.min(from + 16, count));
        await Promise.all(some.flatMap((server) => times(32).map((target) => timeOut(hub, server, target))));
      }
      await expect.poll(() => hub.hub.commands.sizes(), { timeout: 20_000 }).toEqual(NOTHING);
    };
    await round(10);
    const before = heapMiB();
    for (const _ of times(3)) await round();
    expect(heapMiB() - before).toBeLessThan(MAX_LEFT_MIB);
  }, 120_000);

  it('with a bridge that connects and drops 10,000 times', async () => {
    const hub = await startHub();
    const tokens = await Promise.all(times(50).map((n) => hub.newServer(`s${n}`)));
    const drop = async (token: string, n: number): Promise<void> => {
      const socket = new WebSocket(hub.bridgeUrl, 'causeway.v1', { headers: { Authorization: `Bearer ${token}` } });
      socket.on('error', () => undefined);
      await once(socket, 'open');
      // Most close before their hello, some during the hello, some after their welcome.
      if (n % 10 > 7) socket.send(JSON.stringify(helloFrame({ instance: 'one' })));
      if (n % 10 === 9) await once(socket, 'message');
      socket.terminate();
    };
    const round = (count: number): Promise<unknown> =>
      Promise.all(
        tokens.map(async (token) => {
          for (const n of times(count)) await drop(token, n);
        }),
      );
    const settled = (): Promise<void> =>
      expect.poll(() => hub.hub.gateway.sizes()).toEqual({ connections: 0, sessions: 0 });
    await round(20);
    await settled();
    const before = heapMiB();
    await round(200);
    await settled();
    expect(heapMiB() - before).toBeLessThan(MAX_LEFT_MIB);
    expect(hub.hub.commands.sizes()).toEqual(NOTHING);
  }, 120_000);

  it('with readers of events that come and go, and there is room for the next', async () => {
    const hub = await startHub({ tuning: { maxEventStreams: 20 } });
    const open = async (controller: AbortController): Promise<number> => {
      const response = await fetch(`${hub.address}/api/v2/events`, {
        headers: { 'X-API-Key': hub.key },
        signal: controller.signal,
      });
      await response.body?.getReader().read();
      return response.status;
    };
    for (const _ of times(10)) {
      const controller = new AbortController();
      await expect
        .poll(async () => new Set(await Promise.all(times(20).map(() => open(controller)))))
        .toEqual(new Set([200]));
      expect(await open(controller)).toBe(429);
      controller.abort();
    }
  });
});
