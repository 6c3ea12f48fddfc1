import { CATALOGUE_KINDS, type CatalogueEntry, type CatalogueKind, catalogueEntry } from '../wire/catalogue.ts';
import { byteLength } from '../wire/codec.ts';
import { LIMITS } from '../wire/limits.ts';
import type { Connection } from './connection.ts';
import type { CataloguesSource, Log } from './options.ts';

/** A frame is filled no further, as frames of players are. */
const FRAME_BYTES = 64 * 1024;

const hashOf = async (json: string): Promise<string> => {
  const digest = await globalThis.crypto.subtle.digest('SHA-256', new TextEncoder().encode(json));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
};

/** How long the entries are checked before other work runs: a game server waits meanwhile. */
const SLICE_MS = 1;

/** Entries that fit into a frame, and each of them as JSON. */
type Part = { entries: CatalogueEntry[]; json: string[]; bytes: number };

const emptyPart = (): Part => ({ entries: [], json: [], bytes: 0 });

const isFull = ({ entries, bytes }: Part, more: number): boolean =>
  entries.length >= LIMITS.entriesPerFrame || (entries.length > 0 && bytes + more > FRAME_BYTES);

/**
 * The entries that fit the protocol, in at least one part, and how many do not. Undefined when `pause` says that nothing
 * is wanted any more.
 */
const packed = async (
  given: Iterable<CatalogueEntry>,
  pause: () => Promise<boolean>,
): Promise<{ parts: Part[]; leftOut: number } | undefined> => {
  let part = emptyPart();
  const parts = [part];
  let count = 0;
  let leftOut = 0;
  let since = performance.now();
  for (const entry of given) {
    if (count >= LIMITS.catalogueEntries || !catalogueEntry.safeParse(entry).success) leftOut += 1;
    else {
      const json = JSON.stringify(entry);
      const bytes = byteLength(json);
      if (isFull(part, bytes)) {
        part = emptyPart();
        parts.push(part);
      }
      part.entries.push(entry);
      part.json.push(json);
      part.bytes += bytes;
      count += 1;
    }
    if (performance.now() - since < SLICE_MS) continue;
    if (!(await pause())) return undefined;
    since = performance.now();
  }
  return { parts, leftOut };
};

/** Sends catalogues over one connection: those that the hub does not have in this form. */
export const createCatalogueSync = ({
  connection,
  source = {},
  known,
  log,
}: {
  connection: Pick<Connection, 'send' | 'writable'>;
  source: CataloguesSource | undefined;
  known: Readonly<Record<string, string>> | undefined;
  log: Log;
}) => {
  const sent = new Map<CatalogueKind, string | undefined>(CATALOGUE_KINDS.map((kind) => [kind, known?.[kind]]));

  const send = async (kind: CatalogueKind, read: NonNullable<CataloguesSource[CatalogueKind]>): Promise<void> => {
    const checked = await packed(await read(), connection.writable);
    if (checked === undefined) return;
    const { parts, leftOut } = checked;
    if (leftOut > 0) log('warn', `${leftOut} entries of the catalogue of ${kind} do not fit the protocol.`);
    // As JSON it has two brackets, and commas between the entries.
    const bytes = parts.reduce((sum, part) => sum + part.bytes + part.json.length, 1);
    if (bytes > LIMITS.catalogueBytes) {
      return log('warn', `The catalogue of ${kind} has over ${LIMITS.catalogueBytes} bytes and is not sent.`);
    }
    const hash = await hashOf(`[${parts.map(({ json }) => json.join(',')).join(',')}]`);
    if (sent.get(kind) === hash) return;
    for (const [part, { entries }] of parts.entries()) {
      if (!(await connection.writable())) return;
      const last = part === parts.length - 1;
      if (!connection.send({ type: 'catalogue', kind, hash, part, last, entries })) return;
    }
    sent.set(kind, hash);
  };

  const sendAll = async (): Promise<void> => {
    for (const kind of CATALOGUE_KINDS) {
      const read = source[kind];
      if (read === undefined) continue;
      try {
        await send(kind, read);
      } catch (error) {
        log('error', `The catalogue of ${kind} could not be read: ${String(error)}`);
      }
    }
  };

  // The parts of two catalogues must not mix, so one run follows another.
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  const run = async (): Promise<void> => {
    running = sendAll();
    await running;
    running = undefined;
  };

  return {
    /** Reads all catalogues, and sends those that have changed. Calls during a run are one more run. */
    send: (): Promise<void> => {
      if (running === undefined) return run();
      next ??= running.then(() => {
        next = undefined;
        return run();
      });
      return next;
    },
  };
};
