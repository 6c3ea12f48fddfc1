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

type Listener = (event: StoredEvent) => void;
/** The other nodes. */
type Others = { spread: (message: { type: 'event'; projectId: string; event: StoredEvent }) => void };
type Observer = (projectId: string, event: HubEvent) => void;

/**
 * The latest events of each project, so that a reader can continue after an interruption. Events are hints; the rows are
 * the facts. Ids are `<node>-<number>`. A reader whose id is no longer kept must read everything again.
 */
export class Events {
  readonly #node: string;
  readonly #bus: Others;
  readonly #channels = new Map<string, { kept: StoredEvent[]; listeners: Set<Listener>; number: number }>();
  readonly #observers: Observer[] = [];

  constructor(node: string, bus: Others) {
    this.#node = node;
    this.#bus = bus;
  }

  /** Publishes to the readers of all nodes. */
  publish(projectId: string, given: HubEvent): void {
    const event = this.#add(projectId, given);
    for (const observe of this.#observers) observe(projectId, given);
    this.#bus.spread({ type: 'event', projectId, event });
  }

  /** Takes an event of another node. */
  receive(projectId: string, event: StoredEvent): void {
    const { kept, listeners } = this.#channelOf(projectId);
    kept.push(event);
    if (kept.length > KEPT_PER_PROJECT * 2) kept.splice(0, KEPT_PER_PROJECT);
    for (const listener of listeners) listener(event);
  }

  /** Events of other nodes may be lost: all readers must read everything again, and older ids cannot be continued. */
  lose(): void {
    for (const [projectId, { kept }] of this.#channels) {
      kept.length = 0;
      this.#add(projectId, { type: 'missed', serverId: '', data: {} });
    }
  }

  /** The events after `lastEventId`; undefined if that event is no longer kept. */
  since(projectId: string, lastEventId: string): readonly StoredEvent[] | undefined {
    const { kept = [] } = this.#channels.get(projectId) ?? {};
    const index = kept.findIndex((event) => event.id === lastEventId);
    const missed = kept.slice(index + 1);
    return index === -1 || missed.length > KEPT_PER_PROJECT ? undefined : missed;
  }

  /** Subscribes to all events of all projects until the hub stops. */
  onEach(observe: Observer): void {
    this.#observers.push(observe);
  }

  /** The returned function ends the subscription. */
  subscribe(projectId: string, listener: Listener): () => void {
    const { listeners } = this.#channelOf(projectId);
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  #channelOf(projectId: string) {
    const channel = this.#channels.get(projectId) ?? { kept: [], listeners: new Set(), number: 0 };
    this.#channels.set(projectId, channel);
    return channel;
  }

  /** Gives an event of this node its id, and keeps it. */
  #add(projectId: string, { type, serverId, data }: HubEvent): StoredEvent {
    const channel = this.#channelOf(projectId);
    channel.number += 1;
    const event = { type, serverId, data, id: `${this.#node}-${channel.number}`, at: Date.now() };
    this.receive(projectId, event);
    return event;
  }
}
