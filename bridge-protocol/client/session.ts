import { byteLength } from '../wire/codec.ts';
import { LIMITS } from '../wire/limits.ts';
import {
  CATALOGUE_KINDS,
  type CatalogueEntry,
  type CatalogueKind,
  catalogueEntry,
  type HubMessage,
  type MessageOf,
} from '../wire/messages.ts';
import type { Connection } from './connection.ts';
import type { Executor } from './executor.ts';
import type { BridgeOptions, CataloguesSource, Log, PlayersSource } from './options.ts';
import { createPlayerSync, playerItem, recordFrame } from './players.ts';

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
const createCatalogueSync = ({
  connection,
  source = {},
  known,
  log,
}: {
  connection: Connection;
  source: CataloguesSource | undefined;
  known: Readonly<Record<string, string>> | undefined;
  log: Log;
}) => {
  const sent = new Map<CatalogueKind, string | undefined>(CATALOGUE_KINDS.map((kind) => [kind, known?.[kind]]));

  const send = async (kind: CatalogueKind, read: NonNullable<CataloguesSource[CatalogueKind]>): Promise<void> => {
    const checked = await packed(await read(), () => connection.writable());
    if (checked === undefined) return;
    const { parts, leftOut } = checked;
    if (leftOut > 0) log('warn', `${leftOut} entries of the catalogue of ${kind} do not fit the protocol.`);
    // The JSON of a catalogue has two brackets, and commas between the entries.
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

/** Answers a question for one player: with the record, or with the reason why there is none. */
const answerRead = async (
  { id, identifier }: MessageOf<HubMessage, 'players.read'>,
  {
    connection,
    source,
    frameBytes,
    log,
  }: { connection: Connection; source: PlayersSource | undefined; frameBytes: number; log: Log },
): Promise<void> => {
  const fail = (code: string, message: string): boolean =>
    connection.send({ type: 'players.record', id, error: { code, message } });
  if (source?.read === undefined) {
    fail('unsupported', 'This bridge does not read single players.');
    return;
  }
  try {
    const player = await source.read(identifier);
    if (player === undefined) {
      // Only a source with every player of the game can tell that a player is not there any more.
      const code = source.complete?.() === true ? 'player_not_found' : 'unsupported';
      fail(code, `This bridge does not know the player ${identifier}.`);
      return;
    }
    const item = playerItem(player, frameBytes);
    if ('problem' in item) log('warn', `The record of ${identifier} is not sent: ${item.problem}`);
    if ('problem' in item || !connection.sendFrame(recordFrame(id, item))) {
      fail('internal_error', 'The record does not fit into a frame.');
    }
  } catch (error) {
    log('error', `The player ${identifier} could not be read: ${String(error)}`);
    fail('internal_error', 'The record could not be read.');
  }
};

/** One welcomed connection: handles the hub's frames, and sends the bridge's own reports. */
export const createSession = (parts: {
  connection: Connection;
  welcome: MessageOf<HubMessage, 'welcome'>;
  options: Pick<BridgeOptions, 'players' | 'status' | 'custom' | 'catalogues'>;
  executor: Executor;
  now: () => number;
  statusEveryMs: number;
  onDrain: (withinMs: number) => void;
  log: Log;
}) => {
  const { connection, welcome, options, executor, now, statusEveryMs, onDrain, log } = parts;
  const { players: source, custom } = options;
  const frameBytes = Math.min(LIMITS.frameBytes, welcome.limits.frameBytes);
  const sync = createPlayerSync({ connection, source, frameBytes, log });
  const catalogues = createCatalogueSync({ connection, source: options.catalogues, known: welcome.catalogues, log });
  let statusTimer: ReturnType<typeof setInterval> | undefined;

  const reportStatus = (): void => {
    try {
      connection.send({ type: 'status', ...options.status?.(), draining: executor.isDraining });
    } catch (error) {
      log('error', `The status could not be read: ${String(error)}`);
    }
  };

  const background = (what: string, work: Promise<void>): void => {
    work.catch((error: unknown) => log('error', `${what}: ${String(error)}`));
  };

  const announce = (): void => {
    if (custom !== undefined) connection.send(custom.announcement());
  };
  const stopAnnouncing = custom?.onChange(announce);

  const begin = async (): Promise<void> => {
    // Sent before slow work: the hub refuses custom commands until it knows them.
    if (custom !== undefined && custom.size() > 0) announce();
    for (const message of executor.openResults()) {
      if (connection.isFull() && !(await connection.writable())) return;
      connection.send(message);
    }
    reportStatus();
    await catalogues.send();
    sync.snapshot();
  };

  const receive = (message: HubMessage): void => {
    switch (message.type) {
      case 'command':
        executor.command(message);
        break;
      case 'void':
        executor.void(message.id);
        break;
      case 'ack':
        background('ack', executor.acknowledge(message.ids));
        break;
      case 'ping':
        executor.heard(message.now);
        connection.send({ type: 'pong', n: message.n, now: now() });
        break;
      case 'players.resync':
        sync.snapshot();
        break;
      case 'players.read':
        background('players.read', answerRead(message, { connection, source, frameBytes, log }));
        break;
      case 'drain':
        onDrain(message.withinMs);
        break;
      case 'error':
        log('warn', `The hub complains about ${message.re ?? 'a frame'}: ${message.code}: ${message.message}`);
        break;
      case 'welcome':
        break;
      default:
        message satisfies never;
    }
  };

  return {
    connection,
    welcome,
    since: now(),
    receive,
    /** Sends the unacknowledged results, the status, catalogues that the hub does not have, and then the players. */
    begin: (): void => {
      statusTimer = setInterval(reportStatus, statusEveryMs);
      background('welcome', begin());
    },
    reportStatus,
    cataloguesChanged: (): void => background('catalogues', catalogues.send()),
    changed: sync.changed,
    close: (): void => {
      clearInterval(statusTimer);
      stopAnnouncing?.();
      sync.close();
    },
  };
};
export type Session = ReturnType<typeof createSession>;
