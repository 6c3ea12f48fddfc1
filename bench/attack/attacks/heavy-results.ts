import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { pause } from '../../promises/hub.ts';
import type { Attack } from '../report.ts';
import { dial, type Stage } from '../stage.ts';

const RESULTS = 200;
const HEAVY = 'x'.repeat(200_000);
const READERS = 10;
const STALLED = 20;
const STALLED_FOR_MS = 40_000;
const PAGE = '/api/v2/commands?limit=200';

/** Kicks whose results are 200 KB each. */
const store = async ({ url, attacker, caller }: Stage): Promise<void> => {
  const bridge = dial(url, attacker.token);
  bridge.socket.on('message', (data) => {
    const frame: { type: string; id: string } = JSON.parse(data.toString());
    if (frame.type !== 'command') return;
    bridge.say({ type: 'result', id: frame.id, status: 'done', data: { kicked: true, note: HEAVY } });
  });
  await bridge.welcomed;
  for (let n = 0; n < RESULTS; n += 1) await caller.kick('main', `char1:p${n}`);
  bridge.socket.terminate();
};

/** Ten callers read pages of heavy results at once. */
export const heavyPages: Attack = {
  name: 'heavy-pages',
  play: async (stage) => {
    await store(stage);
    await stage.payments();
    const sizes = await Promise.all(
      Array.from({ length: READERS }, async () => (await stage.caller.text(PAGE)).length),
    );
    return `${READERS} pages, the largest ${(Math.max(...sizes) / 1_048_576).toFixed(1)} MiB`;
  },
};

const residentMiB = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1_024;

/** A caller that requests a page and reads none of the answer. */
const stalled = ({ port, attacker }: Stage): { socket: Socket; isOpen: () => boolean } => {
  const socket = connect({ port, host: '127.0.0.1' });
  let open = true;
  socket
    .on('error', () => undefined)
    .on('close', () => {
      open = false;
    });
  socket.pause();
  socket.write(`GET ${PAGE} HTTP/1.1\r\nHost: hub\r\nX-API-Key: ${attacker.key}\r\n\r\n`);
  return { socket, isOpen: () => open };
};

/** Established connections of the hub's port, as the kernel of this machine counts them. */
const established = (port: number): number => {
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  return readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .filter((line) => new RegExp(`^\\s*\\d+: [0-9A-F]{8}:${hex} [0-9A-F]{8}:[0-9A-F]{4} 01 `).test(line)).length;
};

/** Twenty callers request a page of heavy results and read nothing. */
export const stalledReaders: Attack = {
  name: 'stalled-readers',
  play: async (stage) => {
    await store(stage);
    await stage.payments();
    const before = { memory: residentMiB(stage.hubPid), sockets: established(stage.port) };
    const readers = Array.from({ length: STALLED }, () => stalled(stage));
    let most = 0;
    for (let waited = 0; waited < STALLED_FOR_MS; waited += 500) {
      await pause(500);
      most = Math.max(most, residentMiB(stage.hubPid));
    }
    const held = established(stage.port) - before.sockets;
    for (const { socket } of readers) socket.destroy();
    const more = Math.max(0, most - before.memory).toFixed(0);
    return `${more} MiB more memory; ${held} of ${STALLED} connections held after ${STALLED_FOR_MS / 1000} s`;
  },
};
