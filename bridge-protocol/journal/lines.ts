import * as z from 'zod/mini';
import { commandError, outcomeStatus } from '../wire/messages.ts';
import type { JournalIndex } from './entries.ts';
import type { JournalEntry, Outcome } from './journal.ts';

const count = z.int().check(z.nonnegative());

const header = z.object({ op: z.literal('journal'), version: z.literal(1), id: z.string(), sequence: count });
const entry = z.object({
  op: z.literal('entry'),
  id: z.string(),
  fingerprint: z.string(),
  name: z.optional(z.string()),
  status: z.union([outcomeStatus, z.literal('started')]),
  data: z.optional(z.record(z.string(), z.unknown())),
  error: z.optional(commandError),
  sequence: count,
  at: z.number(),
  acknowledged: z.boolean(),
});
const acknowledged = z.object({ op: z.literal('acknowledged'), ids: z.array(z.string()) });
const line = z.discriminatedUnion('op', [header, entry, acknowledged]);

/** The first line of a journal file: the journal's id, and its sequence when the file was written. */
export const headerLine = (id: string, sequence: number): string =>
  `${JSON.stringify({ op: 'journal', version: 1, id, sequence } satisfies z.infer<typeof header>)}\n`;

/** An entry as it is from now on; a later line of the same id replaces it. */
export const entryLine = ({ outcome, ...rest }: JournalEntry): string => {
  const payload = outcome === undefined ? {} : { data: outcome.data, error: outcome.error };
  return `${JSON.stringify({ op: 'entry', ...rest, ...payload })}\n`;
};

export const acknowledgedLine = (ids: readonly string[]): string => `${JSON.stringify({ op: 'acknowledged', ids })}\n`;

const NEW_LINE = 10;
const decoder = new TextDecoder('utf-8', { fatal: true });

const parse = (bytes: Uint8Array) => {
  try {
    return line.safeParse(JSON.parse(decoder.decode(bytes))).data;
  } catch {
    return undefined;
  }
};

const wholeLines = function* (bytes: Uint8Array): Generator<Uint8Array> {
  let from = 0;
  for (let end = bytes.indexOf(NEW_LINE); end !== -1; end = bytes.indexOf(NEW_LINE, from)) {
    yield bytes.subarray(from, end);
    from = end + 1;
  }
};

const entryOf = ({ op: _, data, error, ...rest }: z.infer<typeof entry>): JournalEntry => {
  // Acknowledged entries keep the code of a refusal; older versions kept nothing.
  if (rest.status === 'started' || (rest.acknowledged && error === undefined)) return rest;
  const outcome: Outcome = { status: rest.status };
  if (data !== undefined) outcome.data = data;
  if (error !== undefined) outcome.error = error;
  return { ...rest, outcome };
};

/**
 * Reads the bytes of a journal file into `index`. A last line without a line break is left out: the process died while
 * writing it, so the journal never confirmed it. Returns the journal's id (undefined if the first line is not whole),
 * the number of whole bytes, and the number of whole lines.
 * @throws Error that names a whole line that cannot be read: its command may have been executed
 */
export const readLines = (bytes: Uint8Array, index: JournalIndex) => {
  let id: string | undefined;
  let lines = 0;
  for (const content of wholeLines(bytes)) {
    const read = parse(content);
    lines += 1;
    if (read === undefined || (lines === 1) !== (read.op === 'journal')) {
      throw new Error(`line ${lines} is not a line of a journal`);
    }
    if (read.op === 'journal') {
      id = read.id;
      index.reached(read.sequence);
    } else if (read.op === 'entry') index.put(entryOf(read));
    else index.acknowledge(read.ids);
  }
  return { id, whole: bytes.lastIndexOf(NEW_LINE) + 1, lines };
};
