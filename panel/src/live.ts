import { type InfiniteData, type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { Player, PlayerSummary } from './api.ts';
import type { Batch } from './batches.ts';
import { useMay } from './session.ts';

export type PlayerPage = { data: PlayerSummary[]; pagination: { total: number; next: string | null } };
type BatchList = InfiniteData<{ data: Batch[]; pagination: { next: string | null } }>;
type Change = { serverId: string; identifier: string } & Partial<Pick<PlayerSummary, 'name' | 'online' | 'accounts'>>;

/** Lists are read again at most this often, however much happens. */
const READ_AGAIN_MS = 2_000;
const MAX_PAGES = 2;

const isSame = (player: { serverId: string; identifier: string }, change: Change): boolean =>
  player.serverId === change.serverId && player.identifier === change.identifier;

const merged = <T extends PlayerSummary>(player: T, { name, online, accounts }: Change): T => ({
  ...player,
  ...(name !== undefined && { name }),
  ...(online !== undefined && { online }),
  // The next answer of the hub has the exact time.
  ...(online === false && player.online && { lastSeenAt: new Date().toISOString() }),
  ...(accounts !== undefined && { accounts }),
});

type PlayerList = InfiniteData<PlayerPage>;

const holds = (list: PlayerList | undefined, change: Change): boolean =>
  list?.pages.some(({ data }) => data.some((player) => isSame(player, change))) === true;

/** Applies an event to the shown data: rows keep their place. */
const apply = (client: QueryClient, change: Change): void => {
  client.setQueriesData<PlayerList>({ queryKey: ['players'] }, (list) => {
    if (list === undefined || !holds(list, change)) return list;
    const pages = list.pages.map((page) => ({
      ...page,
      data: page.data.map((player) => (isSame(player, change) ? merged(player, change) : player)),
    }));
    return { ...list, pages };
  });
  client.setQueriesData<Player>({ queryKey: ['player', change.serverId, change.identifier] }, (player) =>
    player === undefined ? player : merged(player, change),
  );
};

/** Updates the progress of a batch, in the list and on its page. */
const applyProgress = (client: QueryClient, { id, counts }: Pick<Batch, 'id' | 'counts'>): void => {
  const moved = (batch: Batch): Batch => (batch.id === id ? { ...batch, counts } : batch);
  client.setQueryData<Batch>(['batch', id], (batch) => batch && moved(batch));
  client.setQueriesData<BatchList>(
    { queryKey: ['batches'] },
    (list) => list && { ...list, pages: list.pages.map((page) => ({ ...page, data: page.data.map(moved) })) },
  );
};

/** Whether some list that is shown has no row for this player. */
const isNew = (client: QueryClient, change: Change): boolean =>
  client.getQueriesData<PlayerList>({ queryKey: ['players'], type: 'active' }).some(([, list]) => !holds(list, change));

/** A list that the user has scrolled far down is not read again as a whole: its rows follow the events. */
const isShort = (list: PlayerList | undefined): boolean => (list?.pages.length ?? 0) <= MAX_PAGES;

const createReader = (client: QueryClient) => {
  const due = new Set<string>();
  let timer: number | undefined;
  const read = (): void => {
    timer = undefined;
    for (const name of due) {
      void client.invalidateQueries({
        queryKey: [name],
        // Under this name there are lists of players only.
        predicate: ({ state }) => name !== 'players' || isShort(state.data as PlayerList | undefined),
      });
    }
    due.clear();
  };
  return {
    again: (...names: string[]): void => {
      for (const name of names) due.add(name);
      timer ??= window.setTimeout(read, READ_AGAIN_MS);
    },
    stop: (): void => window.clearTimeout(timer),
  };
};

/** Events after which everything is read again. */
const REREAD = [
  ...['player.removed', 'players.synced', 'bridge.connected', 'bridge.disconnected', 'missed', 'hints.missed'],
];
const PLAYER_EVENTS = ['player.joined', 'player.left', 'player.balance'];
const BATCH_LISTS = ['batches', 'batch', 'batchCommands'];
const SCHEDULE_LISTS = ['schedules', 'schedule', 'scheduleRuns'];
const EVERYTHING = [
  ...['shops', 'players', 'player', 'servers', 'project', 'commands', 'sums', 'statistics', 'health'],
  ...BATCH_LISTS,
  ...SCHEDULE_LISTS,
];

/** Follows the hub's events. Events are hints: they change the shown data at once, and important data is read again. */
export const useLive = (isWanted: boolean): void => {
  const client = useQueryClient();
  const may = useMay();
  const isAllowed = may('players:read') && may('commands:read');
  const isResumed = useRef(false);

  useEffect(() => {
    if (!isAllowed || !isWanted) return;
    const reader = createReader(client);
    const source = new EventSource('/api/v2/events');
    // Events between two streams are missed, so the data is read again.
    let wasCut = isResumed.current;
    isResumed.current = true;
    const on = <T = Change>(type: string, take: (data: T) => void): void =>
      source.addEventListener(type, (event) => take(JSON.parse(event.data) as T));
    for (const type of PLAYER_EVENTS) {
      on(type, (change) => {
        apply(client, change);
        reader.again('project', 'servers');
        if (type === 'player.joined' && isNew(client, change)) reader.again('players');
      });
    }
    on('catalogue.changed', () => reader.again('catalogue'));
    for (const type of ['batch.progress', 'batch.settled']) {
      on<Batch>(type, (batch) => {
        applyProgress(client, batch);
        reader.again('batchCommands', 'commands', 'project', ...(type === 'batch.settled' ? BATCH_LISTS : []));
      });
    }
    on('integration.unmatched', () => reader.again('shops'));
    on('schedule.paused', () => reader.again(...SCHEDULE_LISTS));
    on('schedule.refused', () => reader.again('project', ...SCHEDULE_LISTS));
    on('command.settled', () => reader.again('commands', 'command', 'sums', 'project', 'statistics'));
    for (const type of REREAD) {
      on(type, () => reader.again(...EVERYTHING));
    }
    source.onerror = () => {
      wasCut = true;
      void client.invalidateQueries({ queryKey: ['session'] });
    };
    source.onopen = () => {
      if (wasCut) reader.again(...EVERYTHING);
      wasCut = false;
    };
    return () => {
      source.close();
      reader.stop();
    };
  }, [client, isAllowed, isWanted]);
};
