import { randomUUID } from 'node:crypto';
import type { Journal, JournalEntry } from '../../bridge-protocol/index.ts';
import { createGoods } from './goods.ts';

/** Data that survives the processes of a game server. */
export const createDisk = () => ({
  journalId: randomUUID() as string,
  sequence: 0,
  entries: new Map<string, JournalEntry>(),
  banks: new Map([
    ['char1:ana', 1_000],
    ['char1:bo', 50],
    ['char1:cy', 0],
  ]),
  goods: createGoods(),
});
export type Disk = ReturnType<typeof createDisk>;

/** A journal on the disk; a dead process writes nothing any more. */
export const openJournal = (disk: Disk, isAlive: () => boolean): Journal => {
  const put = (entry: Omit<JournalEntry, 'sequence' | 'at' | 'acknowledged'>): number => {
    if (!isAlive()) throw new Error('the process is dead');
    disk.sequence += 1;
    disk.entries.set(entry.id, { ...entry, sequence: disk.sequence, at: 0, acknowledged: false });
    return disk.sequence;
  };
  return {
    class: 'durable',
    id: disk.journalId,
    openedAt: disk.sequence,
    sequence: () => disk.sequence,
    get: (id) => disk.entries.get(id),
    start: (id, fingerprint, call) => void put({ id, fingerprint, name: call?.name, status: 'started' }),
    settle: (id, outcome) =>
      put({ id, fingerprint: disk.entries.get(id)?.fingerprint ?? '', status: outcome.status, outcome }),
    acknowledge: (ids) => {
      for (const id of ids) {
        const entry = disk.entries.get(id);
        if (entry === undefined || entry.status === 'started' || !isAlive()) continue;
        const { outcome, ...rest } = entry;
        const isRefused = outcome?.status === 'rejected' || outcome?.status === 'failed';
        disk.entries.set(id, { ...rest, ...(isRefused && { outcome }), acknowledged: true });
      }
    },
    open: () =>
      [...disk.entries.values()].filter((entry) => !entry.acknowledged).sort((one, two) => one.sequence - two.sequence),
    close: () => {},
  };
};
