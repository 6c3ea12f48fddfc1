export type GamePlayer = { source: number; name: string; identifiers: string[] };

/** The connected players of the game server. */
export const createPlayers = () => {
  const players = new Map<number, GamePlayer>();
  let last = 0;
  return {
    join: (name: string, identifiers: string[]): GamePlayer => {
      last += 1;
      const player = { source: last, name, identifiers };
      players.set(last, player);
      return player;
    },
    get: (source: unknown): GamePlayer | undefined => players.get(Number(source)),
    leave: (source: number): boolean => players.delete(source),
    all: (): GamePlayer[] => [...players.values()],
  };
};
export type Players = ReturnType<typeof createPlayers>;
