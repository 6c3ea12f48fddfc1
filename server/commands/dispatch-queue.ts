/** A command on its way to one game server. `order` is what it must not overtake: one in flight per order key. */
export type QueueEntry = {
  readonly id: string;
  readonly order: string;
  readonly urgent: boolean;
  readonly expiresAt: number;
};

type Flight<E> = { entry: E; sentAt: number | undefined; received: boolean; overdue: boolean };

const QUEUE_CAPACITY = 256;

/**
 * What waits for and what is in flight to one game server: a window, first in first out per order key, other keys
 * never held up. Urgent entries (kicks) have a window of their own, so they never wait behind money. It outlives the
 * socket: entries that were not sent wait for the next one.
 */
export const createDispatchQueue = <E extends QueueEntry>({
  start,
  ...given
}: {
  start: (entry: E) => void;
  /** How many may be in flight from the beginning; 0: no socket is there. */
  window: number;
}) => {
  const waiting = new Map<string, E>();
  const flights = new Map<string, Flight<E>>();
  const busyKeys = new Map<string, string>();
  let { window } = given;
  let urgentFlights = 0;
  let urgentWaiting = 0;

  const hasRoom = (entry: QueueEntry): boolean =>
    window > 0 &&
    !busyKeys.has(entry.order) &&
    (entry.urgent ? urgentFlights < window : flights.size - urgentFlights < window);

  const enqueue = (entry: E): void => {
    waiting.set(entry.id, entry);
    if (entry.urgent) urgentWaiting += 1;
  };

  const dequeue = (id: string): void => {
    if (waiting.get(id)?.urgent) urgentWaiting -= 1;
    waiting.delete(id);
  };

  /** Nothing that waits could start, whatever it is. */
  const isFull = (): boolean =>
    (urgentWaiting === 0 || urgentFlights >= window) &&
    (waiting.size === urgentWaiting || flights.size - urgentFlights >= window);

  const isBehind = (entry: QueueEntry): boolean => {
    if (waiting.size === 0) return false;
    for (const other of waiting.values()) if (other.order === entry.order) return true;
    return false;
  };

  const fly = (entry: E): void => {
    flights.set(entry.id, { entry, sentAt: undefined, received: false, overdue: false });
    busyKeys.set(entry.order, entry.id);
    if (entry.urgent) urgentFlights += 1;
  };

  const land = (id: string): void => {
    const flight = flights.get(id);
    if (flight === undefined) return;
    flights.delete(id);
    if (flight.entry.urgent) urgentFlights -= 1;
    if (busyKeys.get(flight.entry.order) === id) busyKeys.delete(flight.entry.order);
  };

  const pump = (): void => {
    if (window === 0 || waiting.size === 0) return;
    const passed = new Set<string>();
    for (const entry of waiting.values()) {
      if (isFull()) return;
      if (passed.has(entry.order)) continue;
      passed.add(entry.order);
      if (!hasRoom(entry)) continue;
      dequeue(entry.id);
      fly(entry);
      start(entry);
    }
  };

  return {
    /** Takes a place in the window at once, or says how it must wait. Nothing is started by this call. */
    admit: (entry: E, { direct }: { direct: boolean }): 'flying' | 'waiting' | 'busy' => {
      if (direct && !isBehind(entry) && hasRoom(entry)) {
        fly(entry);
        return 'flying';
      }
      if (waiting.size >= QUEUE_CAPACITY) return 'busy';
      enqueue(entry);
      return 'waiting';
    },
    /** Puts a command that an earlier socket carried back into flight; the window does not count against it. */
    resume: (entry: E): void => {
      dequeue(entry.id);
      fly(entry);
    },
    pump,
    isFlying: (id: string): boolean => flights.has(id),
    /** Its turn came while no socket was there: back to the head of the queue. */
    requeue: (entry: E): void => {
      land(entry.id);
      const others = [...waiting.values()];
      waiting.clear();
      urgentWaiting = 0;
      for (const each of [entry, ...others]) enqueue(each);
    },
    /** The frame left now. */
    sent: (id: string, at: number): void => {
      const flight = flights.get(id);
      if (flight !== undefined) flight.sentAt = at;
    },
    received: (id: string): void => {
      const flight = flights.get(id);
      if (flight !== undefined) flight.received = true;
    },
    /** The bridge is done with it, or it never left: its place is free. */
    release: (id: string): void => {
      land(id);
      dequeue(id);
      pump();
    },
    /** A socket is there, with its window; what waits begins to flow. */
    open: (size: number): void => {
      window = size;
      pump();
    },
    /** The socket is gone: nothing is in flight any more. Returns what was. */
    close: (): { id: string; sentAt: number | undefined }[] => {
      const lost = [...flights].map(([id, flight]) => ({ id, sentAt: flight.sentAt }));
      window = 0;
      for (const id of [...flights.keys()]) land(id);
      return lost;
    },
    /** When the oldest frame left that the bridge has not confirmed. */
    unconfirmedSince: (): number | undefined => {
      for (const flight of flights.values()) {
        if (flight.sentAt !== undefined && !flight.received) return flight.sentAt;
      }
      return undefined;
    },
    /** In flight past their deadline; each is named once. */
    overdue: (at: number): E[] => {
      const late: E[] = [];
      for (const flight of flights.values()) {
        if (flight.overdue || flight.entry.expiresAt > at) continue;
        flight.overdue = true;
        late.push(flight.entry);
      }
      return late;
    },
    waiting: (): IterableIterator<E> => waiting.values(),
    sizes: () => ({ waiting: waiting.size, flying: flights.size }),
  };
};
export type DispatchQueue<E extends QueueEntry> = ReturnType<typeof createDispatchQueue<E>>;
