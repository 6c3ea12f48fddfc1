import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  openSync,
  readSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DatabaseError } from '../errors.ts';

const MAGIC = 'SQLite format 3\0';
/** A rollback journal of one page, the first pages of a write-ahead log, and its index of 32 KiB. */
const PROBE_BYTES = 256 * 1024;

/** The path a `file:` URL names; undefined is memory. @throws DatabaseError invalid_url */
export const pathOf = (url: string): string | undefined => {
  if (url === 'file::memory:') return undefined;
  if (!url.startsWith('file://')) return resolve(url.slice('file:'.length));
  try {
    return fileURLToPath(url);
  } catch (error) {
    const message = 'The database URL is no path of this machine; write file:<path> or file:///<path>.';
    throw new DatabaseError('invalid_url', message, { cause: error });
  }
};

/**
 * Writes a file beside the database and takes it away again.
 * @throws DatabaseError unavailable: there is no room for the files that SQLite makes there
 */
export const assertRoom = (file: string): void => {
  const probe = `${file}.probe`;
  try {
    // Numbers of free blocks know nothing of quotas and of blocks that are reserved for root.
    writeFileSync(probe, Buffer.alloc(PROBE_BYTES), { mode: 0o600 });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOSPC' || code === 'EDQUOT') throw noRoom(file, error);
  } finally {
    if (existsSync(probe)) rmSync(probe);
  }
};

/** The hub does not start on a full disk. */
export const noRoom = (file: string, cause: unknown): DatabaseError => {
  const message = `The disk is full: the folder ${dirname(file)} has no room for the files of the database; make room.`;
  return new DatabaseError('unavailable', message, { cause, isFull: true });
};

const statOf = (path: string): Stats | undefined => statSync(path, { throwIfNoEntry: false });

const assertFolder = (file: string): void => {
  const folder = dirname(file);
  let stats: Stats | undefined;
  try {
    stats = statOf(folder);
  } catch (error) {
    throw new DatabaseError('unreadable', `The folder ${folder} cannot be read; check its permissions.`, {
      cause: error,
    });
  }
  if (stats?.isDirectory() === true) return;
  throw new DatabaseError('unreadable', `The folder ${folder} does not exist; create it or change DATABASE_URL.`);
};

const assertWritable = (path: string, what: 'file' | 'folder'): void => {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
  } catch (error) {
    const owner = statOf(path)?.uid;
    const isOthers = what === 'file' && owner !== process.geteuid?.();
    throw new DatabaseError(
      isOthers ? 'wrong_owner' : 'unreadable',
      isOthers
        ? `The file ${path} belongs to another user (uid ${owner}); start as that user or change its owner.`
        : `The ${what} ${path} cannot be written; change its permissions.`,
      { cause: error },
    );
  }
};

const headOf = (file: string): string => {
  const descriptor = openSync(file, 'r');
  try {
    const head = Buffer.alloc(MAGIC.length);
    return head.toString('latin1', 0, readSync(descriptor, head, 0, head.length, 0));
  } finally {
    closeSync(descriptor);
  }
};

const create = (file: string): void => {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    // Another process that starts at the same time made it.
    if (existsSync(file)) return;
    const message = `The file ${file} cannot be created; change the permissions of its folder or DATABASE_URL.`;
    throw new DatabaseError('unreadable', message, { cause: error });
  }
};

/**
 * Makes sure that a database file can be worked with, and makes an empty one (mode 0600, which SQLite repeats for the
 * files beside it) where there is none. Returns whether there is something in it. @throws DatabaseError
 */
export const prepareFile = (file: string): boolean => {
  assertFolder(file);
  const stats = statOf(file);
  if (stats === undefined) {
    create(file);
    return false;
  }
  if (!stats.isFile()) {
    throw new DatabaseError('unreadable', `${file} is not a file; change DATABASE_URL.`);
  }
  if (stats.nlink > 1) {
    const message = `The file ${file} has another name, a hard link: two hubs could use it at once and destroy it. Copy it, and use the copy.`;
    throw new DatabaseError('unreadable', message);
  }
  assertWritable(file, 'file');
  assertWritable(dirname(file), 'folder');
  if (stats.size === 0) return false;
  if (headOf(file) === MAGIC) return true;
  throw new DatabaseError('not_a_database', `The file ${file} is not an SQLite database; change DATABASE_URL.`);
};
