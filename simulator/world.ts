import { randomUUID } from 'node:crypto';
import { createEditor } from './edit.ts';
import { createJournal } from './journal.ts';
import { createLedger } from './ledger.ts';
import { createMeta } from './meta.ts';
import { createOrders } from './orders.ts';
import { inventPlayer } from './people.ts';
import { createPopulation } from './population.ts';
import { openStore, type Store } from './store.ts';

export type WorldOptions = {
  /** Path of the world's file; without it the world is in memory. */
  file?: string;
  /** Number of players in a new world, 1–100,000. An existing world keeps its own number. */
  players: number;
  /** Seed of a new world, a whole number (default 1). */
  seed?: number;
  /** Epoch milliseconds. */
  now?: () => number;
};

const MAX_PLAYERS = 100_000;

const check = ({ players, seed = 1 }: WorldOptions): void => {
  if (!Number.isSafeInteger(seed)) throw new RangeError('The seed of a world is a whole number.');
  if (!Number.isInteger(players) || players < 1 || players > MAX_PLAYERS) {
    throw new RangeError(`A world has 1 to ${MAX_PLAYERS} players.`);
  }
};

const assemble = (db: Store, { players, seed = 1, now = Date.now }: WorldOptions) => {
  const meta = createMeta(db);
  const ledger = createLedger({ db, now });
  const population = createPopulation({ db, ledger });
  const populate = db.transaction(() => {
    meta.set('journal_id', randomUUID());
    meta.set('journal_sequence', 0);
    meta.set('seed', seed);
    meta.set('step', 0);
    for (let index = 0; index < players; index++) population.add(inventPlayer(seed, index));
  });
  if (meta.isEmpty()) populate.immediate();
  ledger.fold();

  const journal = createJournal({ db, meta, now });
  const editor = createEditor({ db, ledger, population });
  const { once, commands } = createOrders({ editor, journal, meta, population });
  return { meta, ledger, population, journal, editor, once, commands };
};

/**
 * A world: its players, their money and the journal of commands in one SQLite file (mode 0600).
 * @throws RangeError when the size or the seed is not valid
 * @throws Error when the file is not a world, or is open in another process
 */
export const openWorld = (options: WorldOptions) => {
  check(options);
  const db = openStore(options.file);
  const open = () => {
    try {
      return assemble(db, options);
    } catch (error) {
      db.close();
      throw error;
    }
  };
  const { meta, ledger, population, journal, editor, once, commands } = open();

  return {
    journal,
    once,
    /** Handlers of the built-in commands. */
    commands,
    seed: meta.number('seed'),
    /** Steps of life so far. */
    step: () => meta.number('step'),
    /** Counts one more step of life; call it inside `transact`. */
    advance: () => meta.advance('step'),
    player: population.get,
    /** All players, in an order that never changes; the world may change during the iteration. */
    players: population.all,
    identifiers: population.identifiers,
    count: population.count,
    transact: editor.transact,
    onChange: editor.onChange,
    audit: ledger.audit,
    commandLines: ledger.commandLines,
    foldLedger: ledger.fold,
    close: (): void => {
      db.close();
    },
  };
};
export type World = ReturnType<typeof openWorld>;
