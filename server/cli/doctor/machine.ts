import { existsSync, statfsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { listBackups } from '../../platform/backups.ts';
import type { Parts, Said } from './finding.ts';

const MIB = 1_048_576;
const HOUR_MS = 3_600_000;

export const checkNode = (): Said => {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const text = `Node.js ${process.versions.node}`;
  if (major < 22 || (major === 22 && minor < 14)) return ['fail', `${text} is too old; install 24`];
  return major < 24 ? ['warn', `${text} works; 24 is recommended`] : ['ok', text];
};

const statOf = (path: string) => statSync(path, { throwIfNoEntry: false });

/** The folders that the hub writes into, one for each disk. */
const disksOf = (file: string, backups: string | undefined): string[] => {
  const folders = [dirname(file), ...(backups !== undefined && statOf(backups)?.isDirectory() ? [backups] : [])];
  const disks = folders.map((folder) => statOf(folder)?.dev);
  return folders.filter((_, n) => disks.indexOf(disks[n]) === n);
};

export const checkDisk = ({ file, config: { BACKUP_FOLDER } }: Parts): Said => {
  if (file === undefined) return ['ok', 'the database is on another machine or in its own folder'];
  const used = Math.ceil((statOf(file)?.size ?? 0) / MIB);
  const disks = disksOf(file, BACKUP_FOLDER).map((folder) => {
    const { bavail, bsize } = statfsSync(folder);
    const free = Math.floor((bavail * bsize) / MIB);
    return { free, text: `${free} MiB are free in ${folder}` };
  });
  const full = disks.find(({ free }) => free < 64);
  if (full !== undefined) return ['fail', `${full.text}; make room, or the hub stops writing and backups fail`];
  const scarce = disks.find(({ free }) => free < Math.max(1_024, used));
  if (scarce !== undefined) return ['warn', `${scarce.text}; a backup needs ${used} MiB`];
  return ['ok', disks.map(({ text }) => text).join(', ')];
};

const SECRET_FILE = 0o077;
const WRITABLE_BY_ALL = 0o002;
/** Only the owner of a file removes it from such a folder, as from /tmp. */
const STICKY = 0o1000;

const octal = (mode: number): string => (mode & 0o777).toString(8).padStart(4, '0');

/** Each path whose mode lets others read the data or replace a file, and the command that ends it. */
const unsafe = (file: string, backups: string | undefined): string[] => {
  const hasBackups = backups !== undefined && statOf(backups)?.isDirectory() === true;
  const copies = hasBackups ? listBackups(backups, Date.now()).backups.map(({ name }) => join(backups, name)) : [];
  const files = [file, `${file}-wal`, `${file}-shm`, ...copies];
  const modeOf = (path: string): number => statOf(path)?.mode ?? 0;
  const folders = [dirname(file), ...(hasBackups ? [backups] : [])];
  const unpacked = join(dirname(file), '.causeway');
  const said = (path: string, mode: string) => `${path} has mode ${octal(modeOf(path))}; run: chmod ${mode} ${path}`;
  return [
    ...files.filter((path) => (modeOf(path) & SECRET_FILE) !== 0).map((path) => said(path, '600')),
    ...folders
      .filter((path) => (modeOf(path) & WRITABLE_BY_ALL) !== 0 && (modeOf(path) & STICKY) === 0)
      .map((path) => said(path, 'o-w')),
    ...((modeOf(unpacked) & SECRET_FILE) === 0 ? [] : [said(unpacked, '700')]),
  ];
};

export const checkModes = ({ file, config: { BACKUP_FOLDER } }: Parts): Said => {
  if (file === undefined || !existsSync(file) || process.platform === 'win32') return ['ok', 'no file to look at'];
  const found = unsafe(file, BACKUP_FOLDER);
  if (found.length > 0) return ['fail', found.slice(0, 5).join(' · ')];
  return ['ok', `only their owner reads ${file} and its backups`];
};

export const checkBackup = ({ config: { BACKUP_FOLDER, BACKUP_EVERY }, file }: Parts): Said => {
  if (file === undefined) return ['ok', 'the hub does not know: PostgreSQL is backed up by pg_dump or its own tools'];
  if (BACKUP_FOLDER === undefined)
    return [
      'warn',
      'the hub makes none by itself, and does not know of those made by hand; set BACKUP_FOLDER to a folder on another disk',
    ];
  if (statSync(BACKUP_FOLDER, { throwIfNoEntry: false })?.isDirectory() !== true)
    return ['fail', `BACKUP_FOLDER is no folder: ${BACKUP_FOLDER}; make it, and let the user of the hub write there`];
  const { backups, ignored } = listBackups(BACKUP_FOLDER, Date.now());
  if (ignored.length > 0)
    return ['warn', `empty or from the future, so not counted: ${ignored.join(', ')}; remove them`];
  const [newest] = backups;
  if (newest === undefined) return ['warn', `there is none in ${BACKUP_FOLDER} yet`];
  const hours = Math.round((Date.now() - newest.at) / HOUR_MS);
  const text = `the newest in ${BACKUP_FOLDER} is ${hours} hours old`;
  return Date.now() - newest.at > 2 * BACKUP_EVERY ? ['fail', `${text}; look at the log of the hub`] : ['ok', text];
};
