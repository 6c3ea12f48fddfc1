import { describe, expect, it } from 'vitest';
import type { CommandRow } from '../../../db/queries/commands/read.ts';
import type { Store } from '../../../db/store.ts';
import type { Bridge, Router } from '../../../server/cluster/router.ts';
import { Elsewhere } from '../../../server/commands/elsewhere.ts';
import { LiveCommands } from '../../../server/commands/live.ts';

const BRIDGE = { id: 'session-1', node: 'node-2', epoch: 7 } as Bridge;
const rowOf = (name: string): CommandRow =>
  ({ id: 'cmd_1', projectId: 'p', serverId: 'main', name, status: 'accepted', expiresAt: 0 }) as CommandRow;

/** A node that has just stored a command for a bridge of another one, which has lost that bridge; the database goes. */
const handOver = async (row: CommandRow) => {
  const discarded: string[] = [];
  const commands = {
    insert: async () => ({ row, isNew: true }),
    get: () => Promise.reject(new Error('the database is away')),
    discard: (_project: string, id: string) => {
      discarded.push(id);
      return Promise.reject(new Error('the database is away'));
    },
  };
  const router = {
    node: 'node-1',
    doubt: () => undefined,
    arrived: async () => undefined,
    locate: () => Promise.reject(new Error('the database is away')),
  };
  const store = { commands } as unknown as Pick<Store, 'commands'>;
  const elsewhere = new Elsewhere({
    store,
    router: router as unknown as Router,
    bus: { isUp: () => true, ask: async () => ({ answer: 'gone' }), tell: () => undefined },
    live: new LiveCommands({ store }),
  } as unknown as ConstructorParameters<typeof Elsewhere>[0]);
  return { told: (await elsewhere.submit(BRIDGE, row, 0)).row, discarded };
};

describe('a stored command for a bridge whose node is unknown', () => {
  it('stays as it is when it is money: it may be sent later', async () => {
    expect(await handOver(rowOf('money'))).toEqual({ told: rowOf('money'), discarded: [] });
  });

  it('is discarded when it is a kick, as far as that is possible', async () => {
    expect(await handOver(rowOf('kick'))).toEqual({ told: rowOf('kick'), discarded: ['cmd_1'] });
  });
});
