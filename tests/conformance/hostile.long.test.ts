import { createConnection } from 'node:net';
import { describe, expect, it } from 'vitest';
import { RULES } from '../../conformance/judges/rules.ts';
import { reportLines } from '../../conformance/report.ts';
import { verify } from '../../conformance/verify.ts';
import { HELLO, launchRaw, type Manner } from './raw.ts';

const WAITS = {
  dialInMs: 500,
  comeBackMs: 300,
  // Long enough for a hello on a busy machine.
  helloMs: 2_000,
  heldMs: 20,
  answerMs: 100,
  settleMs: 200,
  snapshotMs: 150,
  toldMs: 20,
  graceMs: 100,
  awayMs: 50,
};

const SNAPSHOT = JSON.stringify({ type: 'players.snapshot', revision: 1, part: 0, last: true, players: [] });

const flood: Manner = (socket) => {
  socket.send(HELLO);
  const send = (): void => {
    for (let nth = 0; nth < 500 && socket.readyState === socket.OPEN; nth += 1) socket.send('{"type":"status"}');
    if (socket.readyState === socket.OPEN) setImmediate(send);
  };
  send();
};

const HOSTILE: readonly (readonly [string, readonly string[], Manner])[] = [
  ['never says hello', ['R9'], () => {}],
  ['sends garbage', ['R9'], (socket) => socket.send('\u0000\u001b[2J{{{')],
  ['sends bytes instead of text', ['R4', 'R9'], (socket) => socket.send(Buffer.from(HELLO))],
  ['sends a frame that is far too large', ['R4'], (socket) => socket.send(`${HELLO}${' '.repeat(600_000)}`)],
  ['sends a hello that is no hello', ['R9'], (socket) => socket.send('{"type":"hello","protocol":"1"}')],
  ['floods', ['R12', 'R16', 'R19'], flood],
  ['leaves at once', ['R19'], (socket) => socket.send(HELLO, () => socket.close())],
  ['says hello and nothing else', ['R16', 'R19', 'R23', 'R26', 'R29'], (socket) => socket.send(HELLO)],
];

describe.concurrent('verify comes to an end with a bridge that', () => {
  it.each(HOSTILE)('%s', async (_does, rules, manner) => {
    const report = await verify({ port: 0, launcher: launchRaw(manner), burst: 20, waits: WAITS });
    const failed = report.rules.flatMap(({ rule, outcome }) => (outcome === 'fail' ? [rule] : []));
    expect(failed).toEqual(expect.arrayContaining([...rules]));
    expect(report.failed).toBe(failed.length);
    const lines = reportLines(report);
    expect(lines).toHaveLength(Object.keys(RULES).length + 1);
    for (const line of lines) expect(line).toMatch(/^[^\p{Cc}\p{Cf}]{1,1000}$/u);
  });

  it('dies on every frame', async () => {
    const manner: Manner = (socket) => {
      socket.send(HELLO);
      socket.send(SNAPSHOT);
      socket.on('message', (data) => !String(data).includes('welcome') && socket.terminate());
    };
    const report = await verify({ port: 0, launcher: launchRaw(manner), burst: 20, waits: WAITS });
    expect(report.rules.find(({ rule }) => rule === 'R16')?.outcome).toBe('fail');
  });
});

describe.concurrent('verify', () => {
  it('reports it when no bridge connects', async () => {
    await expect(verify({ port: 0, waits: { dialInMs: 20 } })).rejects.toThrow('no bridge dialled in within 20 ms');
  });

  it('is not disturbed by a client without WebSocket', async () => {
    const dialled: Promise<unknown>[] = [];
    const report = verify({
      port: 0,
      waits: { dialInMs: 1_000 },
      onListening: ({ url }) => {
        const address = url.replace('ws:', 'http:');
        dialled.push(fetch(address).then(({ status }) => expect(status).toBe(426)));
        const socket = createConnection(Number(new URL(address).port), '127.0.0.1');
        socket.on('error', () => {});
        socket.end('\u0016\u0003\u0001 what?\r\n\r\n');
      },
    });
    await expect(report).rejects.toThrow('no bridge dialled in');
    await Promise.all(dialled);
  });
});
