import { statSync } from 'node:fs';
import { connect } from 'node:net';
import { pause } from '../../promises/hub.ts';
import type { Attack } from '../report.ts';
import type { Stage } from '../stage.ts';

const REQUEST = 'GET /api/v2/players HTTP/1.1\r\nHost: hub\r\n\r\n';
const QUIET_MS = 1_500;
const AT_MOST_MS = 60_000;

/** Sends many requests without a key on each connection at once; resolves when the hub has sent its last answer. */
const flood = async ({ port }: Stage, connections: number, bytes: number): Promise<number> => {
  const payload = REQUEST.repeat(Math.ceil(bytes / REQUEST.length));
  let answers = 0;
  let heardAt = performance.now();
  const sockets = Array.from({ length: connections }, () => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.on('error', () => undefined);
    socket.on('data', (data) => {
      heardAt = performance.now();
      answers += data.toString('latin1').split('HTTP/1.1 ').length - 1;
    });
    socket.write(payload);
    return socket;
  });
  const from = performance.now();
  while (performance.now() - heardAt < QUIET_MS && performance.now() - from < AT_MOST_MS) await pause(50);
  for (const socket of sockets) socket.destroy();
  return answers;
};

/** 100 connections without a key, each with 64 KiB of requests at once. */
export const pipelines: Attack = {
  name: 'pipelines',
  play: async (stage) => `${await flood(stage, 100, 65_536)} requests without a key were answered`,
};

/** One connection without a key with 1.2 MiB of requests at once. */
export const onePipeline: Attack = {
  name: 'one-pipeline',
  play: async (stage) => {
    const before = statSync(stage.logFile).size;
    const answers = await flood(stage, 1, 1.2 * 1_048_576);
    const written = (statSync(stage.logFile).size - before) / 1_048_576;
    return `${answers} requests without a key were answered; ${written.toFixed(2)} MiB of log`;
  },
};
