import { randomUUID } from 'node:crypto';
import type { BridgeTimings, Journal, JournalEntry, Outcome } from '../../bridge-protocol/index.ts';
import { openWebSocket } from '../../bridge-protocol/ws.ts';
import type { Rule } from '../../conformance/judges/rules.ts';
import type { Waits } from '../../conformance/line/watch.ts';
import type { Disk } from './disk.ts';
import type { Fault, Frame, Wire } from './game.ts';

type Out = NonNullable<Fault['out']>;
type In = NonNullable<Fault['in']>;

/** Changes the frames of one type on their way out, or on their way in. */
const says = (type: string, change: (frame: Frame, wire: Wire) => (Frame | string)[]): { out: Out } => ({
  out: (frame, wire) => (frame.type === type ? change(frame, wire) : [frame]),
});
const hears = (type: string, change: (frame: Frame, wire: Wire) => Frame[]): { in: In } => ({
  in: (frame, wire) => (frame.type === type ? change(frame, wire) : [frame]),
});
/** The numbers of a money command that do not fit its amount. */
const taxed = (frame: Frame): Frame => {
  const data = frame['data'] as { after?: number } | undefined;
  return data?.after === undefined ? frame : { ...frame, data: { ...data, after: data.after + 1 } };
};
const dropped = (): Frame[] => [];

const timed = (timings: Partial<BridgeTimings>): Fault => ({
  options: (options) => ({ ...options, timings: { ...options.timings, ...timings } }),
});

/** A close of the hub reaches the bridge as another one. */
const misreads = (code: number, as: number): Fault => ({
  events: (events) => ({ ...events, close: (given, reason) => events.close(given === code ? as : given, reason) }),
});

/** Only the first connection of the process hears of custom commands. */
const announcesOnce = (): Fault => {
  let first: Wire | undefined;
  return says('commands.custom', (frame, wire) => {
    first ??= wire;
    return first === wire ? [frame] : [];
  });
};

/** Every custom command is one that can be carried out. */
const greets = (frame: Frame): Frame =>
  String(frame['name']).startsWith('custom:') ? { ...frame, name: 'custom:greet', params: { name: 'verify' } } : frame;

/** The results wait for the snapshot. */
const snapshotFirst = (): Out => {
  const held = new WeakMap<Wire, Frame[] | 'sent'>();
  return (frame, wire) => {
    const waiting = held.get(wire) ?? [];
    if (waiting === 'sent') return [frame];
    if (frame.type === 'players.snapshot' && frame['last'] === true) {
      held.set(wire, 'sent');
      return [frame, ...waiting];
    }
    if (frame.type !== 'result') return [frame];
    held.set(wire, [...waiting, frame]);
    return [];
  };
};

/** Results that come again come in the wrong order. */
const newestFirst = (): Out => {
  const held = new WeakMap<Wire, Frame[] | 'sent'>();
  return (frame, wire) => {
    const waiting = held.get(wire) ?? [];
    if (waiting === 'sent' || (frame.type !== 'result' && frame.type !== 'status')) return [frame];
    if (frame.type === 'result') {
      held.set(wire, [frame, ...waiting]);
      return [];
    }
    held.set(wire, 'sent');
    return [...waiting, frame];
  };
};

/** Every other command of a pair goes first. */
const outOfOrder = (): In => {
  let held: Frame | undefined;
  return (frame, wire) => {
    if (frame.type !== 'command' || frame['name'] !== 'money') return [frame];
    if (held !== undefined) {
      const pair = [frame, held];
      held = undefined;
      return pair;
    }
    held = frame;
    setTimeout(() => {
      if (held === frame) wire.hear(frame);
      if (held === frame) held = undefined;
    }, 20);
    return [];
  };
};

