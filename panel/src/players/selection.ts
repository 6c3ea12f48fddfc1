import { useMemo, useRef, useState } from 'react';
import type { PlayerSummary } from '../api.ts';
import { keyOf, type PlayerKey } from './query.ts';

/** A chosen player; the name is known if the row was loaded. */
export type ChosenPlayer = PlayerKey & { name?: string };
type Chosen = ReadonlyMap<string, ChosenPlayer>;

const NONE: Chosen = new Map();

/** The choice of rows. Places are those of the shown rows; the choice is bound to players. */
export type Choice = {
  has: (key: string) => boolean;
  isAll: boolean;
  isSome: boolean;
  toggle: (at: number) => void;
  /** Chooses the rows between a place, where a series begins, and the next one. */
  extend: (from: number, to: number) => void;
  /** Chooses the rows from the last one that was chosen or not. */
  extendTo: (to: number) => void;
  /** Ends a series. */
  leave: () => void;
};

/** The chosen players. `found`: as many fit; undefined: it is not known. */
export const useChosen = (players: readonly PlayerSummary[], found: number | undefined) => {
  const [chosen, setChosen] = useState<Chosen>(NONE);
  /** Where a series began, and what was chosen before it. */
  const series = useRef<{ from: number; before: Chosen }>(undefined);
  const last = useRef<{ key: string; isChosen: boolean }>(undefined);
  const entryOf = (player: ChosenPlayer): [string, ChosenPlayer] => {
    const { serverId, identifier, name } = player;
    return [keyOf(player), { serverId, identifier, ...(name !== undefined && { name }) }];
  };
  const between = (from: number, to: number): [string, ChosenPlayer][] =>
    players.slice(Math.min(from, to), Math.max(from, to) + 1).map(entryOf);
  const loaded = useMemo(() => players.filter((player) => chosen.has(keyOf(player))).length, [players, chosen]);
  const isAll = players.length > 0 && loaded === players.length && chosen.size >= (found ?? 0);

  const choice: Choice = {
    has: (key) => chosen.has(key),
    isAll,
    isSome: loaded > 0,
    toggle: (at) => {
      const player = players[at];
      if (player === undefined) return;
      const [key, entry] = entryOf(player);
      const next = new Map(chosen);
      if (!next.delete(key)) next.set(key, entry);
      last.current = { key, isChosen: next.has(key) };
      series.current = undefined;
      setChosen(next);
    },
    extend: (from, to) => {
      series.current ??= { from, before: chosen };
      setChosen(new Map([...series.current.before, ...between(series.current.from, to)]));
    },
    extendTo: (to) => {
      const { key, isChosen = true } = last.current ?? {};
      const from = players.findIndex((player) => keyOf(player) === key);
      const next = new Map(chosen);
      for (const [each, player] of between(from === -1 ? to : from, to)) {
        if (isChosen) next.set(each, player);
        else next.delete(each);
      }
      setChosen(next);
    },
    leave: () => {
      series.current = undefined;
    },
  };
  return {
    chosen: [...chosen.values()],
    choice,
    clear: () => setChosen(NONE),
    /** Chooses these, too. */
    add: (more: readonly PlayerKey[]) => setChosen((now) => new Map([...more.map(entryOf), ...now])),
  };
};
