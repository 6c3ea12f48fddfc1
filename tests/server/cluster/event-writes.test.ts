import { expect, it } from 'vitest';
import { startHub } from '../../kit/hub.ts';
import { playerFrame, welcomeRaw } from '../../kit/raw-bridge.ts';
import { openTcp } from '../../kit/raw-tcp.ts';
import { eventually } from '../../kit/stage.ts';

const PLAYERS = 250;
const FRAMES = 3;

it('many events are few writes for a reader, who gets each of them once, in order', async () => {
  const hub = await startHub();
  const reader = openTcp(hub.port);
  reader.send(`GET /api/v2/events HTTP/1.1\r\nHost: hub\r\nX-API-Key: ${hub.key}\r\n\r\n`);
  await eventually(reader.text).toContain(': connected');
  const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
  const report = (bank: number) =>
    Array.from({ length: PLAYERS }, (_, n) => playerFrame(`char1:p${n}`, { accounts: { bank } }));
  bridge.send({ type: 'players.snapshot', revision: 1, part: 0, last: true, players: report(0) });
  await eventually(reader.text).toContain('players.synced');
  const balances = () => reader.text().match(/^event: player\.balance$/gm) ?? [];
  for (let n = 1; n <= FRAMES; n += 1) {
    bridge.send({ type: 'players.changed', revision: n + 1, players: report(n) });
    await eventually(() => balances().length).toBe(n * PLAYERS);
  }
  const numbers = [...reader.text().matchAll(/^id: \S+-(\d+)$/gm)].map(([, number]) => Number(number));
  expect(numbers).toEqual(Array.from(numbers, (_, n) => (numbers[0] ?? 0) + n));
  // Each write is a chunk of the answer.
  const chunks = reader.text().match(/^[\da-f]+\r$/gm) ?? [];
  expect(chunks.length).toBeLessThan((FRAMES * PLAYERS) / 10);
});
