import { pause } from '../../promises/hub.ts';
import type { Attack } from '../report.ts';
import { dial, type Stage } from '../stage.ts';

const FLOOD_MS = 10_000;
const AHEAD_BYTES = 8 * 1_048_576;

/** 191 KB: fifty commands with a schema of nearly 4 KiB each. */
const CUSTOM = JSON.stringify({
  type: 'commands.custom',
  commands: Array.from({ length: 50 }, (_, n) => ({
    name: `c${n}`,
    params: {
      type: 'object',
      properties: Object.fromEntries(
        Array.from({ length: 66 }, (__, p) => [`parameter_${n}_${p}`, { type: 'integer', minimum: 1, maximum: 100 }]),
      ),
    },
  })),
});

/** Sends the same frame as fast as the hub reads it, for ten seconds. */
const flood = async ({ url, attacker }: Stage, text: string): Promise<string> => {
  const bridge = dial(url, attacker.token);
  await bridge.welcomed;
  let closed: number | undefined;
  bridge.socket.on('close', (code) => {
    closed = code;
  });
  let sent = 0;
  const from = performance.now();
  while (closed === undefined && performance.now() - from < FLOOD_MS) {
    while (closed === undefined && bridge.socket.bufferedAmount < AHEAD_BYTES) {
      bridge.socket.send(text);
      sent += text.length;
    }
    await pause(5);
  }
  const taken = Math.max(0, sent - bridge.socket.bufferedAmount) / 1_048_576;
  bridge.socket.terminate();
  return `${taken.toFixed(0)} MiB taken in ${FLOOD_MS / 1000} s; ${closed === undefined ? 'open' : `closed with ${closed}`}`;
};

/** One bridge sends `commands.custom` of 191 KB without a pause. */
export const frameFlood: Attack = { name: 'frame-flood', play: (stage) => flood(stage, CUSTOM) };

/** One bridge sends small frames of a type that the hub does not know, without a pause. */
export const unsupportedFlood: Attack = {
  name: 'unsupported-flood',
  play: (stage) => flood(stage, JSON.stringify({ type: 'mystery', padding: 'x'.repeat(1_000) })),
};
