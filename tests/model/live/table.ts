/** How a command is requested, see the state table in `server/commands/live.ts`. */
type Kind = 'no key' | 'key' | 'later';
export type Entry = {
  readonly n: number;
  readonly player: number;
  readonly kind: Kind;
  slot: 'unplaced' | 'queued' | 'inFlight';
  callers: number;
  status: 'open' | 'dispatched' | 'succeeded' | 'expired' | 'voided';
};

const isOpen = ({ status }: Entry): boolean => status === 'open' || status === 'dispatched';

/** The state table of one node and one game server, each event as one step. */
export const createTable = (window: number) => {
  const entries: Entry[] = [];
  /** In the order in which they came into the queue. */
  let queued: Entry[] = [];
  let isConnected = false;

  const flying = (): Entry[] => entries.filter(({ slot }) => slot === 'inFlight');
  const hasRoom = ({ player }: Entry): boolean =>
    isConnected && flying().length < window && flying().every((each) => each.player !== player);
  const fly = (entry: Entry): void => {
    queued = queued.filter((each) => each !== entry);
    Object.assign(entry, { slot: 'inFlight', status: 'dispatched' });
  };
  const pump = (): void => {
    const passed = new Set<number>();
    for (const entry of [...queued]) {
      if (!passed.has(entry.player) && hasRoom(entry)) fly(entry);
      passed.add(entry.player);
    }
  };
  const end = (entry: Entry, status: Entry['status']): void => {
    queued = queued.filter((each) => each !== entry);
    Object.assign(entry, { slot: 'unplaced', callers: 0, status });
    pump();
  };

  return {
    flying,
    queued: (): readonly Entry[] => queued,
    isConnected: (): boolean => isConnected,
    /** Commands that a caller can request again. */
    repeatable: (): Entry[] => entries.filter(({ kind }) => kind !== 'no key'),
    /** A new command; undefined: refused, no bridge is there. */
    request: (player: number, kind: Kind): Entry | undefined => {
      if (!isConnected) return undefined;
      const callers = kind === 'later' ? 0 : 1;
      const entry: Entry = { n: entries.length, player, kind, slot: 'queued', callers, status: 'open' };
      entries.push(entry);
      queued.push(entry);
      pump();
      return entry;
    },
    repeat: (entry: Entry): void => {
      if (isOpen(entry)) entry.callers += 1;
    },
    disconnect: (): void => {
      isConnected = false;
      for (const entry of flying()) entry.slot = 'unplaced';
    },
    reconnect: (): void => {
      isConnected = true;
      for (const entry of entries) if (entry.status === 'dispatched') fly(entry);
      pump();
    },
    succeed: (entry: Entry): void => end(entry, 'succeeded'),
    voided: (entry: Entry): void => end(entry, 'voided'),
    /** The deadline of every command passes. */
    expire: (): void => {
      for (const entry of [...queued]) end(entry, 'expired');
    },
    /** As the hub counts them. */
    sizes: () => ({
      queued: queued.length,
      inFlight: flying().length,
      lanes: 0,
      callers: entries.reduce((sum, { callers }) => sum + callers, 0),
      live: entries.filter(({ slot, callers }) => slot !== 'unplaced' || callers > 0).length,
    }),
  };
};
