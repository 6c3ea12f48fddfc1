import type { CommandRow } from '../../db/queries/commands/read.ts';
import { newId } from '../../server/platform/ids.ts';
import { commandOf } from './databases.ts';
import type { TestHub } from './hub.ts';

/** Puts a command into the journal as it is; by default money that was refused. */
export const insertCommand = async (hub: TestHub, fields: Partial<CommandRow> = {}): Promise<string> => {
  const at = fields.createdAt ?? Date.now();
  const row = commandOf(newId('cmd'), {
    projectId: hub.project.id,
    target: 'char1:ana',
    params: { target: 'char1:ana', type: 'bank', amount: 5, action: 'add', reason: 'why' },
    status: 'rejected',
    actor: { keyId: hub.keyId, name: 'somebody' },
    attempts: 1,
    createdAt: at,
    expiresAt: at,
    dispatchedAt: at,
    settledAt: at,
    ...fields,
  });
  await hub.store.commands.insert(row, { durable: false });
  return row.id;
};
