import type { Bridge, PlayersSource } from '../bridge-protocol/client.ts';
import type { Player } from '../bridge-protocol/player.ts';
import { ask, watchPlayers } from './adapter.ts';
import { playerOf } from './records.ts';

/** Rows of the game's tables that are read at once: as many as the game's thread bears for this long, and its bounds. */
const ROWS = { first: 10, least: 2, most: 50, tookMs: 2 };
/** Who is online is asked for in many small calls between runtimes, so fewer are read at once. */
const ONLINE = 5;

const nextTick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const playersIn = ({ players }: { players: unknown }): Player[] =>
  Array.isArray(players) ? players.map(playerOf) : [];

/** The records of those who exist. */
export const readPlayers = async (identifiers: string[]): Promise<Player[]> =>
  identifiers.length === 0 ? [] : playersIn(await ask('records', identifiers));

const pagesOf = function* (identifiers: readonly string[]): Generator<string[]> {
  for (let from = 0; from < identifiers.length; from += ONLINE) yield identifiers.slice(from, from + ONLINE);
};

/** A page that took too long is followed by one of half its size. */
const nextRows = (rows: number, tookMs: number): number =>
  tookMs > ROWS.tookMs ? Math.max(ROWS.least, rows >> 1) : Math.min(ROWS.most, rows + 1);

/** Who is online first, as memory has them; then everybody else in the game's tables. A page for each tick. */
const snapshot = async function* (): AsyncGenerator<Player> {
  const told = new Set(await ask('online'));
  for (const page of pagesOf([...told])) {
    yield* await readPlayers(page);
    await nextTick();
  }
  let rows = ROWS.first;
  for (let after = '', isMore = true; isMore; ) {
    const page = await ask('page', after, rows);
    const startedAt = performance.now();
    const players = playersIn(page);
    rows = nextRows(rows, page.tookMs + performance.now() - startedAt);
    for (const player of players) if (!told.has(player.identifier)) yield player;
    isMore = page.last !== undefined;
    after = page.last ?? '';
    await nextTick();
  }
};

/** The players as the hub asks for them. */
export const playersSource: PlayersSource = {
  snapshot,
  read: async (identifier) => (await readPlayers([identifier]))[0],
};

/** Reports who changed: many changes of a player within a tick, or while others are read, are one. */
export const reportChanges = ({
  bridge,
  log,
}: {
  bridge: Pick<Bridge, 'changed' | 'state'>;
  log: (line: string) => void;
}): void => {
  const changed = new Set<string>();
  const left = new Set<string>();
  let isFlushing = false;

  const flush = async (): Promise<void> => {
    while (changed.size + left.size > 0) {
      await nextTick();
      const offline = [...left];
      left.clear();
      const [page = []] = pagesOf([...changed]);
      for (const identifier of page) changed.delete(identifier);
      // Nobody listens otherwise, and the snapshot after the next welcome has it.
      if (bridge.state !== 'welcomed') continue;
      const players = await readPlayers(page);
      bridge.changed({ players, offline: offline.filter((identifier) => !page.includes(identifier)) });
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

  watchPlayers(({ kind, identifier }) => {
    if (kind === 'left') {
      changed.delete(identifier);
      left.add(identifier);
    } else {
      left.delete(identifier);
      changed.add(identifier);
    }
    if (!isFlushing) void run();
  });
};
