import { skipToken, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { PlayerSummary } from '../api.ts';
import type { PlayerList } from '../live.ts';
import { keyOf } from './query.ts';

/** Named like the lists, so that events change it, too. */
const KEY = ['players', 'followed'];

/**
 * The rows in view. Those that the hub's list no longer has, such as a player who was kicked, or whom a hundred others
 * pushed out of its first page, follow the events all the same.
 */
export const useFollowed = (rows: readonly PlayerSummary[], listed: readonly PlayerSummary[]) => {
  const client = useQueryClient();
  const { data } = useQuery<PlayerList>({ queryKey: KEY, queryFn: skipToken });
  const known = new Map(data?.pages.flatMap((page) => page.data).map((player) => [keyOf(player), player]));
  const inList = new Set(listed.map(keyOf));
  const left = rows.filter((row) => !inList.has(keyOf(row))).map((row) => known.get(keyOf(row)) ?? row);
  useEffect(() => {
    if (left.length === known.size && left.every((row) => known.has(keyOf(row)))) return;
    client.setQueryData<PlayerList>(KEY, {
      pages: [{ data: left, pagination: { total: left.length, next: null } }],
      pageParams: [null],
    });
  });
  return rows.map((row) => (inList.has(keyOf(row)) ? row : (known.get(keyOf(row)) ?? row)));
};
