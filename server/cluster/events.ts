import { KEPT_EVENT_TYPES } from '../../db/schema/events.ts';

export const EVENT_TYPES = [
  'player.joined',
  'player.left',
  'player.removed',
  'player.balance',
  'players.synced',
  'bridge.connected',
  'bridge.disconnected',
  'batch.progress',
  'catalogue.changed',
  'integration.delivery',
  'integration.unmatched',
  /** Those that some projects keep. In the others, some of them are only live. */
  ...KEPT_EVENT_TYPES,
  /** Events were lost. */
  'missed',
  /** Events were lost, but none of those that the project keeps. */
  'hints.missed',
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
  /** `from`: since when (epoch milliseconds) all events are among the latest. */
  readonly #channels = new Map<
    string,
    { kept: StoredEvent[]; listeners: Set<Listener>; number: number; from: number }
  >();
  readonly #startedAt = Date.now();
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
    const channel = this.#channelOf(projectId);
    const { kept, listeners } = channel;
    kept.push(event);
    if (kept.length > KEPT_PER_PROJECT * 2)
      channel.from = (kept.splice(0, KEPT_PER_PROJECT).at(-1)?.at ?? event.at) + 1;
    for (const listener of listeners) listener(event);
  }

  /** Events of other nodes may be lost: all readers must read everything again, and older ids cannot be continued. */
  lose(): void {
    for (const [projectId, channel] of this.#channels) {
      channel.kept.length = 0;
      channel.from = Date.now();
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

  /** The events since a time (epoch milliseconds); undefined if one of them is no longer kept. */
  sinceTime(projectId: string, at: number): readonly StoredEvent[] | undefined {
    const { kept, from } = this.#channelOf(projectId);
    const missed = kept.filter((event) => event.at >= at);
    return from > at || missed.length > KEPT_PER_PROJECT ? undefined : missed;
  }

  /** The time (epoch milliseconds) of an event that is still kept. */
  timeOf(projectId: string, id: string): number | undefined {
    return this.#channels.get(projectId)?.kept.find((event) => event.id === id)?.at;
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
    const known = this.#channels.get(projectId);
    const channel = known ?? { kept: [], listeners: new Set(), number: 0, from: this.#startedAt };
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
