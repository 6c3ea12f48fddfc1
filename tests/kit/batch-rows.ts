import type { Tables } from '../../db/schema/tables.ts';

/** A batch of two players whose commands are stored, and wait. */
export const batchOf = (
  id: string,
  changes: Partial<Tables['batches']['$inferSelect']> = {},
): Tables['batches']['$inferSelect'] => ({
  id,
  projectId: 'p',
  serverId: 'main',
  name: 'money',
  params: { type: 'bank', amount: 500, action: 'add' },
  roles: null,
  label: 'Christmas',
  fingerprint: 'fingerprint',
  idempotencyKey: id,
  actor: { keyId: 'key_1', name: 'events' },
  requestId: 'req_1',
  deliver: 'when_online',
  abort: null,
  status: 'running',
  endedBy: null,
  total: 2,
  duplicates: 0,
  written: 2,
  createdAt: 1_000,
  expiresAt: 31_000,
  touchedAt: 1_000,
  writtenAt: null,
  settledAt: null,
  outbox: null,
  targets: ['char1:a', 'char1:b'],
  ...changes,
});

/** A schedule that announces something every Friday. */
export const scheduleOf = (
  id: string,
  changes: Partial<Tables['schedules']['$inferSelect']> = {},
): Tables['schedules']['$inferSelect'] => ({
  id,
  projectId: 'p',
  serverId: 'main',
  label: 'Race',
  task: { name: 'announce', params: { message: 'The race begins' } },
  when: { cron: '0 18 * * 5', timeZone: 'UTC' },
  missed: 'skip',
  keyId: 'key_1',
  actor: { keyId: 'key_1', name: 'events' },
  paused: false,
  pausedBy: null,
  nextAt: 1_000,
  nextTimes: null,
  createdAt: 1_000,
  updatedAt: 1_000,
  outbox: null,
  ...changes,
});

/** A webhook of a site that gets the ends of batches. */
export const webhookOf = (
  id: string,
  changes: Partial<Tables['webhooks']['$inferInsert']> = {},
): Tables['webhooks']['$inferInsert'] => ({
  id,
  projectId: 'p',
  format: 'json',
  url: 'clear:https://example.com/secret',
  types: ['batch.settled'],
  servers: null,
  names: true,
  secrets: [],
  maker: { keyId: 'key_1', name: 'bot' },
  cursor: 0,
  failures: 0,
  failedDays: 0,
  createdAt: 1,
  updatedAt: 1,
  ...changes,
});

/** An attempt that a webhook has taken. */
export const attemptOf = (
  webhookId: string,
  eventId: string,
  changes: Partial<Tables['webhookAttempts']['$inferSelect']> = {},
): Tables['webhookAttempts']['$inferSelect'] => ({
  ...{ projectId: 'p', webhookId, eventId, eventSeq: 1, type: 'command.settled', state: 'delivered', attempts: 1 },
  ...{ status: 204, detail: null, answer: '', tookMs: 3, at: 1, dueAt: null, events: 1 },
  ...changes,
});

/** A run of the schedule `sch_1` that is done. */
export const runOf = (
  plannedAt: number,
  changes: Partial<Tables['scheduleRuns']['$inferSelect']> = {},
): Tables['scheduleRuns']['$inferSelect'] => ({
  scheduleId: 'sch_1',
  plannedAt,
  projectId: 'p',
  status: 'done',
  madeId: null,
  error: null,
  touchedAt: plannedAt,
  lastPlannedAt: null,
  outbox: null,
  ...changes,
});
