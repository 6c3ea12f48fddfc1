import { byteLength, describeIssue, isNestedDeeperThan } from '../wire/codec.ts';
import { IDENTIFIER_PATTERN, LIMITS } from '../wire/limits.ts';
import { type Player, player } from '../wire/player.ts';
import type { Connection } from './connection.ts';
import type { Log, PlayersChange, PlayersSource } from './options.ts';

type List = 'players' | 'offline' | 'removed';
/** One entry of a list in a frame about players, as JSON. `isLightened`: without large metadata. */
type Item = { list: List; json: string; bytes: number; isLightened?: boolean };
/** The content of one frame. */
type Part = Record<List, string[]>;

/** Room for everything in a frame about players besides its entries. */
const HEAD_BYTES = 256;
/** A player is this deep in its frame: object, list. */
const PLAYER_DEPTH = 2;
/** A frame is filled up to here: reading a larger one holds the hub's loop while other servers wait. */
const PART_BYTES = 64 * 1024;

const itemOf = (list: List, json: string): Item => ({ list, json, bytes: byteLength(json) + 1 });

/** Metadata of an item or a vehicle above this are left out of a record that is larger than a frame. */
const LARGE_METADATA_BYTES = 512;

const lightened = <T extends { metadata: Record<string, unknown> }>(each: T): T =>
  byteLength(JSON.stringify(each.metadata)) > LARGE_METADATA_BYTES ? { ...each, metadata: { omitted: true } } : each;

/** The record without the large metadata of its items and vehicles: `{ omitted: true }` stands there. */
const withoutLargeMetadata = (record: Player): Player => ({
  ...record,
  inventory: record.inventory.map(lightened),
  vehicles: record.vehicles.map(lightened),
});

/** A player as JSON for a frame, or the reason why it is left out: the hub would refuse the frame for one bad record. */
export const playerItem = (value: Player, frameBytes: number): Item | { problem: string } => {
  const parsed = player.safeParse(value);
  if (!parsed.success) return { problem: describeIssue(parsed.error.issues[0]) };
  try {
    const whole = itemOf('players', JSON.stringify(parsed.data));
    const isLightened = whole.bytes > frameBytes - HEAD_BYTES;
    const item = isLightened
      ? { ...itemOf('players', JSON.stringify(withoutLargeMetadata(parsed.data))), isLightened }
      : whole;
    if (item.bytes > frameBytes - HEAD_BYTES) return { problem: `larger than a frame: ${item.bytes} bytes` };
    if (isNestedDeeperThan(item.json, LIMITS.nesting - PLAYER_DEPTH)) return { problem: 'nested too deep' };
    return item;
  } catch (error) {
    return { problem: String(error) };
  }
};

const identifierItem = (list: 'offline' | 'removed', identifier: string): Item | { problem: string } =>
  IDENTIFIER_PATTERN.test(identifier) ? itemOf(list, JSON.stringify(identifier)) : { problem: 'not an identifier' };

const emptyPart = (): Part => ({ players: [], offline: [], removed: [] });

/** Fills one frame after the other: entries go into the current frame until it is full. */
export const createPacker = ({ frameBytes }: { frameBytes: number }) => {
  const limit = Math.min(frameBytes, PART_BYTES);
  let part = emptyPart();
  let bytes = HEAD_BYTES;
  let entries = 0;
  return {
    fits: (item: Item): boolean => entries === 0 || (entries < LIMITS.playersPerFrame && bytes + item.bytes <= limit),
    add: (item: Item): void => {
      part[item.list].push(item.json);
      bytes += item.bytes;
      entries += 1;
    },
    isEmpty: (): boolean => entries === 0,
    /** The frame at hand; the next one begins empty. */
    take: (): Part => {
      const taken = part;
      part = emptyPart();
      bytes = HEAD_BYTES;
      entries = 0;
      return taken;
    },
  };
};

export const recordFrame = (id: string, { json }: Item): string =>
  `{"type":"players.record","id":${JSON.stringify(id)},"player":${json}}`;

export const snapshotFrame = (
  head: { revision: number; part: number; last: boolean; complete?: true },
  { players }: Part,
): string => `${JSON.stringify({ type: 'players.snapshot', ...head }).slice(0, -1)},"players":[${players.join(',')}]}`;

const changedFrame = (revision: number, { players, offline, removed }: Part): string =>
  `{"type":"players.changed","revision":${revision},"players":[${players.join(',')}],"offline":[${offline.join(',')}],"removed":[${removed.join(',')}]}`;

/** Over this many queued entries a new snapshot is cheaper than the changes. */
const QUEUED_ENTRIES = 5_000;
const RETRY_SNAPSHOT_MS = 5_000;

