import { join } from 'node:path';
import type { BenchHub } from './hub.ts';
import { openActor } from './processes.ts';
import { type GameEvent, isEvent } from './telling.ts';

/** Money for this player hangs in its handler until it is released. */
export const HANGING = 'char1:hanging';

export type GameOrder =
  | { order: 'open'; server: string; url: string; token: string; journal: string; instance: string }
  | { order: 'release' };

/** A process for one or more game servers of a hub. */
export const openGames = (hub: Pick<BenchHub, 'folder' | 'url' | 'tokenOf'>, name: string) => {
  const actor = openActor<GameOrder, GameEvent>('game.ts', { logFile: join(hub.folder, `${name}.log`) });
  const welcomed = (server: string) => actor.told(isEvent('welcome', server), `the welcome of ${server}`);
  return {
    ...actor,
    /** Starts to connect a server, without waiting for its welcome. */
    open: (server: string, url = hub.url): void =>
      actor.order({
        order: 'open',
        server,
        url,
        token: hub.tokenOf(server),
        journal: join(hub.folder, `${name}-${server}.jsonl`),
        instance: `${name}-${server}`,
      }),
    welcomed,
    closed: (server: string) => actor.told(isEvent('closed', server), `the close of ${server}`),
    hangs: (server: string) => actor.told(isEvent('hangs', server), `the hanging command of ${server}`),
    release: (): void => actor.order({ order: 'release' }),
  };
};
