import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Database } from '../../db/database.ts';
import type { Background } from './background.ts';
import type { Config, Tuning } from './config.ts';
import type { Metrics } from './metrics.ts';
import { optionalTime } from './time.ts';

const NAME = /^causeway-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.db$/;
/** An unfinished backup of a hub that was killed, and the files that SQLite made beside it. */
const PARTIAL = /^causeway-\d{8}T\d{6}Z\.db\.partial(?:-journal|-wal|-shm)?$/;
/** A backup whose name is further in the future is not by this hub's clock. */
const CLOCK_TOLERANCE_MS = 60_000;
/** After a failure, the next attempt comes this much later, or at the next regular time if that is earlier. */
const RETRY_MS = 15 * 60_000;

const nameOf = (at: number): string =>
  `causeway-${new Date(at).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z.db`;

const timeOf = (name: string): number | undefined => {
  const parts = NAME.exec(name)?.slice(1).map(Number);
  if (parts === undefined) return undefined;
  const [year = 0, month = 1, day, hour, minute, second] = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second);
};

type Backup = { name: string; at: number };

/**
 * The backups in a folder, newest first. `ignored`: named like a backup, but empty or from the future. Other files are
 * never touched. @throws if the folder cannot be read
 */
export const listBackups = (folder: string): { backups: Backup[]; ignored: string[] } => {
  const named = readdirSync(folder).flatMap((name) => {
    const at = timeOf(name);
    return at === undefined ? [] : [{ name, at }];
  });
  const isUsable = ({ name, at }: Backup): boolean =>
    at <= Date.now() + CLOCK_TOLERANCE_MS && statSync(join(folder, name), { throwIfNoEntry: false })?.size !== 0;
  const backups = named.filter(isUsable).sort((a, b) => b.at - a.at);
  const ignored = named.filter((backup) => !backups.includes(backup)).map(({ name }) => name);
  return { backups, ignored };
};

/** A hub that is killed during a backup cannot remove its unfinished file. */
const removePartials = (folder: string): void => {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isFile() && PARTIAL.test(entry.name)) rmSync(join(folder, entry.name), { force: true });
  }
};

/** Regular backups into `BACKUP_FOLDER`; undefined without one. A failure is logged and shown in health. */
export const createBackups = ({
  config,
  database,
  background,
  metrics,
  log,
  tuning: { backupCheckMs, backupDelayMs },
}: {
  config: Pick<Config, 'BACKUP_FOLDER' | 'BACKUP_EVERY' | 'BACKUP_KEEP'>;
  database: Pick<Database, 'backup'>;
  background: Background;
  metrics: Pick<Metrics, 'lastBackup'>;
  log: Logger;
  tuning: Pick<Tuning, 'backupCheckMs' | 'backupDelayMs'>;
}) => {
  const { BACKUP_FOLDER: folder, BACKUP_EVERY: everyMs, BACKUP_KEEP: keep } = config;
  if (folder === undefined) return undefined;
  const stop = new AbortController();
  const state: { lastGoodAt?: number | undefined; failedAt?: number | undefined; ignored: string } = { ignored: '' };
  /** No backup before this time of the monotonic clock, which is never set: first the bridges come back. */
  let notBefore = 0;

  const isDue = (at: number): boolean => {
    const { lastGoodAt = -Infinity, failedAt = -Infinity } = state;
    // After the clock was set back, a time may lie years ahead.
    const nextAt = (time: number, waitMs: number): number => (time > at + CLOCK_TOLERANCE_MS ? at : time + waitMs);
    const dueAt = Math.max(nextAt(lastGoodAt, everyMs), nextAt(failedAt, Math.min(RETRY_MS, everyMs)));
    return performance.now() >= notBefore && at >= dueAt;
  };

  /** Lists the backups, and warns when other files than before are ignored. @throws if the folder cannot be read */
  const look = (): Backup[] => {
    const { backups, ignored } = listBackups(folder);
    const names = ignored.join(', ');
    if (names !== '' && names !== state.ignored) {
      log.warn({ folder, files: ignored }, 'files in BACKUP_FOLDER are empty or from the future: they are ignored');
    }
    state.ignored = names;
    return backups;
  };

  /** Deletes the oldest backups, but only after a newer one was found good. */
  const prune = (): void => {
    for (const { name } of look().slice(keep)) rmSync(join(folder, name), { force: true });
  };

  const make = async (): Promise<void> => {
    const at = Date.now();
    try {
      if (!statSync(folder).isDirectory()) throw new Error(`${folder} is not a folder`);
      const name = nameOf(at);
      await database.backup(join(folder, name), { signal: stop.signal });
      state.lastGoodAt = at;
      state.failedAt = undefined;
      metrics.lastBackup.set(at / 1_000);
      prune();
      log.info({ file: join(folder, name), ms: Date.now() - at }, 'backup made');
    } catch (error) {
      if (stop.signal.aborted) return;
      state.failedAt = Date.now();
      log.error({ err: error, folder }, 'backup failed; BACKUP_FOLDER must be an existing folder with room');
    }
  };

  /** Sees files that came or went. A folder that cannot be read is a matter of the next backup. */
  const lookAgain = async (): Promise<void> => {
    try {
      look();
    } catch (error) {
      log.debug({ err: error, folder }, 'BACKUP_FOLDER cannot be read');
    }
  };

  return {
    /** Continues from the newest backup in the folder. */
    start: (): void => {
      try {
        state.lastGoodAt = look()[0]?.at;
        removePartials(folder);
      } catch (error) {
        state.failedAt = Date.now() - RETRY_MS;
        log.error({ err: error, folder }, 'BACKUP_FOLDER cannot be read or written');
      }
      if (state.lastGoodAt !== undefined) metrics.lastBackup.set(state.lastGoodAt / 1_000);
      // Hubs of one machine need not begin together.
      notBefore = performance.now() + Math.min(everyMs, backupDelayMs * (1 + 4 * Math.random()));
      background.every('backup', backupCheckMs, () => (isDue(Date.now()) ? make() : lookAgain()));
    },
    /** Ends a running backup, which leaves no file. */
    stop: (): void => stop.abort(),
    health: () => {
      const { lastGoodAt, failedAt, ignored } = state;
      const isLate = lastGoodAt !== undefined && Date.now() - lastGoodAt > 2 * everyMs;
      const details = [
        failedAt !== undefined &&
          'The last backup failed. The log of the hub says why; check BACKUP_FOLDER and its disk.',
        isLate && 'The last backup is older than it should be. Look at the log of the hub.',
        ignored !== '' && 'Files in BACKUP_FOLDER are empty or from the future, and are ignored: remove them.',
      ];
      const detail = details.find((text) => text !== false) ?? null;
      return {
        status: detail === null ? ('pass' as const) : ('warn' as const),
        lastGoodAt: optionalTime(lastGoodAt),
        detail,
      };
    },
  };
};
