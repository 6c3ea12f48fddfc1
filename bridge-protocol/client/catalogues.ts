import { CATALOGUE_KINDS, type CatalogueEntry, type CatalogueKind, catalogueEntry } from '../wire/catalogue.ts';
import { byteLength, isLongerThan } from '../wire/codec.ts';
import { LIMITS } from '../wire/limits.ts';
import type { Connection } from './connection.ts';
import type { CataloguesSource, Log } from './options.ts';

/** A frame is filled no further, as frames of players are. */
const FRAME_BYTES = 64 * 1024;

const hashOf = async (json: string): Promise<string> => {
  const digest = await globalThis.crypto.subtle.digest('SHA-256', new TextEncoder().encode(json));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
};

/** Entries in parts that fit into a frame each; at least one part. */
const partsOf = (entries: readonly CatalogueEntry[]): CatalogueEntry[][] => {
  const parts: CatalogueEntry[][] = [];
  let part: CatalogueEntry[] = [];
  let bytes = 0;
  for (const entry of entries) {
    const size = byteLength(JSON.stringify(entry));
    if (part.length >= LIMITS.entriesPerFrame || (part.length > 0 && bytes + size > FRAME_BYTES)) {
      parts.push(part);
      part = [];
      bytes = 0;
    }
    part.push(entry);
    bytes += size;
  }
  return [...parts, part];
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
    const given = [...(await read())];
    const entries = given.filter((entry) => catalogueEntry.safeParse(entry).success).slice(0, LIMITS.catalogueEntries);
    if (entries.length < given.length) {
      log('warn', `${given.length - entries.length} entries of the catalogue of ${kind} do not fit the protocol.`);
    }
    const json = JSON.stringify(entries);
    if (isLongerThan(json, LIMITS.catalogueBytes)) {
      return log('warn', `The catalogue of ${kind} has over ${LIMITS.catalogueBytes} bytes and is not sent.`);
    }
    const hash = await hashOf(json);
    if (sent.get(kind) === hash) return;
    const parts = partsOf(entries);
    for (const [part, some] of parts.entries()) {
      if (!(await connection.writable())) return;
      const last = part === parts.length - 1;
      if (!connection.send({ type: 'catalogue', kind, hash, part, last, entries: some })) return;
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