/** The old socket stays open, and its frames are still obeyed. */
const clings = (): Fault => {
  let newest: ((frame: string) => void) | undefined;
  return {
    events: (events) => {
      newest = events.message;
      return { ...events, message: (frame) => newest?.(frame) };
    },
    socket: (open) => (events) => {
      const socket = open(events);
      return { ...socket, bufferedAmount: 0, close: () => {} };
    },
  };
};

/** A command waits for the result of the one before, even for another player. */
const oneByOne = (): Fault => {
  const waiting: Frame[] = [];
  let isBusy = false;
  return {
    in: (frame) => {
      if (!isMoney(frame)) return [frame];
      if (isBusy) waiting.push(frame);
      const isFirst = !isBusy;
      isBusy = true;
      return isFirst ? [frame] : [];
    },
    out: (frame, wire) => {
      if (frame.type !== 'result') return [frame];
      const next = waiting.shift();
      isBusy = next !== undefined;
      if (next !== undefined) setTimeout(() => wire.hear(next), 8);
      return [frame];
    },
  };
};

/** Writes reach the disk after `ms`, and never if the process dies before. */
const unwritten = (
  what: 'start' | 'settle',
  ms: number,
  isMeant: (outcome?: Outcome) => boolean = () => true,
): Fault => ({
  journal: (journal) => {
    const memory = new Map<string, JournalEntry>();
    const late = (write: () => unknown): void => {
      setTimeout(() => {
        try {
          write();
        } catch {
          // The process is dead.
        }
      }, ms);
    };
    const put = (id: string, entry: Partial<JournalEntry>): void => {
      const known = memory.get(id) ?? journal.get(id);
      const sequence = journal.sequence();
      memory.set(id, {
        fingerprint: '',
        status: 'started',
        ...known,
        ...entry,
        id,
        sequence,
        at: 0,
        acknowledged: false,
      });
    };
    return {
      ...journal,
      get: (id) => memory.get(id) ?? journal.get(id),
      start: (id, fingerprint) => {
        if (what !== 'start') return journal.start(id, fingerprint);
        put(id, { fingerprint });
        late(() => memory.has(id) && journal.get(id) === undefined && journal.start(id, fingerprint));
      },
      settle: (id, outcome) => {
        if (what === 'start' || !isMeant(outcome)) {
          memory.delete(id);
          return journal.settle(id, outcome);
        }
        put(id, { status: outcome.status, outcome });
        late(() => journal.settle(id, outcome));
        return journal.sequence();
      },
    };
  },
});

/** A journal entry counts only in the process that wrote it. */
const forgetful = (): Fault => ({
  in: (frame) => (frame.type === 'command' && frame['attempt'] !== 1 ? [{ ...frame, id: `${frame['id']}~` }] : [frame]),
  out: (frame) => (frame.type === 'result' ? [{ ...frame, id: String(frame['id']).replaceAll('~', '') }] : [frame]),
});

/** Carries money out late. */
export const slow = (ms: number): Fault => ({
  handlers: ({ kick, money }) => ({
    kick,
    money: async (params, context) => {
      await new Promise((resolve) => setTimeout(resolve, ms));
      return money(params, context);
    },
  }),
});

const twice = (): Fault => ({
  socket: (open) => (events) => {
    open({ open: () => {}, message: () => {}, close: () => {}, refused: () => {} });
    return open(events);
  },
});

const forgetStarted = ({ entries }: Disk): void => {
  for (const [id, { status }] of entries) if (status === 'started') entries.delete(id);
};
const undecided = ({ entries }: Disk): void => {
  for (const entry of entries.values()) {
    if (entry.status !== 'started') continue;
    entries.set(entry.id, { ...entry, status: 'indeterminate', outcome: { status: 'indeterminate' } });
  }
};
const asAtomic = (journal: Journal): Journal => ({ ...journal, class: 'atomic' });
const renewed = (disk: Disk): void => {
  Object.assign(disk, { journalId: randomUUID(), sequence: 0 });
  disk.entries.clear();
};
const renamedJournal = (frame: Frame): Frame[] => [
  { ...frame, journal: { ...Object(frame['journal']), id: randomUUID() } },
];
const withLiveSequence = (journal: Journal): Journal => ({
  ...journal,
  get openedAt() {
    return journal.sequence();
  },
});

