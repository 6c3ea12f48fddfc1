import { randomUUID } from 'node:crypto';

/**
 * The first frame of a bridge that can do everything. Its journal is ahead of what tests report, so that a bridge that comes
 * back has not lost entries.
 */
export const helloFrame = (changes: Record<string, unknown> = {}) => ({
  type: 'hello',
  protocol: 1,
  instance: randomUUID(),
  software: { name: 'raw-bridge', version: '0.0.0' },
  commands: ['kick@1', 'money@1'],
  accounts: ['bank', 'cash'],
  journal: { class: 'atomic', id: 'journal-1', sequence: 1_000 },
  open: [],
  limits: { inFlight: 32 },
  ...changes,
});

export const playerFrame = (identifier: string, changes: Record<string, unknown> = {}) => ({
  identifier,
  name: `Name of ${identifier}`,
  online: true,
  identifiers: [],
  accounts: { bank: 100 },
  inventory: [],
  vehicles: [],
  metadata: {},
  ...changes,
});
