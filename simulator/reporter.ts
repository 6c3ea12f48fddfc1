import type { Player } from '../bridge-protocol/wire/player.ts';
import { reportOf } from './people.ts';
import type { World } from './world.ts';

type Changed = { players: Player[]; offline: string[] };

/**
 * Collects changed players and reports them once per turn of the event loop, so that a result is sent before its
 * change.
 */
export const createReporter = ({
  world,
  report,
  onError,
}: {
  world: World;
  report: (change: Changed) => void;
  onError: (error: unknown) => void;
}) => {
  const changed = new Set<string>();
  const left = new Set<string>();
  let turn: NodeJS.Immediate | undefined;

  const flush = (): void => {
    turn = undefined;
    try {
      const players = [...changed].flatMap((identifier) => world.player(identifier) ?? []).map(reportOf);
      report({ players, offline: [...left].filter((identifier) => !changed.has(identifier)) });
      changed.clear();
      left.clear();
    } catch (error) {
      onError(error);
    }
  };
  const forget = world.onChange(({ players, offline }) => {
    for (const identifier of players) changed.add(identifier);
    for (const identifier of offline) left.add(identifier);
    turn ??= setImmediate(flush);
  });
  return {
    close: (): void => {
      forget();
      clearImmediate(turn);
    },
  };
};
