import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import type { Database } from '../../db/port/database.ts';
import { pathOf } from '../../db/sqlite/file.ts';
import { commandName } from './command-name.ts';
import { CliError, print, printTable } from './output.ts';

type Options = { from: string; to: string; resume?: boolean };

/** @throws CliError if the copy would mix with existing rows, or the state of the target is unknown */
const assertReady = async (source: Database, target: Database, resume: boolean | undefined): Promise<void> => {
  if ((await source.pending()) > 0) {
    throw new CliError(`the source is not up to date; run ${commandName()} migrate with DATABASE_URL as --from`);
  }
  const isUnfinished = (await target.copyMark?.isSet()) === true;
  if (isUnfinished && resume !== true) {
    throw new CliError(
      'the target is an unfinished copy; continue with --resume, or drop the database and create it again',
    );
  }
  if (isUnfinished) return;
  if (!(await target.isEmpty())) throw new CliError('the target is not empty; name a database without projects');
};

/** Checked after the options are parsed: commander repeats the value in its errors, and it may contain a password. */
const assertAddresses = ({ from, to }: Options): void => {
  if (!/^file:./.test(from)) throw new CliError('--from must be file:<path>', 2);
  if (!/^postgres(ql)?:\/\/./.test(to)) throw new CliError('--to must be postgres://user@host:port/name', 2);
};

const copy = async (options: Options): Promise<void> => {
  assertAddresses(options);
  const { from, to, resume } = options;
  const path = pathOf(from);
  if (path === undefined || !existsSync(path)) throw new CliError(`there is no database ${path ?? 'in memory'}`);
  const { openDatabase } = await import('../../db/open.ts');
  const { copyDatabase } = await import('../../db/copy.ts');
  const source = await openDatabase({ url: from });
  try {
    const target = await openDatabase({ url: to, isCopyTarget: true });
    try {
      await assertReady(source, target, resume);
      await target.copyMark?.set();
      await target.migrate();
      const done = await copyDatabase(source, target, ({ table, rows, written }) =>
        print(`${table}: ${rows} rows, ${written} of them written`),
      );
      await target.copyMark?.clear();
      printTable(
        ['table', 'rows', 'sha256 on both sides'],
        done.map(({ table, rows, sha256 }) => [table, String(rows), sha256]),
      );
      print('The copy is whole.');
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
};

export const defineCopy = (command: Command): Command =>
  command
    .requiredOption('--from <url>', 'file:<path>')
    .requiredOption('--to <url>', 'postgres://… of an empty database')
    .option('--resume', 'continue an unfinished copy, with all changes since')
    .action(copy);
