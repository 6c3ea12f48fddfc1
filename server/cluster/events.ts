export const EVENT_TYPES = [
  'player.joined',
  'player.left',
  'player.removed',
  'player.balance',
  'players.synced',
  'bridge.connected',
  'bridge.disconnected',
  'command.settled',
  /** Some were lost on their way from another node. */
  'missed',
] as const;

/** What happened in a project, as the event stream tells it. Data is what REST would show. */
export type HubEvent = { type: (typeof EVENT_TYPES)[number]; serverId: string; data: Record<string, unknown> };
export type StoredEvent = HubEvent & { id: string; at: number };

const KEPT_PER_PROJECT = 1000;

type Channel = { kept: StoredEvent[]; listeners: Set<(event: StoredEvent) => void>; number: number };

/**
 * Events of the last while, per project, so that a reader that was cut off can continue. A hint, not the truth: rows
 * are. Ids are `<node>-<number>`; a reader whose id is no longer kept is told to read afresh.
 */
export const createEvents = ({
  node,
  bus,
  now = Date.now,
}: {
  node: string;
  bus: { spread: (message: { type: 'event'; projectId: string; event: StoredEvent }) => void };
  now?: () => number;
}) => {
  const channels = new Map<string, Channel>();
  const observers: ((projectId: string, event: HubEvent) => void)[] = [];

  const channelOf = (projectId: string): Channel => {
    const found = channels.get(projectId);
    if (found !== undefined) return found;
    const channel: Channel = { kept: [], listeners: new Set(), number: 0 };
    channels.set(projectId, channel);
    return channel;
  };

  const keep = (channel: Channel, event: StoredEvent): void => {
    channel.kept.push(event);
    if (channel.kept.length > KEPT_PER_PROJECT * 2) channel.kept.splice(0, KEPT_PER_PROJECT);
    for (const listener of channel.listeners) listener(event);
  };

  const stored = (channel: Channel, { type, serverId, data }: HubEvent): StoredEvent => {
    channel.number += 1;
    return { type, serverId, data, id: `${node}-${channel.number}`, at: now() };
  };

  return {
    /** Tells the readers of this node and of all others. */
    publish: (projectId: string, given: HubEvent): void => {
      const channel = channelOf(projectId);
      const event = stored(channel, given);
      keep(channel, event);
      for (const observe of observers) observe(projectId, given);
      bus.spread({ type: 'event', projectId, event });
    },
    /** One that another node published. */
    receive: (projectId: string, event: StoredEvent): void => keep(channelOf(projectId), event),
    /** Some of the others' may never come: who reads must read afresh, and nobody can continue from before. */
    lose: (): void => {
      for (const channel of channels.values()) {
        channel.kept = [];
        keep(channel, stored(channel, { type: 'missed', serverId: '', data: {} }));
      }
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
