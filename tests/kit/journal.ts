import type { CommandRow } from '../../db/queries/commands/read.ts';
import { newId } from '../../server/platform/ids.ts';
import type { TestHub } from './hub.ts';

/** Puts a command into the journal as it is; by default money that was refused. */
export const insertCommand = async (hub: TestHub, fields: Partial<CommandRow> = {}): Promise<string> => {
  const at = fields.createdAt ?? Date.now();
  const row: CommandRow = {
    id: newId('cmd'),
    projectId: hub.project.id,
    serverId: 'main',
    name: 'money',
    class: 'exactly-once',
    target: 'char1:ana',
    params: { target: 'char1:ana', type: 'bank', amount: 5, action: 'add', reason: 'why' },
    fingerprint: 'f',
    status: 'rejected',
    idempotencyKey: null,
    actor: { keyId: hub.keyId, name: 'somebody' },
    requestId: 'req',
    attempts: 1,
    epoch: null,
    sessionId: null,
    voidRequested: false,
    result: null,
    error: null,
    createdAt: at,
    expiresAt: at,
    dispatchedAt: at,
    settledAt: at,
    resolution: null,
    journalId: null,
    crashes: null,
    restoredAt: null,
    deliver: null,
    deliverUntil: null,
    round: null,
    batchId: null,
    roles: null,
    ...fields,
  };
  await hub.store.commands.insert(row, { durable: false });
  return row.id;
};
