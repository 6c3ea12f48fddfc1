import { createServer } from '../../../server/admin/servers.ts';
import { fillPlayers, fillWaiting } from '../fill.ts';
import type { Attack } from '../report.ts';

const ROUNDS = 6;
const rounds = Array.from({ length: ROUNDS }, (_, n) => n);
const WAITING = 30_000;
const TARGETS = 10_000;

/** A server with 30,000 waiting commands is deleted; a batch of 10,000 is voided; five dry runs of one come at once. */
export const deletions: readonly Attack[] = [
  {
    name: 'delete-server',
    isRepeated: true,
    options: {
      fill: async (store, projectId) => {
        for (const n of rounds) {
          await createServer(store, projectId, { id: `s${n}`, name: `s${n}` });
          await fillWaiting(store, projectId, { rows: WAITING, serverId: `s${n}` });
        }
      },
    },
    play: async ({ caller }, round) => {
      const { status, ms } = await caller.ask('DELETE', `/api/v2/servers/s${round}`);
      return `${WAITING} waiting commands, ${status} after ${(ms / 1_000).toFixed(1)} s`;
    },
  },
  {
    name: 'void-batch',
    isRepeated: true,
    options: {
      fill: async (store, projectId) => {
        for (const n of rounds) await fillWaiting(store, projectId, { rows: TARGETS, batchId: `bat_${n}` });
      },
    },
    play: async ({ caller }, round) => {
      const { status, ms } = await caller.ask('POST', `/api/v2/batches/bat_${round}/void`);
      return `${TARGETS} commands, ${status} after ${(ms / 1_000).toFixed(1)} s`;
    },
  },
  {
    name: 'dry-runs',
    isRepeated: true,
    options: { fill: (store, projectId) => fillPlayers(store, projectId, TARGETS) },
    play: async (stage, round) => {
      const bridge = await stage.connect();
      const json = {
        serverId: 'main',
        name: 'money',
        params: { type: 'bank', amount: 5, action: 'add' },
        targets: Array.from({ length: TARGETS }, (_, n) => `license:${n}`),
        dryRun: true,
      };
      const answers = await Promise.all(
        Array.from({ length: 5 }, (_, n) =>
          stage.caller.ask('POST', '/api/v2/batches', json, { 'Idempotency-Key': `dry-${round}-${n}` }),
        ),
      );
      bridge.close();
      return `5 of ${TARGETS} players: ${answers.map(({ status }) => status).join(' ')}`;
    },
  },
];
