import { hash } from 'node:crypto';
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

/** Folders of this many versions stay: a hub of an earlier one may still run. */
const KEPT = 3;
/** Lists the files of a version. Its hash is in the name of the folder, so it proves whose folder that is. */
const CONTENTS = 'contents.json';
const HASH_LENGTH = 12;
const NAME = new RegExp(`^\\d+\\.\\d+\\.\\d+\\S*-([0-9a-f]{${HASH_LENGTH}})$`);
const WRITABLE_BY_OTHERS = 0o022;
const STICKY = 0o1000;

const digestOf = (content: string | Uint8Array): string => hash('sha256', content);

const readIfThere = (file: string): Uint8Array | undefined => {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
};

/** Writes a file that is missing or has other content. */
const put = (file: string, digest: string, bytes: () => Uint8Array): void => {
  const present = readIfThere(file);
  if (present !== undefined && digestOf(present) === digest) return;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  // Another process may do the same at the same time.
  const partial = `${file}.${process.pid}`;
  writeFileSync(partial, bytes(), { mode: 0o600 });
  renameSync(partial, file);
};

/** Whether this program made the folder. Everything else in its home belongs to the user. */
const isOurs = (folder: string, name: string): boolean => {
  const [, expected] = NAME.exec(name) ?? [];
  const contents = expected === undefined ? undefined : readIfThere(join(folder, CONTENTS));
  return contents !== undefined && digestOf(contents).slice(0, HASH_LENGTH) === expected;
};

/** Removes folders of old versions. Another process may do the same at the same time. */
const removeOld = (home: string, current: string): void => {
  const others = readdirSync(home)
    .filter((name) => name !== current && isOurs(join(home, name), name))
    .map((name) => ({ name, usedAt: statSync(join(home, name), { throwIfNoEntry: false })?.mtimeMs ?? 0 }));
  const oldestLast = others.toSorted((a, b) => b.usedAt - a.usedAt);
  for (const { name } of oldestLast.slice(KEPT - 1)) {
    try {
      rmSync(join(home, name), { recursive: true, force: true });
    } catch {
      // An old folder that cannot be removed takes room, and does no harm.
    }
  }
};

const isWritableByOthers = ({ mode }: Stats): boolean => (mode & WRITABLE_BY_OTHERS) !== 0;

/** Refuses folders in which another user could change the program. @throws Error with the remedy */
const assertHome = (home: string, user: number | undefined): void => {
  const stats = statSync(home);
  if (!stats.isDirectory()) throw new Error(`${home} is not a folder; remove it, or set PROGRAM_FOLDER`);
  // Windows has neither owners nor modes.
  if (user === undefined) return;
  if (stats.uid !== user && stats.uid !== 0) {
    throw new Error(`${home} belongs to another user (uid ${stats.uid}); start as that user, or set PROGRAM_FOLDER`);
  }
  // In a folder such as /tmp, users can remove only files of their own.
  if (isWritableByOthers(stats) && (stats.mode & STICKY) === 0) {
    throw new Error(`other users may write into ${home}; run: chmod go-w ${home}`);
  }
};

const assertOwn = (folder: string, user: number | undefined): void => {
  const stats = lstatSync(folder);
  if (!stats.isDirectory()) throw new Error(`${folder} is not a folder; remove it`);
  if (user === undefined) return;
  if (stats.uid !== user) throw new Error(`${folder} belongs to another user (uid ${stats.uid}); remove it`);
  if (isWritableByOthers(stats)) throw new Error(`other users may write into ${folder}; run: rm -r ${folder}`);
};

const isDenied = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'EACCES' || error.code === 'EPERM');

/** The reason and the remedy, for the user who may not write into the home. */
const denied = (home: string, user: number | undefined, error: unknown): Error => {
  const reason = error instanceof Error ? error.message : String(error);
  const owner = statSync(home, { throwIfNoEntry: false })?.uid;
  if (user === undefined || owner === undefined || owner === user) {
    return new Error(`cannot write into ${home} (${reason}); set PROGRAM_FOLDER to a folder of this user`);
  }
  const after = owner === 0 ? ', as after a start with sudo' : '';
  return new Error(`${home} belongs to another user (uid ${owner})${after}; run: sudo chown -R ${user} ${home}`);
};

/**
 * Writes the files of a program into a folder of its version, where they are missing or changed, removes old versions,
 * and returns the folder. @throws Error with the remedy
 */
export const prepareFolder = (
  home: string,
  /** The files of the executable: the text of their list, its version and hashes, and a reader of their bytes. */
  files: { text: string; version: string; hashes: Record<string, string>; bytesOf: (name: string) => Uint8Array },
  user: number | undefined = process.geteuid?.(),
): string => {
  const { text, version, hashes, bytesOf } = files;
  const digest = digestOf(text);
  const name = `${version}-${digest.slice(0, HASH_LENGTH)}`;
  const folder = join(home, name);
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 });
    assertHome(home, user);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    assertOwn(folder, user);
    put(join(folder, CONTENTS), digest, () => Buffer.from(text));
    for (const [file, expected] of Object.entries(hashes)) put(join(folder, file), expected, () => bytesOf(file));
    utimesSync(folder, new Date(), new Date());
    removeOld(home, name);
    return folder;
  } catch (error) {
    throw isDenied(error) ? denied(home, user, error) : error;
  }
};
