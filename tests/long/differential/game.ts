import { COMMAND_ERROR_CODES } from '../../../bridge-protocol/index.ts';
import type { Dice } from './dice.ts';
import type { Frame } from './line.ts';

export const PLAYERS = ['char1:ana', 'char1:bob', 'char1:cid'] as const;
const LINKED: Record<string, string[]> = {
  'char1:ana': ['license:ana'],
  'char1:bob': ['license:bob', 'discord:both'],
  'char1:cid': ['license:cid', 'discord:both'],
};
const DECLARED = ['kick', 'money', 'items', 'vehicles', 'job', 'announce', 'message', 'heal', 'freeze', 'teleport'];
const EPHEMERAL = new Set(['kick', 'announce', 'message', 'heal', 'freeze', 'teleport']);
const CUSTOM = [
  { name: 'rename', params: { type: 'object', properties: { target: { type: 'string' }, to: { type: 'string' } } } },
  { name: 'weather', params: { type: 'object', properties: { kind: { enum: ['rain', 'sun'] } }, required: ['kind'] } },
  {
    name: 'fine',
    params: { type: 'object', properties: { who: { type: 'string' }, sum: { type: 'integer' } }, required: ['who'] },
    roles: { player: 'who', amount: 'sum' },
  },
];

/** A command as the game server knows it. */
export type Entry = {
  id: string;
  /** Undefined: only its `void` has come. */
  name: string | undefined;
  params: Record<string, unknown>;
  isReceived: boolean;
  isVoidAsked: boolean;
  result: Frame | undefined;
  isAcked: boolean;
};
type GamePlayer = { identifier: string; online: boolean; playable?: boolean };

/** A game server with its journal, as far as hubs see it. One game plays for both hubs, and the dice decide for it. */
export class Game {
  readonly #dice: Dice;
  readonly #class: 'saved' | 'atomic';
  readonly #window: number;
  readonly entries = new Map<string, Entry>();
  players: GamePlayer[] = PLAYERS.map((identifier) => ({ identifier, online: identifier !== 'char1:cid' }));
  revision = 0;
  isDraining = false;
  #instance = 1;
  #journal = 1;
  #sequence = 0;
  #openedAt = 0;

