import {
  changedFrame,
  createPacker,
  type Item,
  identifierItem,
  type Part,
  playerItem,
  snapshotFrame,
} from '../wire/player-frames.ts';
import type { Connection } from './connection.ts';
import type { Log, PlayersChange, PlayersSource } from './options.ts';

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

type Accept = ReturnType<typeof acceptable>;

const itemsOf = ({ players = [], offline = [], removed = [] }: PlayersChange, frameBytes: number, accept: Accept) => [
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
