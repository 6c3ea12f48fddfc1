import { getPriority, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import Sqlite from 'better-sqlite3';

// Plain JavaScript: a thread does not inherit the loader that reads TypeScript.
const NICE = 5;
const MAX_STATEMENTS = 256;

// Linux has a priority for each thread. On few cores, a search must not take the time of commands.
// Only root may raise the priority of a program that an operator has started with `nice`.
if (process.platform === 'linux' && getPriority() < NICE) setPriority(NICE);

const client = new Sqlite(workerData.file, { readonly: true });
client.pragma(`cache_size = -${workerData.cacheKib}`);
const statements = new Map();

const statementOf = (text) => {
  const known = statements.get(text);
  if (known !== undefined) return known;
  if (statements.size >= MAX_STATEMENTS) statements.clear();
  const statement = client.prepare(text).raw();
  statements.set(text, statement);
  return statement;
};

const answer = ({ id, text, values }) => {
  try {
    return { id, rows: statementOf(text).all(...values) };
  } catch (error) {
    return { id, error: { code: error?.code ?? '', message: String(error?.message ?? error) } };
  }
};

parentPort?.on('message', (question) => {
  if (question !== 'close') return parentPort?.postMessage(answer(question));
  client.close();
  parentPort?.close();
});
