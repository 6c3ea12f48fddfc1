import { eq, type SQL } from 'drizzle-orm';
import type { Tables } from '../schema/tables.ts';
import { literally } from './expressions.ts';

type Settled = 'id' | 'projectId' | 'serverId' | 'status' | 'result' | 'error' | 'settledAt';

/** dispatched → outcome: what is set and on which row. `value` is where the statement has its values. */
export const settlement = ({ commands }: Tables, value: (column: Settled) => SQL) => ({
  set: {
    status: value('status'),
    result: value('result'),
    error: value('error'),
    settledAt: value('settledAt'),
  },
  guards: [
    eq(commands.id, value('id')),
    eq(commands.projectId, value('projectId')),
    eq(commands.serverId, value('serverId')),
    literally(eq(commands.status, 'dispatched')),
  ],
});
