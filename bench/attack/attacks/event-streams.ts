import { request } from 'node:http';
import { playerFrame } from '../../../tests/kit/frames.ts';
import { pause } from '../../promises/hub.ts';
import type { Attack } from '../report.ts';
import type { Stage } from '../stage.ts';

const STREAMS = 50;
const FOR_S = 5;
const IN_FRAME = 20;
const FRAMES_A_SECOND = 50;

const openStream = ({ port, attacker }: Stage) => {
  let events = 0;
  const asked = request({ host: '127.0.0.1', port, path: '/api/v2/events', headers: { 'X-API-Key': attacker.key } });
  asked.on('error', () => undefined);
  asked.on('response', (response) => {
    response.on('error', () => undefined);
    response.setEncoding('utf8').on('data', (text: string) => {
      events += text.split('event: player.balance').length - 1;
    });
  });
  asked.end();
  return { events: () => events, close: () => asked.destroy() };
};

/** Fifty readers of events while a bridge reports a thousand balances a second. */
export const eventStreams: Attack = {
  name: 'event-streams',
  isRepeated: true,
  play: async (stage) => {
    const bridge = await stage.connect();
    const streams = Array.from({ length: STREAMS }, () => openStream(stage));
    const report = (bank: number, revision: number) => {
      const players = Array.from({ length: IN_FRAME }, (_, n) => playerFrame(`char1:p${n}`, { accounts: { bank } }));
      const kind = revision === 1 ? { type: 'players.snapshot', part: 0, last: true } : { type: 'players.changed' };
      bridge.say({ ...kind, revision, players });
    };
    report(0, 1);
    await pause(500);
    const from = performance.now();
    for (let n = 1; n <= FOR_S * FRAMES_A_SECOND; n += 1) {
      report(n, n + 1);
      await pause(Math.max(0, from + (n * 1_000) / FRAMES_A_SECOND - performance.now()));
    }
    await pause(300);
    const read = streams.reduce((sum, { events }) => sum + events(), 0);
    for (const { close } of streams) close();
    bridge.close();
    return `${(read / FOR_S / 1_000).toFixed(0)} thousand events a second were read`;
  },
};
