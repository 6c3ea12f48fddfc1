import type { Player } from '../../bridge-protocol/index.ts';
import type { Store } from '../../db/store.ts';
import { addressOf, type Session } from '../cluster/router.ts';
import type { Background } from '../platform/background.ts';
import { wordsFor } from './buyers.ts';

type Reported = Pick<Player, 'identifier' | 'identifiers' | 'online'>;
type Server = Pick<Session, 'projectId' | 'serverId'>;

/** A player who stays online is looked at again after this. */
const SAME_FOR_MS = 60_000;
/** A server without unknown buyers is asked about again after this: less than such a line waits for its second look. */
const NONE_FOR_MS = 5_000;
const REMEMBERED = 50_000;
const WORDS = 500;

/** Names with the time until which they need no look. Over the limit, the oldest are forgotten. */
const createRests = () => {
  const rests = new Map<string, number>();
  return {
    isResting: (name: string): boolean => (rests.get(name) ?? 0) > performance.now(),
    rest: (name: string, ms: number): void => {
      rests.delete(name);
      rests.set(name, performance.now() + ms);
      const [oldest] = rests.keys();
      if (rests.size > REMEMBERED && oldest !== undefined) rests.delete(oldest);
    },
  };
};

type Deps = {
  store: Pick<Store, 'shopLines'>;
  background: Background;
  /** There is something to do for this integration. */
  start: (integrationId: string) => void;
  now: () => number;
};

/** Wakes lines whose buyer was unknown when a player with the identifier is reported as online. */
export const createBinding = ({ store, background, start, now }: Deps) => {
  const quiet = createRests();
  const same = createRests();

  const nameOf = (address: string, { identifier, identifiers }: Reported): string =>
    `${address} ${JSON.stringify([identifier, ...identifiers])}`;

  const wake = async (server: Server, address: string, players: readonly Reported[]): Promise<void> => {
    if (!(await store.shopLines.hasUnknown(server))) return quiet.rest(address, NONE_FOR_MS);
    const words = [...new Set(players.flatMap((each) => wordsFor([each.identifier, ...each.identifiers])))];
    for (let from = 0; from < words.length; from += WORDS) {
      for (const id of await store.shopLines.wakeUnknown(server, words.slice(from, from + WORDS), now())) start(id);
    }
    for (const player of players) same.rest(nameOf(address, player), SAME_FOR_MS);
  };

  /** Hears of players that are stored. */
  return (server: Server, players: readonly Reported[]): void => {
    const address = addressOf(server.projectId, server.serverId);
    if (quiet.isResting(address)) return;
    const fresh = players.filter((player) => player.online && !same.isResting(nameOf(address, player)));
    if (fresh.length > 0) background.run('bind shop orders', () => wake(server, address, fresh));
  };
};
