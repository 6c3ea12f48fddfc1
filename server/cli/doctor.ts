import { writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { pathOf } from '../../db/sqlite/file.ts';
import { type Config, ConfigError, configSchema, readConfig, removedSettings } from '../platform/config.ts';
import { VERSION } from '../platform/version.ts';
import { commandName } from './command-name.ts';
import { examine, type Finding, type Parts } from './doctor/finding.ts';
import { checkBackup, checkDisk, checkModes, checkNode } from './doctor/machine.ts';
import { checkNats, checkPort, checkPublic, checkTls } from './doctor/network.ts';
import { examineDatabase } from './doctor/stored.ts';
import { CliError, print, printJson } from './output.ts';

const NAMES = Object.keys(configSchema.shape);

/** The settings. Those that cannot be used are a finding, and their defaults stand in for them. */
const examineSettings = (environment: NodeJS.ProcessEnv): { config: Config; finding: Finding } => {
  const check = 'settings';
  try {
    const removed = removedSettings(environment);
    const finding: Finding =
      removed === undefined
        ? { check, status: 'ok', text: 'every setting can be used' }
        : { check, status: 'warn', text: removed };
    return { config: readConfig(environment), finding };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const text = error.message;
    const wrong = NAMES.filter((name) => new RegExp(`(^|; )${name}: `).test(text));
    if (wrong.length === 0) throw error;
    const rest = Object.fromEntries(Object.entries(environment).filter(([name]) => !wrong.includes(name)));
    return { config: examineSettings(rest).config, finding: { check, status: 'fail', text } };
  }
};

/** Settings without secrets: addresses may have passwords in them, so only these values are shown. */
const SHOWN = ['PORT', 'HOST', 'TRUST_PROXY', 'LOG_LEVEL', 'MIGRATE_ON_START', 'BACKUP_EVERY', 'BACKUP_KEEP'];

const settingsOf = (environment: NodeJS.ProcessEnv): object =>
  Object.fromEntries(
    NAMES.map((name) => {
      const value = environment[name];
      return [name, value === undefined || value === '' ? 'default' : SHOWN.includes(name) ? value : 'set'];
    }),
  );

const doctor = async ({ json, bundle }: { json?: boolean; bundle?: string }): Promise<void> => {
  const { config, finding: settingsFinding } = examineSettings(process.env);
  const file = config.DATABASE_URL.startsWith('file:') ? pathOf(config.DATABASE_URL) : undefined;
  const parts: Parts = { config, file, command: commandName() };
  const [ofDatabase, before, after] = await Promise.all([
    examineDatabase(parts),
    Promise.all([
      examine('node', checkNode),
      examine('disk', () => checkDisk(parts)),
      examine('files', () => checkModes(parts)),
    ]),
    Promise.all([
      examine('port', () => checkPort(parts)),
      examine('address', () => checkPublic(parts)),
      examine('tls', () => checkTls(parts)),
      examine('nats', () => checkNats(parts)),
      examine('backup', () => checkBackup(parts)),
    ]),
  ]);
  const findings = [settingsFinding, ...before, ...ofDatabase.findings, ...after];
  if (json === true) printJson({ findings });
  else for (const { check, status, text } of findings) print(`${status.padEnd(4)}  ${check.padEnd(8)}  ${text}`);
  if (bundle !== undefined) {
    const { platform, arch, versions } = process;
    const report = { version: VERSION, node: versions.node, platform, arch, findings, counts: ofDatabase.counts };
    const settings = settingsOf(process.env);
    writeFileSync(bundle, `${JSON.stringify({ ...report, settings }, null, 2)}\n`, { flag: 'wx', mode: 0o600 });
    if (json !== true) print(`Written to ${bundle}: no secrets and no players are in it. Read it before you send it.`);
  }
  const failed = findings.filter(({ status }) => status === 'fail').length;
  if (failed > 0) throw new CliError(`${failed} ${failed === 1 ? 'check' : 'checks'} failed`);
};

export const defineDoctor = (command: Command): Command =>
  command
    .option('--json', 'print one JSON document')
    .option('--bundle <file>', 'also write a report without secrets and players, for support')
    .action(doctor);
