import { eq, type SQL } from 'drizzle-orm';
import type { Tables } from '../schema/tables.ts';
import { literally } from './expressions.ts';

type Settled = 'id' | 'projectId' | 'serverId' | 'status' | 'result' | 'error' | 'settledAt';

/** dispatched → outcome: the new values and the condition on the row. `value` returns the placeholder of a value. */
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
