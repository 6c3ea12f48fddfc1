import { createTurns } from '../../db/turns.ts';
import { HubError } from '../platform/errors.ts';

const BUSY = 'Another search through all players of the project is under way. Wait until it has ended.';

/**
 * Searches through all players of a project, which take the reader's thread for a second in a large one: one at a time. The
 * next one waits `waitMs` at most. @throws HubError rate_limited
 */
export const createScans = (waitMs: number) => {
  const inTurn = createTurns();

  return <T>(projectId: string, work: () => Promise<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      let isRefused = false;
      const timer = setTimeout(() => {
        isRefused = true;
        reject(new HubError('rate_limited', BUSY, { retryAfterS: 2 }));
      }, waitMs);
      void inTurn(projectId, async () => {
        clearTimeout(timer);
        if (!isRefused) await work().then(resolve, reject);
      });
    });
};
