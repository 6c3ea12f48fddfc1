import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openDatabase } from '../../../db/open.ts';
import { createStore } from '../../../db/store.ts';
import { createProgram } from '../../../server/cli/main.ts';
import { attemptOf, batchOf, scheduleOf, webhookOf } from '../../kit/batch-rows.ts';
import { commandOf } from '../../kit/databases.ts';
import { newFolder } from '../../kit/folder.ts';
import { freePort } from '../../kit/free-port.ts';
import { PAGES, read } from '../../kit/pages.ts';

const REFERENCE = 'docs/reference/command-line.md';
/** The command that the reference shows and resolves. */
const COMMAND = 'cmd_4c1fa0e87c3f0c7a1b92d5e6f7a8b9c0d1e2f3a4';
const BATCH = 'bat_1kbs8n55r000kd2z7c9t1wbe';
const SCHEDULE = 'sch_1kbs8n55r000kd2z7c9t1wbf';
const WEBHOOK = 'whk_1kbs8n55r000kd2z7c9t1wbf';
const EVENT = 'evt_7k2q9c4m1x8b5n3v6z0d2f4h';

/** Every line of a page's shell blocks that begins with `causeway`, without its comment. */
const linesOf = (page: string): string[] =>
  [...read(page).matchAll(/^ *```sh\n([\s\S]*?)^ *```$/gm)]
    .flatMap(([, block = '']) => block.replaceAll(/\\\n\s*/g, '').split('\n'))
    .map((line) => line.trim().replace(/\s+# .*$/, ''))
    .filter((line) => /^(?:sudo (?:--\S+ )?|[A-Z_]+=\S+ )*causeway /.test(line));

/** The words after `causeway`, with optional parts, which are in brackets. */
const wordsOf = (line: string): string[] =>
  [
    ...line
      .replace(/^.*?causeway /, '')
      .replaceAll(/[[\]]/g, '')
      .matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g),
  ].map(([, double, single, bare]) => double ?? single ?? bare ?? '');

type Command = Awaited<ReturnType<typeof createProgram>>;

/** The command line with actions that only say which command was meant. */
const createReader = async () => {
  const program = await createProgram();
  const meant: string[] = [];
  const replaceActions = (command: Command): void => {
    if (command.commands.length === 0) command.action(() => void meant.push(command.name()));
    for (const child of command.commands) replaceActions(child);
  };
  replaceActions(program);
  return async (line: string): Promise<string[]> => {
    await program.parseAsync(wordsOf(line), { from: 'user' });
    return meant;
  };
};

const everyLine = PAGES.flatMap((page) => linesOf(page).map((line) => ({ page, line })));

describe('the commands that the pages print', () => {
  it('are found', () => {
    expect(new Set(everyLine.map(({ page }) => page)).size).toBeGreaterThan(4);
    expect(linesOf(REFERENCE).length).toBeGreaterThan(28);
  });

  it.each(everyLine)('are read by the command line: $page: $line', async ({ line }) => {
    expect(await (await createReader())(line)).toHaveLength(1);
  });

  it('say so when an option does not exist', async () => {
    const read = await createReader();
    await expect(read('causeway key list --project liberty --tenant x')).rejects.toThrow(/unknown option/);
  });
});

/** Commands that need a server, never end, or have tests of their own in this folder. */
const ELSEWHERE = /^causeway (?:start|setup-link|init|demo|copy|webhook test)\b/;

/** In which part of the run a line comes: what it needs is made by an earlier line. */
const ORDER = [
  /^causeway migrate/,
  /^causeway project create/,
  /^causeway server create/,
  /^causeway (?!server|project delete)/,
];
const rankOf = (line: string): number => {
  const rank = ORDER.findIndex((pattern) => pattern.test(line));
  return rank < 0 ? ORDER.length + Number(line.includes('project delete')) : rank;
};

/** Runs lines as the program does, with a database of their own. Returns what a line printed. */
const openTerminal = async () => {
  const folder = newFolder();
  const url = `file:${join(folder, 'hub.db')}`;
  vi.stubEnv('DATABASE_URL', url);
  // Not the usual port, where a demo may run: the doctor would speak with it.
  vi.stubEnv('PORT', String(await freePort()));
  const printed: string[] = [];
  const stdout = vi.spyOn(process.stdout, 'write').mockImplementation((text) => printed.push(String(text)) > 0);
  onTestFinished(() => {
    stdout.mockRestore();
    vi.unstubAllEnvs();
  });
  const run = async (line: string): Promise<string> => {
    printed.length = 0;
    const words = wordsOf(line);
    await (await createProgram([words[0] ?? ''])).parseAsync(words, { from: 'user' });
    return printed.join('');
  };
  return { folder, url, run };
};

/** Stores the command, the batch, the schedule and the webhook that the reference shows. */
const storeShown = async (url: string): Promise<void> => {
  const database = await openDatabase({ url });
  const store = createStore(database);
  const project = await store.projects.bySlug('liberty');
  const projectId = project?.id ?? '';
  await store.commands.insert(commandOf(COMMAND, { projectId, status: 'indeterminate' }), { durable: true });
  await store.batches.insert(batchOf(BATCH, { projectId }));
  await store.schedules.create(scheduleOf(SCHEDULE, { projectId }));
  await store.webhooks.create(webhookOf(WEBHOOK, { projectId }), 1);
  const webhook = await store.webhooks.claim(WEBHOOK, 'n', 1);
  const rows = [attemptOf(WEBHOOK, EVENT, { projectId })];
  if (webhook !== undefined) await store.webhooks.record(webhook, 'n', { patch: webhook, rows });
  await database.close();
};

it('the reference of the command line works', async () => {
  const { folder, url, run } = await openTerminal();
  const lines = linesOf(REFERENCE).filter((line) => line.startsWith('causeway ') && !ELSEWHERE.test(line));
  let key = '';
  for (const line of lines.toSorted((one, other) => rankOf(one) - rankOf(other))) {
    const real = line
      .replace(/key_\w+/, key)
      .replace('/var/backups/causeway', folder)
      .replace('report.json', join(folder, 'report.json'));
    if (/server delete .*(?<!--yes)$/.test(line)) {
      await expect(run(real)).rejects.toThrow('Repeat with --yes');
      continue;
    }
    const shown = await run(real);
    if (line.startsWith('causeway key create')) key = /key_\w+/.exec(shown)?.[0] ?? '';
    if (line.startsWith('causeway project create')) await storeShown(url);
    if (line.startsWith('causeway command show')) expect(shown).toContain(COMMAND);
  }
  expect(await run('causeway project list --json')).toBe('{"data":[]}\n');
});
