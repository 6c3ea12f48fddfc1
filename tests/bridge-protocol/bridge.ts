import { onTestFinished } from 'vitest';
import {
  type BridgeOptions,
  createBridge,
  type HubMessage,
  type MessageOf,
  memoryJournal,
} from '../../bridge-protocol/index.ts';
import type { FakeHub } from '../kit/fake-hub.ts';

/** A bridge at a fake hub; both end with the test. Times are short unless given. */
export const startBridge = (
  hub: FakeHub,
  { timings, ...options }: Partial<BridgeOptions> = {},
): ReturnType<typeof createBridge> => {
  const bridge = createBridge({
    openSocket: hub.openSocket,
    software: { name: 'test-bridge', version: '1.0.0' },
    journal: memoryJournal({ class: 'durable' }),
    commands: {},
    accounts: ['bank', 'cash'],
    random: () => 0.5,
    timings: { reconnectBaseMs: 2, reconnectMaxMs: 8, ...timings },
    ...options,
  });
  onTestFinished(() => bridge.stop());
  bridge.start();
  return bridge;
};

let commands = 0;

type CommandFrame = MessageOf<HubMessage, 'command'>;

/** A money command for `target`, valid for 30 s. */
export const money = (more: Partial<CommandFrame> & { target?: string } = {}): CommandFrame => {
  const { target = 'char1:ana', ...frame } = more;
  commands += 1;
  return {
    type: 'command',
    id: `cmd_${commands}`,
    name: 'money',
    params: { target, type: 'bank', amount: 500, action: 'add', allowNegative: false },
    fingerprint: `fp_${commands}`,
    expiresAt: Date.now() + 30_000,
    attempt: 1,
    ...frame,
  };
};

/** A kick of `target`, valid for 10 s. */
export const kick = (more: Partial<CommandFrame> & { target?: string } = {}): CommandFrame => {
  const { target = 'char1:ana', ...frame } = more;
  const base = money(frame);
  return { ...base, name: 'kick', params: { target, reason: 'Be nice.' }, ...frame };
};