const isMoney = ({ type, name }: Frame): boolean => type === 'command' && name === 'money';
const PARAMS = { target: 'char1:ana', type: 'bank', amount: 1, action: 'add', allowNegative: true };
const repaired = (frame: Frame): Frame => ({ ...frame, params: PARAMS });
const complaint: Frame = { type: 'error', code: 'invalid_message', message: 'No, you.' };
const voided = ({ id }: Frame): Frame => ({ type: 'result', id, status: 'voided' });

/** Answers frames of a type by itself. */
const replies = (type: string, reply: (frame: Frame) => Frame): { in: In } =>
  hears(type, (frame, { say }) => {
    say(reply(frame));
    return [];
  });
const cuts = (type: string): { in: In } =>
  hears(type, (frame, { cut }) => {
    setImmediate(cut);
    return [frame];
  });

/** A bridge for each rule that breaks it; some need more time than others until that shows. */
export const FAULTS: readonly (readonly [Rule, string, Fault, Partial<Waits>?])[] = [
  ['R1', 'sends no token', { socket: (_open, { url }) => openWebSocket({ url, token: '' }) }],
  ['R1', 'dials another path', { socket: (_open, { url, token }) => openWebSocket({ url: `${url}s`, token }) }],
  ['R3', 'does not read Retry-After', { events: (events) => ({ ...events, refused: () => events.close(1006, '') }) }],
  ['R4', 'sends a pong that is not JSON', says('pong', () => ['pong!'])],
  ['R5', 'takes nothing with unknown fields', { in: (frame) => ('x-verify' in frame ? [] : [frame]) }],
  ['R6', 'leaves unknown types unanswered', hears('verify.unknown', dropped)],
  ['R6', 'leaves after an unknown type', cuts('verify.unknown')],
  ['R7', 'answers an error with an error', replies('error', () => complaint)],
  ['R8', 'sends null', says('status', (frame) => [{ ...frame, database: null }])],
  ['R9', 'says something else first', says('hello', (frame) => [{ type: 'status' }, frame])],
  ['R10', 'is another instance each time', says('hello', (frame) => [{ ...frame, instance: randomUUID() }])],
  ['R10', 'is the same instance for ever', says('hello', (frame) => [{ ...frame, instance: 'always' }])],
  ['R11', 'names no account', says('hello', (frame) => [{ ...frame, accounts: [] }])],
  ['R12', 'does not wait for its welcome', says('hello', (frame) => [frame, { type: 'status' }])],
  ['R13', 'sends the snapshot before the results', { out: snapshotFirst() }],
  ['R13', 'sends the newest results first', { out: newestFirst() }],
  ['R14', 'obeys its old connection', clings()],
  ['R15', 'leaves before it has another connection', cuts('drain')],
  ['R15', 'does not know what a drain is', hears('drain', dropped)],
  ['R16', 'answers with another number', says('pong', (frame) => [{ ...frame, n: 7 }])],
  ['R17', 'bears any silence', timed({ silenceMs: 60_000 })],
  ['R18', 'goes on after bye', says('bye', (frame) => [frame, { type: 'status' }])],
  ['R19', 'sends no snapshot', says('players.snapshot', dropped)],
  ['R19', 'does not listen to a resync', hears('players.resync', dropped)],
  ['R20', 'counts its parts from 1', says('players.snapshot', (frame) => [{ ...frame, part: 1 }])],
  [
    'R21',
    'skips revisions',
    says('players.changed', (frame) => [{ ...frame, revision: 2 * Number(frame['revision']) }]),
  ],
  ['R22', 'fills frames without a bound', says('players.snapshot', (frame) => [{ ...frame, x: 'x'.repeat(80_000) }])],
  ['R22', 'sends records that do not fit', says('players.snapshot', (frame) => [{ ...frame, players: [{}] }])],
  ['R23', 'sends no status', says('status', dropped)],
  ['R24', 'runs again what it knows', forgetful()],
  ['R25', 'does not compare fingerprints', hears('command', (frame) => [{ ...frame, fingerprint: 'same' }])],
  ['R26', 'carries out what does not fit', { in: (frame) => [isMoney(frame) ? repaired(frame) : frame] }],
  ['R26', 'is silent about unknown commands', { in: (frame) => (frame['name'] === 'verify_unknown' ? [] : [frame]) }],
  ['R47', 'announces its custom commands only once', announcesOnce()],
  [
    'R47',
    'announces a command twice',
    says('commands.custom', (frame) => [{ ...frame, commands: [frame['commands'], frame['commands']].flat() }]),
  ],
  ['R48', 'carries out custom commands whatever they are', { in: (frame) => [greets(frame)] }],
  ['R27', 'ignores expiresAt', hears('command', (frame) => [{ ...frame, expiresAt: Number.MAX_SAFE_INTEGER }])],
  ['R27', 'goes by its own clock', { in: (frame) => ['now' in frame ? { ...frame, now: Date.now() } : frame] }],
  [
    'R27',
    'is seconds late',
    { in: (frame) => ['now' in frame ? { ...frame, now: Number(frame['now']) - 3_000 } : frame] },
  ],
  ['R28', 'mixes commands up', { in: outOfOrder() }],
  ['R28', 'lets players wait for one another', oneByOne()],
  ['R29', 'does not answer money', { in: (frame) => (isMoney(frame) ? [] : [frame]) }],
  ['R29', 'confirms no command before its result', { ...slow(300), ...says('received', dropped) }],
  ['R30', 'forgets what was voided', replies('void', voided)],
  [
    'R30',
    'forgets what was voided when it dies',
    unwritten('settle', 60_000, (outcome) => outcome?.status === 'voided'),
  ],
  ['R31', 'says done without data', says('result', ({ data, ...frame }) => [frame])],
  ['R31', 'moves more than it says', says('result', (frame) => [taxed(frame)])],
  ['R32', 'calls everything voided', replies('void', voided)],
  ['R34', 'acts before it has written that it starts', unwritten('start', 60_000)],
  ['R34', 'runs again what it had started when it died', { starts: forgetStarted }],
  ['R35', 'answers before it has written the outcome', unwritten('settle', 60_000)],
  ['R38', 'knows nothing of what it had started, and calls itself atomic', { starts: undecided, journal: asAtomic }],
  ['R39', 'begins a new journal each time', { starts: renewed }],
  ['R40', 'calls its journal something else on each connection', says('hello', renamedJournal)],
  ['R41', 'names the sequence of the moment', { journal: withLiveSequence }],
  ['R41', 'numbers all results alike', says('result', (frame) => [{ ...frame, sequence: 1 }])],
  ['R42', 'loses money when it dies', { starts: ({ banks }) => void banks.set('char1:ana', 1_000) }],
  ['R43', 'comes back after 4509', misreads(4509, 1006)],
  ['R44', 'comes back after 4999', misreads(4999, 1006)],
  ['R44', 'stays away after 4499', misreads(4499, 4999)],
  ['R44', 'does not wait for r', misreads(4029, 1006), { toldMs: 1_000 }],
  ['R45', 'hammers', timed({ reconnectBaseMs: 0 }), { hammerMs: 2_000 }],
  ['R45', 'is too slow', timed({ reconnectBaseMs: 1_000, reconnectMaxMs: 1_000 }), { comeBackMs: 3_000 }],
  ['R46', 'has two connections', twice()],
  ['R52', 'does not read players', hears('players.read', dropped)],
];