/** The item as a list, which is empty if it cannot be sent. */
const acceptable =
  (log: Log) =>
  (item: Item | { problem: string }, who: string): Item[] => {
    const name = who.slice(0, 128);
    if ('problem' in item) {
      log('warn', `The player ${name} is left out: ${item.problem}`);
      return [];
    }
    if (item.isLightened === true)
      log('warn', `The player ${name} is sent without large metadata of items and vehicles.`);
    return [item];
  };

const itemsOf = (
  { players = [], offline = [], removed = [] }: PlayersChange,
  frameBytes: number,
  accept: ReturnType<typeof acceptable>,
) => [
  ...players.flatMap((player) => accept(playerItem(player, frameBytes), String(player?.identifier))),
  ...offline.flatMap((who) => accept(identifierItem('offline', who), who)),
  ...removed.flatMap((who) => accept(identifierItem('removed', who), who)),
];

/**
 * Keeps the hub's picture of the players up to date over one connection: a snapshot in parts, then changes by
 * revision. Changes that come during a snapshot, or while the socket is full, are sent after it.
 */
export const createPlayerSync = ({
  connection,
  source,
  frameBytes,
  log,
}: {
  connection: Pick<Connection, 'sendFrame' | 'isFull' | 'writable'>;
  source: PlayersSource | undefined;
  frameBytes: number;
  log: Log;
}) => {
  const accept = acceptable(log);
  let revision = 0;
  let queue: Item[] = [];
  let isSynced = false;
  let isSnapshotWanted = false;
  let isPumping = false;
  let isClosed = false;
  let retry: ReturnType<typeof setTimeout> | undefined;

  const sendSnapshot = async (): Promise<void> => {
    revision += 1;
    const packer = createPacker({ frameBytes });
    const players = source?.snapshot() ?? [];
    // An async source lets other work run by itself; a pause after each part would cost a game server a tick.
    const isSlow = Symbol.asyncIterator in players;
    let parts = 0;
    let isWhole = true;
    const send = async (content: Part, last: boolean): Promise<boolean> => {
      const isReady = (isSlow && !connection.isFull()) || (await connection.writable());
      if (!isReady || isClosed) return false;
      const isComplete = last && isWhole && source?.complete?.() === true;
      const head = { revision, part: parts, last, ...(isComplete && { complete: true as const }) };
      const isSent = connection.sendFrame(snapshotFrame(head, content));
      parts += 1;
      return isSent;
    };
    for await (const player of players) {
      const [item] = accept(playerItem(player, frameBytes), String(player?.identifier));
      isWhole &&= item !== undefined;
      if (item === undefined) continue;
      if (!packer.fits(item) && !(await send(packer.take(), false))) return;
      packer.add(item);
    }
    isSynced = await send(packer.take(), true);
  };

  const sendChanges = (items: readonly Item[]): void => {
    const packer = createPacker({ frameBytes });
    const send = (): void => {
      revision += 1;
      connection.sendFrame(changedFrame(revision, packer.take()));
    };
    for (const item of items) {
      if (!packer.fits(item)) send();
      packer.add(item);
    }
    if (!packer.isEmpty()) send();
  };

  const trySnapshot = async (): Promise<void> => {
    isSnapshotWanted = false;
    queue = [];
    try {
      await sendSnapshot();
    } catch (error) {
      log('error', `The players could not be read: ${String(error)}`);
      if (!isClosed) retry = setTimeout(snapshot, RETRY_SNAPSHOT_MS);
    }
  };

  const pump = async (): Promise<void> => {
    if (isPumping) return;
    isPumping = true;
    try {
      while (!isClosed) {
        if (isSnapshotWanted) await trySnapshot();
        else if (queue.length === 0 || !(await connection.writable())) return;
        else if (!isSnapshotWanted) sendChanges(queue.splice(0));
      }
    } finally {
      isPumping = false;
    }
  };

  const run = (): void => {
    pump().catch((error: unknown) => log('error', `The players could not be sent: ${String(error)}`));
  };

  const snapshot = (): void => {
    clearTimeout(retry);
    isSnapshotWanted = true;
    run();
  };

  return {
    /** Sends all players, after a snapshot that is under way. */
    snapshot,
    changed: (change: PlayersChange): void => {
      // Before its first snapshot is complete, the hub ignores changes; the next snapshot has them.
      if (isClosed || (!isSynced && !isPumping)) return;
      const items = itemsOf(change, frameBytes, accept);
      if (!isPumping && !connection.isFull()) {
        sendChanges(items);
        return;
      }
      for (const item of items) queue.push(item);
      if (queue.length > QUEUED_ENTRIES) {
        queue = [];
        isSnapshotWanted = true;
      }
      run();
    },
    close: (): void => {
      isClosed = true;
      clearTimeout(retry);
    },
  };
};
