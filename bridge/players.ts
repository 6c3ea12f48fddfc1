import type { Bridge, PlayersSource } from '../bridge-protocol/client/bridge.ts';
import type { Player } from '../bridge-protocol/wire/player.ts';
import { ask, type Description, type Page, type Slice, watchPlayers } from './adapter.ts';
import { createPace, nextTick, SLICE_MS } from './pace.ts';
import { identifierOf, playerOf } from './records.ts';

/** The number of changed players that are read before the first change is sent. */
const AT_ONCE = 25;

const playersOf = ({ players }: { players: unknown }): unknown[] => (Array.isArray(players) ? players : []);

/** The records of those identifiers that exist. */
export const readPlayers = async (identifiers: string[]): Promise<Player[]> => {
  const players: Player[] = [];
  for (let from = 0; from < identifiers.length; ) {
    const answer = await ask('records', identifiers.slice(from), SLICE_MS);
    // A player whose row cannot be read is not one that the game does not have.
    if (answer.isLeftOut === true && identifiers.length === 1) throw new Error('The row of the player cannot be read.');
    players.push(...playersOf(answer).map(playerOf));
    from += answer.count;
    if (from < identifiers.length) await nextTick();
  }
  return players;
};

type Pace = ReturnType<typeof createPace>;

/** The players of one slice that were not sent before, and the pause after the slice. */
const tell = async function* (slice: Slice, told: ReadonlySet<string>, pace: Pace): AsyncGenerator<Player> {
  const players = playersOf(slice);
  const startedAt = performance.now();
  for (const player of players) if (!told.has(identifierOf(player))) yield playerOf(player);
  const tookMs = slice.heldMs + performance.now() - startedAt;
  await pace.pause({ players: players.length, tookMs });
};

const NOBODY: ReadonlySet<string> = new Set();

/** Online players first, from memory; then all other players, from the game's tables. Returns whether a row was left out. */
const snapshot = async function* (): AsyncGenerator<Player, boolean> {
  const pace = createPace();
  let isLeftOut = false;
  // The turn that received the hub's request was a long one already.
  await nextTick();
  const online = await ask('online');
  for (let from = 0; from < online.length; ) {
    const slice = await ask('records', online.slice(from, from + pace.players()), SLICE_MS);
    yield* tell(slice, NOBODY, pace);
    isLeftOut ||= slice.isLeftOut === true;
    from += slice.count;
  }
  const told = new Set(online);
  for (let after: string | undefined = ''; after !== undefined; ) {
    const page: Page = await ask('page', after, pace.players(), SLICE_MS);
    yield* tell(page, told, pace);
    isLeftOut ||= page.isLeftOut === true;
    after = page.last;
  }
  return isLeftOut;
};

/**
 * The player source for the hub. With a database it has every player of the game, unless a row could not be read; without
 * one it knows the connected players only.
 */
export const createPlayersSource = ({ hasDatabase }: Pick<Description, 'hasDatabase'>): PlayersSource => {
  let isComplete = false;
  return {
    snapshot: async function* () {
      isComplete = false;
      isComplete = !(yield* snapshot()) && hasDatabase;
    },
    read: async (identifier) => (await readPlayers([identifier]))[0],
    complete: () => isComplete,
  };
};

/** Reports changed players: several changes of one player within a tick, or during a read, become one report. */
export const reportChanges = ({
  bridge,
  log,
}: {
  bridge: Pick<Bridge, 'changed' | 'state'>;
  log: (line: string) => void;
}): void => {
  const changed = new Set<string>();
  const left = new Set<string>();
  const deleted = new Set<string>();
  let isFlushing = false;

  const flush = async (): Promise<void> => {
    for (; changed.size + left.size + deleted.size > 0; await nextTick()) {
      const offline = [...left];
      const removed = [...deleted];
      left.clear();
      deleted.clear();
      const asked = [...changed].slice(0, AT_ONCE);
      for (const identifier of asked) changed.delete(identifier);
      // Without a connection the change can be dropped: the snapshot after the next welcome contains it.
      if (bridge.state !== 'welcomed') continue;
      const players = await readPlayers(asked);
      bridge.changed({ players, offline: offline.filter((identifier) => !asked.includes(identifier)), removed });
    }
  };

  const run = async (): Promise<void> => {
    isFlushing = true;
    try {
      await flush();
    } catch (error) {
      log(`changes could not be read: ${String(error)}`);
    } finally {
      isFlushing = false;
    }
  };

  watchPlayers((news) => {
    for (const identifier of news.left) {
      changed.delete(identifier);
      left.add(identifier);
    }
    for (const identifier of news.removed) {
      changed.delete(identifier);
      left.delete(identifier);
      deleted.add(identifier);
    }
    for (const identifier of news.changed) {
      left.delete(identifier);
      deleted.delete(identifier);
      changed.add(identifier);
    }
    if (!isFlushing) void run();
  });
};
