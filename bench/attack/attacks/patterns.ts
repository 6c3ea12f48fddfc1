import type { Attack } from '../report.ts';
import { dial } from '../stage.ts';

const PATTERN = `^a*${'a{99}'.repeat(24)}$`;
/** The number of patterns that fit into a schema of 4,096 bytes. */
const SCHEMA = { properties: { t: { anyOf: Array.from({ length: 29 }, () => ({ pattern: PATTERN })) } } };
/** Each pattern matches up to the last letter, from each start position. */
const TEXT = `${'a'.repeat(16_000)}b`;

/** A custom command whose one parameter has 29 expensive patterns, announced and called. */
export const patterns: Attack = {
  name: 'patterns',
  play: async ({ url, attacker, caller }) => {
    const bridge = dial(url, attacker.token);
    await bridge.welcomed;
    bridge.say({ type: 'commands.custom', commands: [{ name: 'slow', params: SCHEMA }] });
    const statuses = new Map<number, number>();
    for (let n = 0; n < 3; n += 1) {
      const { status } = await caller.ask('POST', '/api/v2/bridge/main/actions/slow', { t: TEXT });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    bridge.socket.terminate();
    return `answers ${[...statuses].map(([status, times]) => `${times} × ${status}`).join(', ')}`;
  },
};
