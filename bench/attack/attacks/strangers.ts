import { connect } from 'node:net';
import { pause } from '../../promises/hub.ts';
import type { Attack } from '../report.ts';

const CONNECTIONS = 20;
const FOR_MS = 5_000;
const TARGETS = [
  'GET /%61pi/v2/players',
  'GET http://hub/api/v2/players',
  'GET /nothing',
  'POST /api/v2/integrations/int_0/orders',
];

/** Twenty connections without a key send forms of requests that are refused, one after another. */
export const strangers: Attack = {
  name: 'strangers',
  isRepeated: true,
  play: async ({ port }) => {
    const statuses = new Map<string, number>();
    const until = performance.now() + FOR_MS;
    let n = 0;
    const ask = (): Promise<void> =>
      new Promise((resolve) => {
        n += 1;
        const socket = connect({ port, host: '127.0.0.1' });
        socket.on('error', () => undefined).on('close', () => resolve());
        socket.once('data', (data) => {
          const status = data.toString('latin1').slice(9, 12);
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
          socket.destroy();
        });
        socket.write(`${TARGETS[n % TARGETS.length]} HTTP/1.1\r\nHost: hub\r\nContent-Length: 0\r\n\r\n`);
      });
    const askOn = async (): Promise<void> => {
      while (performance.now() < until) {
        await ask();
        await pause(1);
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, askOn));
    return [...statuses].map(([status, times]) => `${times} × ${status}`).join(', ');
  },
};
