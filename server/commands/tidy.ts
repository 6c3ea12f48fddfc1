import type { CommandRow } from '../../db/queries/commands/row.ts';
import type { Store } from '../../db/store.ts';
import { isExactlyOnce } from './dispatch.ts';

const KEPT_AFTER_OUTCOME_MS = 7 * 24 * 60 * 60 * 1000;
const ABANDONED_AFTER_MS = 7 * 24 * 60 * 60 * 1000;
const SWEEP_ROWS = 200;
const SWEEP_STEPS = 500;

/** All that is due, a few rows at a time: each step is a commit of its own, and everybody else's work goes between. */
const inSteps = async (step: (rows: number) => Promise<number>): Promise<void> => {
  for (let n = 0; n < SWEEP_STEPS; n += 1) if ((await step(SWEEP_ROWS)) < SWEEP_ROWS) return;
};

/** The slow sweep: what no queue knows any more, abandoned commands, keys past their retention, old stray results. */
export const createTidy = ({
  store,
  announce,
  expire,
  now,
}: {
  store: Pick<Store, 'commands' | 'servers' | 'strayResults'>;
  announce: (row: CommandRow) => void;
  expire: (row: CommandRow) => Promise<void>;
  now: () => number;
}) => {
  const abandon = async (): Promise<void> => {
    for (const row of await store.commands.abandonedBefore(now() - ABANDONED_AFTER_MS, SWEEP_ROWS)) {
      const error = { code: 'indeterminate', message: 'The bridge did not come back for seven days.' };
      const server = await store.servers.get(row.projectId, row.serverId);
      const rows = await store.commands.indeterminate({
        projectId: row.projectId,
        ids: [row.id],
        error,
        journalId: isExactlyOnce(row.name) ? (server?.journalId ?? null) : null,
        at: now(),
      });
      for (const settled of rows) announce(settled);
    }
  };

  return async (): Promise<void> => {
    for (const row of await store.commands.dueAccepted(now(), SWEEP_ROWS)) await expire(row);
    await abandon();
    const before = now() - KEPT_AFTER_OUTCOME_MS;
    await inSteps((rows) => store.commands.forgetKeys(before, rows));
    await inSteps((rows) => store.strayResults.prune(before, rows));
  };
};
