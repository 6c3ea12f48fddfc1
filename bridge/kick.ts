import type { CommandHandlers } from '../bridge-protocol/client/bridge.ts';
import { rejected } from '../bridge-protocol/client/handlers.ts';
import type { Outcome } from '../bridge-protocol/journal/journal.ts';
import { ask } from './adapter.ts';
import { dropPlayer, eventSource, isConnected, onEvent } from './natives.ts';
import { readPlayers } from './players.ts';

/** The game server drops a player within its next turn; a longer wait means that it refused the drop. */
const DROPPED_WITHIN_MS = 5_000;

type Kick = NonNullable<CommandHandlers['kick']>;

/** Kicks players, and confirms a kick when the server has announced that the player left. */
export const createKick = (): Kick => {
  const waiting = new Map<string, Set<(said: string) => void>>();
  onEvent('playerDropped', (reason: unknown) => {
    for (const heard of waiting.get(eventSource()) ?? []) heard(String(reason));
  });

  const dropped = (player: string, reason: string): Promise<string | undefined> =>
    new Promise((resolve) => {
      const heard = new Set(waiting.get(player));
      const end = (said: string | undefined): void => {
        clearTimeout(limit);
        const left = new Set(waiting.get(player));
        left.delete(end);
        if (left.size === 0) waiting.delete(player);
        else waiting.set(player, left);
        resolve(said);
      };
      const limit = setTimeout(() => end(undefined), DROPPED_WITHIN_MS);
      waiting.set(player, heard.add(end));
      dropPlayer(player, reason);
    });

  return async ({ target, reason }): Promise<Outcome> => {
    const { source } = await ask('connection', target);
    if (source === undefined || !isConnected(source)) {
      return (await readPlayers([target])).length === 0
        ? rejected('player_not_found', `This server has no player ${target}.`)
        : rejected('player_offline', `${target} is not online.`);
    }
    const said = await dropped(source, reason);
    if (said !== undefined) return { status: 'done', data: { kicked: true, said } };
    if (!isConnected(source)) return { status: 'done', data: { kicked: true } };
    return { status: 'failed', error: { code: 'internal_error', message: 'The game server did not drop the player.' } };
  };
};
