import { byteLength, isNestedDeeperThan } from './codec.ts';
import { IDENTIFIER_PATTERN, LIMITS } from './limits.ts';
import { type Player, player } from './player.ts';

type List = 'players' | 'offline' | 'removed';
/** One entry of a list in a frame about players, as JSON. `isLightened`: without large metadata. */
export type Item = { list: List; json: string; bytes: number; isLightened?: boolean };
/** The content of one frame. */
export type Part = Record<List, string[]>;

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
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return { problem: `/${issue?.path.join('/') ?? ''}: ${issue?.message ?? 'not valid'}` };
  }
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

export const identifierItem = (list: 'offline' | 'removed', identifier: string): Item | { problem: string } =>
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

type SnapshotHead = { revision: number; part: number; last: boolean; complete?: true };

export const snapshotFrame = (head: SnapshotHead, { players }: Part): string =>
  `${JSON.stringify({ type: 'players.snapshot', ...head }).slice(0, -1)},"players":[${players.join(',')}]}`;

export const changedFrame = (revision: number, { players, offline, removed }: Part): string =>
  `{"type":"players.changed","revision":${revision},"players":[${players.join(',')}],"offline":[${offline.join(',')}],"removed":[${removed.join(',')}]}`;