  constructor(dice: Dice) {
    this.#dice = dice;
    this.#class = dice.pick(['saved', 'atomic']);
    this.#window = dice.weighted([
      [3, 32],
      [1, 2],
      [1, 4],
    ]);
  }

  hello(): object {
    return {
      type: 'hello',
      protocol: 1,
      instance: `instance-${this.#instance}`,
      software: { name: 'differential', version: '1.0.0' },
      commands: DECLARED.map((name) => `${name}@1`),
      accounts: ['bank', 'cash'],
      journal: { class: this.#class, id: `journal-${this.#journal}`, sequence: this.#openedAt },
      open: this.unacknowledged().map(({ id, status }) => ({ id, status })),
      limits: { inFlight: this.#window },
    };
  }

  /** Takes note of a frame of the hub. */
  hear(frame: Frame): void {
    const id = String(frame['id']);
    if (frame.type === 'command') {
      const known = this.entries.get(id) ?? this.#enter(id);
      known.name ??= String(frame['name']);
      known.params = frame['params'] as Record<string, unknown>;
    } else if (frame.type === 'void') (this.entries.get(id) ?? this.#enter(id)).isVoidAsked = true;
    else if (frame.type === 'ack') {
      for (const acked of frame['ids'] as string[]) this.#acknowledge(acked);
    }
  }

  /** The commands without a result. */
  open(): Entry[] {
    return [...this.entries.values()].filter(({ result }) => result === undefined);
  }
  settled(): Entry[] {
    return [...this.entries.values()].filter(({ result }) => result !== undefined);
  }
  unconfirmed(): Entry[] {
    return this.open().filter(({ isReceived }) => !isReceived);
  }
  /** The results that a bridge sends again after each welcome (R13). */
  unacknowledged(): (Frame & { status?: unknown })[] {
    return this.settled().flatMap(({ result, isAcked }) => (result === undefined || isAcked ? [] : [result]));
  }

  /** The process of the game server ends and starts: what had begun is not run again (R38). */
  restart(how: 'restarted' | 'lost its journal' | 'has an old journal'): void {
    this.#instance += 1;
    this.isDraining = false;
    this.#openedAt = this.#sequence;
    for (const entry of this.open()) {
      if (!entry.isReceived || entry.name === undefined || EPHEMERAL.has(entry.name)) this.entries.delete(entry.id);
      else
        this.#settle(
          entry,
          this.#class === 'atomic' && entry.name === 'money'
            ? this.#refusal('failed', 'server_restarting')
            : this.#refusal('indeterminate', 'internal_error'),
        );
    }
    for (const { id, name = 'kick' } of this.settled()) if (EPHEMERAL.has(name)) this.entries.delete(id);
    if (how === 'lost its journal') {
      this.entries.clear();
      this.#journal += 1;
      this.#sequence = 0;
      this.#openedAt = 0;
    }
    if (how === 'has an old journal') {
      this.entries.clear();
      this.#sequence = Math.floor(this.#sequence / 2);
      this.#openedAt = this.#sequence;
    }
  }

  /** Decides how an open command ends. */
  answer(entry: Entry): Frame {
    if (entry.name === undefined) return this.#settle(entry, { status: 'voided' });
    if (entry.isVoidAsked && this.#dice.chance(0.5)) return this.#settle(entry, { status: 'voided' });
    const code = this.#dice.pick([...COMMAND_ERROR_CODES, 'something_new']);
    return this.#settle(
      entry,
      this.#dice.weighted<() => object>([
        [50, () => ({ status: 'done', data: this.#dataOf(entry, 0) })],
        [6, () => ({ status: 'done', data: this.#dataOf(entry, 1) })],
        [3, () => ({ status: 'done' })],
        [14, () => this.#refusal('rejected', code)],
        [5, () => this.#refusal('rejected', 'player_offline')],
        [4, () => this.#refusal('rejected', 'server_restarting')],
        [2, () => ({ status: 'rejected' })],
        [5, () => this.#refusal('failed', code)],
        [3, () => this.#refusal('failed', 'server_restarting')],
        [1, () => ({ status: 'failed' })],
        [6, () => ({ status: 'voided' })],
        [5, () => this.#refusal('indeterminate', code)],
      ])(),
    );
  }

  custom(): object {
    return { type: 'commands.custom', commands: CUSTOM.filter(() => this.#dice.chance(0.9)) };
  }

  status(): object {
    return { type: 'status', players: { online: 2, max: 64 }, draining: this.isDraining };
  }

  snapshot(): object {
    this.revision += 1;
    return {
      type: 'players.snapshot',
      revision: this.revision,
      part: 0,
      last: true,
      complete: this.#dice.chance(0.3),
      players: this.players.map((player) => this.record(player)),
    };
  }

  record({ identifier, ...state }: GamePlayer): object {
    return {
      identifier,
      ...state,
      name: `Name of ${identifier}`,
      identifiers: LINKED[identifier] ?? [],
      accounts: { bank: 1000 + this.revision },
      inventory: [],
      vehicles: [],
    };
  }

  #enter(id: string): Entry {
    const entry = {
      id,
      name: undefined,
      params: {},
      isReceived: false,
      isVoidAsked: false,
      result: undefined,
      isAcked: false,
    };
    this.entries.set(id, entry);
    return entry;
  }

  #acknowledge(id: string): void {
    const entry = this.entries.get(id);
    if (entry?.result !== undefined) entry.isAcked = true;
  }

  #settle(entry: Entry, outcome: object): Frame {
    const isJournaled = entry.name === undefined || !EPHEMERAL.has(entry.name);
    if (isJournaled) this.#sequence += 1;
    entry.result = { type: 'result', id: entry.id, ...outcome, ...(isJournaled && { sequence: this.#sequence }) };
    return entry.result;
  }

  #refusal(status: string, code: string): object {
    const details = this.#dice.chance(0.5) ? {} : { details: { balance: 7, fits: 2, count: 3, accounts: ['bank'] } };
    return { status, error: { code, message: 'The game says so.', ...details } };
  }

  /** The data of a `done`; its numbers are wrong by `off`. */
  #dataOf({ name, params }: Entry, off: number): object {
    const [before, sign] = [this.#dice.below(1000), params['action'] === 'add' ? 1 : -1];
    switch (name) {
      case 'money':
        return { account: params['type'], before, after: before + sign * Number(params['amount']) + off };
      case 'items':
        return {
          item: params['item'],
          before: 500 + before,
          after: 500 + before + sign * Number(params['count']) + off,
        };
      case 'vehicles':
        return {
          plate: params['plate'] ?? 'NEW 1',
          model: params['model'] ?? 'adder',
          garage: off === 0 ? 'legion' : 7,
        };
      case 'job':
        return {
          before: { job: 'none', grade: 0 },
          after: { job: params['job'], grade: Number(params['grade']) + off },
        };
      case 'kick':
        return { kicked: off === 0 };
      case 'announce':
        return { confirmedBy: 'server', players: off === 0 ? 2 : 'two' };
      case 'freeze':
        return { confirmedBy: 'client', frozen: (params['frozen'] === true) === (off === 0) };
      case 'teleport':
        return { confirmedBy: 'server', ...(off === 0 && { position: { x: 1, y: 2, z: 3 } }) };
      case 'message':
      case 'heal':
        return { confirmedBy: off === 0 ? 'server' : 'nobody' };
      default:
        return { anything: before };
    }
  }
}
