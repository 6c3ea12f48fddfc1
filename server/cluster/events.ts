export const EVENT_TYPES = [
  'player.joined',
  'player.left',
  'player.removed',
  'player.balance',
  'players.synced',
  'bridge.connected',
  'bridge.disconnected',
  'command.settled',
  'batch.progress',
  'batch.settled',
  'schedule.paused',
  'schedule.refused',
  'catalogue.changed',
  'integration.delivery',
  'integration.unmatched',
  /** Events from another node were lost. */
  'missed',
] as const;

/** An event of a project's event stream. Its data is the same as in REST. */
export type HubEvent = { type: (typeof EVENT_TYPES)[number]; serverId: string; data: Record<string, unknown> };
export type StoredEvent = HubEvent & { id: string; at: number };

const KEPT_PER_PROJECT = 1000;

type Channel = { kept: StoredEvent[]; listeners: Set<(event: StoredEvent) => void>; number: number };

/**
 * The latest events of each project, so that a reader can continue after an interruption. Events are hints; the rows are
 * the facts. Ids are `<node>-<number>`. A reader whose id is no longer kept must read everything again.
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
    /** Publishes to the readers of all nodes. */
    publish: (projectId: string, given: HubEvent): void => {
      const channel = channelOf(projectId);
      const event = stored(channel, given);
      keep(channel, event);
      for (const observe of observers) observe(projectId, given);
      bus.spread({ type: 'event', projectId, event });
    },
    /** Takes an event of another node. */
    receive: (projectId: string, event: StoredEvent): void => keep(channelOf(projectId), event),
    /** Events of other nodes may be lost: all readers must read everything again, and older ids cannot be continued. */
    lose: (): void => {
      for (const channel of channels.values()) {
        channel.kept = [];
        keep(channel, stored(channel, { type: 'missed', serverId: '', data: {} }));
      }
    },
    /** The events after `lastEventId`; undefined if that event is no longer kept. */
    since: (projectId: string, lastEventId: string): readonly StoredEvent[] | undefined => {
      const channel = channels.get(projectId);
      const index = channel?.kept.findIndex((event) => event.id === lastEventId) ?? -1;
      const missed = index === -1 ? undefined : channel?.kept.slice(index + 1);
      return missed !== undefined && missed.length > KEPT_PER_PROJECT ? undefined : missed;
    },
    /** Subscribes to all events of all projects until the hub stops. */
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
