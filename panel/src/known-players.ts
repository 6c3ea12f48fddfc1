import type { InfiniteData, QueryClient } from '@tanstack/react-query';
import { fold } from '../../bridge-protocol/fold.ts';
import type { PlayerSummary } from './api.ts';
import type { PlayerPage } from './live.ts';
import { boundsOf, orderOf, type PlayerSearch } from './players/query.ts';

const MAX_ROWS = 100;
/** The hub does not look for shorter texts inside identifiers. */
const MIN_IN_IDENTIFIER = 4;

/**
 * The players in earlier answers whose name or identifier contains the text, those with the name first. They are shown
 * until the hub answers. Without a text, there are none.
 */
export const knownPlayers = (client: QueryClient, text: string, address: PlayerSearch): readonly PlayerSummary[] => {
  const { serverId, online, job, group } = address;
  // The hub alone knows the order of these.
  if (text === '' || orderOf(address).sort !== undefined || boundsOf(address) !== undefined) return [];
  const wanted = fold(text);
  const lists = client.getQueryCache().findAll({ queryKey: ['players'] });
  const newestFirst = lists.toSorted((a, b) => b.state.dataUpdatedAt - a.state.dataUpdatedAt);
  const players = new Map<string, PlayerSummary>();
  for (const { state } of newestFirst) {
    const { pages = [] } = (state.data ?? {}) as Partial<InfiniteData<PlayerPage>>;
    for (const player of pages.flatMap(({ data }) => data)) {
      const key = `${player.serverId} ${player.identifier}`;
      const isOf = serverId === undefined || player.serverId === serverId;
      const isAs = online === undefined || String(player.online) === online;
      const isIn = (job === undefined || player.job?.name === job) && (group === undefined || player.group === group);
      if (isOf && isAs && isIn && !players.has(key)) players.set(key, player);
    }
  }
  const known = [...players.values()];
  const named = known.filter(({ name }) => fold(name).includes(wanted));
  const isLong = wanted.length >= MIN_IN_IDENTIFIER;
  const others = known.filter(
    (player) =>
      isLong &&
      !named.includes(player) &&
      [player.identifier, ...player.identifiers].some((each) => fold(each).includes(wanted)),
  );
  return [...named, ...others].slice(0, MAX_ROWS);
};
