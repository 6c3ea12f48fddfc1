import { type InfiniteData, type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { follow, type HubEvent } from '../../clients/typescript/events.ts';
import { type Player, type PlayerSummary, transport } from './api.ts';
import type { Batch } from './batches.ts';
import { hubNow } from './clock.ts';
import { isShort } from './queries.ts';
import { useMay } from './session.ts';

export type PlayerPage = { data: PlayerSummary[]; pagination: { total: number; next: string | null } };
type BatchList = InfiniteData<{ data: Batch[]; pagination: { next: string | null } }>;
type Change = { serverId: string; identifier: string } & Partial<Pick<PlayerSummary, 'name' | 'online' | 'accounts'>>;

/** Lists are read again at most this often, however much happens. */
const READ_AGAIN_MS = 2_000;
/** A first stream that opens later may have missed what happened since the data was read. */
const LATE_MS = 1_000;

const isSame = (player: { serverId: string; identifier: string }, change: Change): boolean =>
  player.serverId === change.serverId && player.identifier === change.identifier;

const merged = <T extends PlayerSummary>(player: T, { name, online, accounts }: Change): T => ({
  ...player,
  ...(name !== undefined && name.trim() !== '' && { name }),
  // The event has no number in the game, and a player who comes back has another one.
  ...(online !== undefined && { online, ...(online !== player.online && { gameId: null }) }),
  // The next answer of the hub has the exact time.
  ...(online === false && player.online && { lastSeenAt: new Date(hubNow()).toISOString() }),
  ...(accounts !== undefined && { accounts }),
});

export type PlayerList = InfiniteData<PlayerPage>;

const holds = (list: PlayerList | undefined, change: Change): boolean =>
  list?.pages.some(({ data }) => data.some((player) => isSame(player, change))) === true;

/** More than come while an answer is on its way. */
const MAX_RECENT = 500;
let recent: { at: number; change: Change }[] = [];

/** An answer of the hub with the events that came while it was on its way, so that it takes none of them back. */
export const withEventsSince = (asked: number, players: readonly PlayerSummary[]): PlayerSummary[] =>
  recent
    .filter(({ at }) => at >= asked)
    .reduce((all, { change }) => all.map((each) => (isSame(each, change) ? merged(each, change) : each)), [...players]);

/** Applies an event to the shown data: rows keep their place. */
const apply = (client: QueryClient, change: Change): void => {
  recent = [...recent.slice(1 - MAX_RECENT), { at: performance.now(), change }];
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

/** This name stands for all. */
const ALL = '*';
/** This one, too, with lists that are scrolled far down: no event will mend their rows. */
const GAP = 'gap';

const createReader = (client: QueryClient) => {
  const due = new Set<string>();
  let timer: number | undefined;
  const read = (): void => {
    const names = new Set(due);
    timer = undefined;
    due.clear();
    void client.invalidateQueries({
      predicate: ({ queryKey: [name], state }) =>
        // Asked with the names of a game server that is gone, the hub would refuse; the servers tell the next names.
        name !== 'custom' &&
        (names.has(GAP) ||
          ((names.has(ALL) || names.has(String(name))) &&
            // Under this name there are lists of players only.
            (name !== 'players' || isShort(state.data as PlayerList | undefined)))),
    });
  };
  return {
    again: (...names: string[]): void => {
      for (const name of names) due.add(name);
      timer ??= window.setTimeout(read, READ_AGAIN_MS);
    },
    stop: (): void => window.clearTimeout(timer),
  };
};

const OF_BATCH = ['batchCommands', 'command', 'commands', 'project'];
const SETTLED_BATCH = ['batch', 'batches', 'sums', 'unanswered', ...OF_BATCH];
const SCHEDULES = ['schedules', 'schedule', 'scheduleRuns'];
const OF_PLAYERS = ['project', 'servers'];
/** The queries that are read again after an event. */
const AGAIN: { [T in HubEvent['type']]?: readonly string[] } = {
  'player.joined': OF_PLAYERS,
  'player.left': OF_PLAYERS,
  'player.balance': OF_PLAYERS,
  'catalogue.changed': ['catalogue', 'entry'],
  'batch.progress': OF_BATCH,
  'batch.settled': SETTLED_BATCH,
  'integration.unmatched': ['shops'],
  'schedule.paused': SCHEDULES,
  'schedule.refused': ['project', ...SCHEDULES],
  'command.settled': ['commands', 'command', 'sums', 'project', 'statistics', 'unanswered'],
  'player.removed': [ALL],
  'players.synced': [ALL],
  'bridge.connected': [ALL],
  'bridge.disconnected': [ALL],
  missed: [GAP],
  'hints.missed': [GAP],
};

const take = (client: QueryClient, { again }: ReturnType<typeof createReader>, { type, data }: HubEvent): void => {
  if (type === 'player.joined' || type === 'player.left' || type === 'player.balance') {
    apply(client, data);
    if (type === 'player.joined' && isNew(client, data)) again('players');
  }
  if (type === 'batch.progress' || type === 'batch.settled') applyProgress(client, data);
  again(...(AGAIN[type] ?? []));
};

/** Follows the hub's events. Events are hints: they change the shown data at once, and important data is read again. */
export const useLive = (isWanted: boolean): void => {
  const client = useQueryClient();
  const may = useMay();
  const isAllowed = may('players:read') && may('commands:read');
  const isResumed = useRef(false);

  useEffect(() => {
    if (!isAllowed || !isWanted) return;
    const reader = createReader(client);
    const end = new AbortController();
    let isGap = isResumed.current;
    isResumed.current = true;
    const startedAt = performance.now();
    // Events before this stream, or before a first one that comes late, are missed. A later one goes on after its last event,
    // or says what is missed.
    let isFirst = true;
    const onOpen = (): void => {
      isGap ||= performance.now() - startedAt > LATE_MS;
      if (isFirst && isGap) reader.again(GAP);
      isFirst = false;
    };
    const listen = async (): Promise<void> => {
      for await (const event of follow(transport, { signal: end.signal, onOpen })) take(client, reader, event);
    };
    // The hub refuses the stream: the session may be over.
    listen().catch(() => client.invalidateQueries({ queryKey: ['session'] }));
    return () => {
      end.abort();
      reader.stop();
      recent = [];
    };
  }, [client, isAllowed, isWanted]);
};
