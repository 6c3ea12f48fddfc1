import type { Bridge, PlayersSource } from '../bridge-protocol/client.ts';
import type { Player } from '../bridge-protocol/player.ts';
import { ask, watchPlayers } from './adapter.ts';
import { playerOf } from './records.ts';

/** Players are read in pages of this many: a page, read and written out, takes the game's thread less than 5 ms. */
const PAGE = 25;

const nextTick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const playersIn = ({ players }: { players: unknown }): Player[] =>
  Array.isArray(players) ? players.map(playerOf) : [];

/** The records of those who exist. */
export const readPlayers = async (identifiers: string[]): Promise<Player[]> =>
  identifiers.length === 0 ? [] : playersIn(await ask('records', identifiers));

const pagesOf = function* (identifiers: readonly string[]): Generator<string[]> {
  for (let from = 0; from < identifiers.length; from += PAGE) yield identifiers.slice(from, from + PAGE);
};

/** Everybody in the game's tables, each as memory has him where he is online; then those who are not saved yet. */
const snapshot = async function* (): AsyncGenerator<Player> {
  const seen = new Set<string>();
  const online = new Set(await ask('online'));
  for (let after = '', isMore = true; isMore; ) {
    const page = await ask('page', after, PAGE);
    for (const player of playersIn(page)) {
      if (online.has(player.identifier)) seen.add(player.identifier);
      yield player;
    }
    isMore = page.last !== undefined;
    after = page.last ?? '';
    await nextTick();
  }
  const unsaved = (await ask('online')).filter((identifier) => !seen.has(identifier));
  for (const page of pagesOf(unsaved)) {
    yield* await readPlayers(page);
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
