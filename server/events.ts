/** What happened in a project, as the event stream tells it. Data is what REST would show. */
export type HubEvent = {
  type:
    | 'player.joined'
    | 'player.left'
    | 'player.removed'
    | 'player.balance'
    | 'players.synced'
    | 'bridge.connected'
    | 'bridge.disconnected'
    | 'command.settled';
  serverId: string;
  data: Record<string, unknown>;
};
export type StoredEvent = HubEvent & { id: string; at: number };

const KEPT_PER_PROJECT = 1000;

type Channel = { kept: StoredEvent[]; listeners: Set<(event: StoredEvent) => void>; number: number };

/**
 * Events of the last while, per project, so that a reader that was cut off can continue. A hint, not the truth: rows
 * are. Ids are `<start of this process>-<number>`; a reader whose id is no longer kept is told to read afresh.
 */
export const createEvents = ({ now = Date.now }: { now?: () => number } = {}) => {
  const start = now().toString(36);
  const channels = new Map<string, Channel>();
  const observers: ((projectId: string, event: HubEvent) => void)[] = [];

  const channelOf = (projectId: string): Channel => {
    const found = channels.get(projectId);
    if (found !== undefined) return found;
    const channel: Channel = { kept: [], listeners: new Set(), number: 0 };
    channels.set(projectId, channel);
    return channel;
  };

  return {
    publish: (projectId: string, event: HubEvent): void => {
      const channel = channelOf(projectId);
      channel.number += 1;
      const { type, serverId, data } = event;
      const stored: StoredEvent = { type, serverId, data, id: `${start}-${channel.number}`, at: now() };
      channel.kept.push(stored);
      if (channel.kept.length > KEPT_PER_PROJECT * 2) channel.kept.splice(0, KEPT_PER_PROJECT);
      for (const listener of channel.listeners) listener(stored);
      for (const observe of observers) observe(projectId, event);
    },
    /** What came after `lastEventId`; undefined if that is no longer known. */
    since: (projectId: string, lastEventId: string): readonly StoredEvent[] | undefined => {
      const channel = channels.get(projectId);
      const index = channel?.kept.findIndex((event) => event.id === lastEventId) ?? -1;
      const missed = index === -1 ? undefined : channel?.kept.slice(index + 1);
      return missed !== undefined && missed.length > KEPT_PER_PROJECT ? undefined : missed;
    },
    /** Tells of every event of every project, for as long as the hub lives. */
    onEach: (observe: (projectId: string, event: HubEvent) => void): void => {
      observers.push(observe);
    },
    /** The returned function ends the subscription. */
    subscribe: (projectId: string, listener: (event: StoredEvent) => void): (() => void) => {
      const channel = channelOf(projectId);
      channel.listeners.add(listener);
      return () => channel.listeners.delete(listener);
    },
  };
};
export type Events = ReturnType<typeof createEvents>;
