import type { Observation } from './compare.ts';
import { Dice } from './dice.ts';
import { type Entry, Game } from './game.ts';
import { BEGIN, Lockstep } from './lockstep.ts';
import { Requests } from './requests.ts';
import type { Call, Side } from './side.ts';

const HOUR_MS = 3_600_000;
/** After the clock was set back, a hub may first tell its bridges the time: four pings, one a second. */
const TOLD_MS = 6_000;
const REMEMBERED_MS = 130_000;
/** A stopping hub has ended by then. */
const STOPPED_MS = 20_000;
/** A start takes some time: ids of one millisecond are ordered within a process only. */
const RESTART_MS = 5;

/** One random walk of events, with one game server and one caller, over one hub or two. */
export class Walk {
  /** What happened so far, a line for each event. */
  readonly events: string[] = [];
  readonly #hubs: Lockstep;
  readonly #dice: Dice;
  readonly #game: Game;
  readonly #requests: Requests;
  #asked = 0;
  #setBackAt = Number.NEGATIVE_INFINITY;
  /** Frames that the newest line still owes after its welcome. */
  #owed: object[] = [];
  #isLeaving = false;

  constructor(sides: readonly Side[], seed: number, recorded?: readonly Observation[]) {
    this.#dice = new Dice(seed);
    this.#game = new Game(this.#dice);
    this.#requests = new Requests(this.#dice);
    this.#hubs = new Lockstep(sides, (frame) => this.#game.hear(frame), recorded);
  }

  /** What was seen of the first hub. */
  get record(): readonly Observation[] {
    return this.#hubs.record;
  }

  /** @throws Difference */
  async run(): Promise<void> {
    await this.#hubs.start();
    if (this.#dice.chance(0.9)) await this.#connect();
    await this.#hubs.compare();
    const length = 20 + this.#dice.below(41);
    while (this.events.length < length) {
      await this.#event();
      // Some events follow one another before the next sweep.
      if (this.#dice.chance(0.65)) await this.#hubs.compare();
    }
    if (this.#isLeaving) await this.#start();
    await this.#hubs.pass(31_000);
    await this.#hubs.compare();
  }

  async #event(): Promise<void> {
    const isLinked = this.#hubs.isLinked;
    const waits = this.#rows(({ status }) => ['waiting', 'accepted', 'dispatched'].includes(status));
    const act = this.#dice.weighted<() => Promise<void>>([
      [30, () => this.#request(this.#requests.command())],
      [this.#requests.hasKeys ? 5 : 0, () => this.#request(this.#requests.repeated())],
      [2, () => this.#request(this.#requests.batch())],
      [isLinked && this.#game.open().length > 0 ? 26 : 0, () => this.#result()],
      [isLinked && this.#game.unconfirmed().length > 0 ? 10 : 0, () => this.#received()],
      [isLinked ? 3 : 0, () => this.#oddResult()],
      [isLinked ? 7 : 0, () => this.#players()],
      [isLinked ? 1.5 : 0, () => this.#status()],
      [isLinked ? 4 : 0, () => this.#cut()],
      [this.#isLeaving ? 0 : isLinked ? 2 : 25, () => this.#connect()],
      [this.#owed.length > 0 ? 15 : 0, () => this.#greet()],
      [waits.length > 0 ? 4 : 0, () => this.#request(this.#requests.takeBack(this.#dice.pick(waits).id))],
      [2, () => this.#decide()],
      [isLinked ? 1.5 : 0, () => this.#freshPlayer()],
      [7, () => this.#time()],
      [this.#isLeaving ? 20 : 1.3, () => this.#end()],
    ]);
    await act();
    await this.#hubs.settle();
  }

  // Callers

  async #request(call: Call): Promise<void> {
    this.#asked += 1;
    const { method, path, json, headers } = call;
    this.#note(
      `request ${this.#asked}: ${method} ${path} ${JSON.stringify(json ?? {})} ${JSON.stringify(headers ?? {})}`,
    );
    await this.#hubs.each((side) => side.begin(this.#asked, call));
  }

  /** A person decides about a command or takes a batch back. */
  async #decide(): Promise<void> {
    const batches = this.#hubs.last?.batches ?? [];
    if (batches.length > 0 && this.#dice.chance(0.3)) {
      return this.#request(this.#requests.takeBack(this.#dice.pick(batches).id));
    }
    const all = this.#rows(() => true);
    const doubtful = this.#rows(({ status }) => status === 'indeterminate');
    const from = doubtful.length > 0 && this.#dice.chance(0.8) ? doubtful : all;
    if (from.length > 0) await this.#request(this.#requests.resolve(this.#dice.pick(from).id));
  }

  /** A caller wants the record of a player as the game has it now; the game may answer. */
  async #freshPlayer(): Promise<void> {
    await this.#request(this.#requests.freshPlayer());
    await this.#hubs.settle();
    const read = this.#hubs.newest('players.read');
    if (read === undefined || this.#dice.chance(0.3)) return;
    const player = this.#game.players.find(({ identifier }) => identifier === read['identifier']);
    const answer = player
      ? { player: this.#game.record(player) }
      : { error: { code: 'player_not_found', message: 'Nobody.' } };
    await this.#say([{ type: 'players.record', id: read['id'], ...answer }]);
  }

  // The bridge

  async #result(): Promise<void> {
    const open = this.#game.open();
    const count = this.#dice.chance(0.2) ? open.length : 1;
    const first = this.#dice.below(open.length);
    const chosen = count === 1 ? [open[first]] : open;
    const frames = chosen
      .filter((entry): entry is Entry => entry !== undefined)
      .map((entry) => this.#game.answer(entry));
    // A result counts on every line of its server.
    await this.#say(frames, this.#dice.chance(0.1) ? -2 : -1);
  }

  async #received(): Promise<void> {
    const entries = this.#game.unconfirmed();
    for (const entry of entries) entry.isReceived = true;
    await this.#say([{ type: 'received', ids: entries.map(({ id }) => id) }]);
  }

  /** A result that comes again, of a round that never was, or of no command. */
  async #oddResult(): Promise<void> {
    const settled = this.#game.settled();
    const known = settled.length > 0 ? this.#dice.pick(settled) : undefined;
    const stray = { type: 'result', id: `${known?.id.split('.')[0] ?? 'cmd_none'}.7`, status: 'done', sequence: 1 };
    const none = { type: 'result', id: 'cmd_nobody', status: 'failed', error: { code: 'refused', message: 'No.' } };
    await this.#say([
      this.#dice.weighted([[5, known?.result ?? none] as const, [2, stray] as const, [1, none] as const]),
    ]);
  }

  async #players(): Promise<void> {
    const game = this.#game;
    const player = this.#dice.pick(game.players);
    const what = this.#dice.weighted([
      [6, 'comes or leaves'],
      [3, 'may not play'],
      [2, 'snapshot'],
      [1, 'gap'],
      [1, 'deleted'],
    ]);
    if (what === 'snapshot') return this.#say([game.snapshot()]);
    if (what === 'comes or leaves') Object.assign(player, { online: !player.online, playable: !player.online });
    if (what === 'may not play') Object.assign(player, { online: true, playable: player.playable === false });
    game.revision += what === 'gap' ? 2 : 1;
    const changed = { type: 'players.changed', revision: game.revision };
    if (what === 'deleted') return this.#say([{ ...changed, removed: [player.identifier] }]);
    await this.#say([{ ...changed, players: [game.record(player)] }]);
  }

  async #status(): Promise<void> {
    this.#game.isDraining = !this.#game.isDraining;
    await this.#say([this.#game.status()]);
  }

  async #cut(): Promise<void> {
    if (this.#dice.chance(0.2)) return this.#say([{ type: 'bye', reason: 'Restart' }]);
    this.#note('the line is cut');
    await this.#hubs.each((side) => side.cut(-1));
  }

  /** The bridge dials: the same process or another one, which takes over if the line of the first is still there. */
  async #connect(): Promise<void> {
    const how = this.#dice.weighted([
      [10, 'again'],
      [4, 'restarted'],
      [0.5, 'lost its journal'],
      [0.5, 'has an old journal'],
    ] as const);
    if (how !== 'again') this.#game.restart(how);
    const isQuiet = this.#dice.chance(0.15);
    this.#note(`the bridge connects: ${how}${isQuiet ? ', and says nothing yet' : ''}`);
    const hello = this.#game.hello();
    const connected = await this.#hubs.each((side) => side.connect(hello, { wall: this.#hubs.clock.wall, isQuiet }));
    this.#hubs.skip(20);
    this.#hubs.collect();
    if (connected.includes(false)) return;
    this.#owed = [this.#game.custom(), ...this.#game.unacknowledged(), this.#game.status(), this.#game.snapshot()];
    if (!isQuiet) await this.#greet();
    if (this.#hubs.clock.monotonic - this.#setBackAt < REMEMBERED_MS) await this.#hubs.pass(TOLD_MS);
  }

  /** The bridge says what it owes after `welcome`, all or the first part of it. */
  async #greet(): Promise<void> {
    for (const side of this.#hubs.sides) {
      const line = side.lines.at(-1);
      if (line !== undefined) line.isDeaf = false;
    }
    const owed = this.#owed.splice(
      0,
      this.#dice.chance(0.8) ? this.#owed.length : 1 + this.#dice.below(this.#owed.length),
    );
    // What was acknowledged since is not sent again.
    const acked = new Set(this.#game.settled().flatMap(({ id, isAcked }) => (isAcked ? [id] : [])));
    await this.#say(owed.filter((frame) => !('id' in frame) || !acked.has(String(frame.id))));
  }

  async #say(frames: readonly object[], line = -1): Promise<void> {
    this.#note(
      `the bridge says ${frames.map((frame) => JSON.stringify(frame)).join(' ')}${line === -2 ? ' on its former line' : ''}`,
    );
    await this.#hubs.each((side) => side.say(line, frames));
  }

  // Time and the end of processes

  async #time(): Promise<void> {
    const what = this.#dice.weighted([
      [5, 1_000],
      [3, 11_000],
      [4, 31_000],
      [0.7, -HOUR_MS],
    ]);
    if (what > 1_000 && this.#hubs.isLinked && this.#game.unconfirmed().length > 0 && this.#dice.chance(0.8)) {
      await this.#received();
    }
    if (what > 0) {
      const isDeaf = what > 1_000 && this.#dice.chance(0.05);
      this.#note(`${what / 1_000} s pass${isDeaf ? ', and the bridge hangs' : ''}`);
      return this.#hubs.pass(what, isDeaf);
    }
    this.#note('the clock is set back by an hour');
    await this.#hubs.each((side) => side.shift(what));
    this.#hubs.clock.wall += what;
    this.#setBackAt = this.#hubs.clock.monotonic;
    await this.#hubs.pass(TOLD_MS);
  }

  /** The hub dies, or is told to stop and ends some events later. It is started again. */
  async #end(): Promise<void> {
    if (this.#isLeaving) return this.#start();
    if (this.#dice.chance(0.4)) {
      this.#note('the hub is told to stop');
      this.#isLeaving = true;
      await this.#hubs.each((side) => side.stop());
      return;
    }
    this.#note('the hub is killed and started');
    await this.#hubs.each((side) => side.kill());
    this.#hubs.collect();
    await this.#begin(RESTART_MS);
  }

  async #start(): Promise<void> {
    this.#note('the hub has stopped and is started');
    await this.#hubs.each((side) => side.end(STOPPED_MS));
    this.#hubs.collect();
    this.#isLeaving = false;
    await this.#begin(STOPPED_MS);
  }

  /** Starts the hub some time after its end. */
  async #begin(afterMs: number): Promise<void> {
    this.#setBackAt = Number.NEGATIVE_INFINITY;
    await this.#hubs.start(afterMs);
  }

  #rows(which: (row: { status: string }) => boolean): { id: string }[] {
    return (this.#hubs.last?.commands ?? []).filter(which);
  }

  #note(event: string): void {
    const seconds = (this.#hubs.clock.monotonic - BEGIN.monotonic) / 1_000;
    this.events.push(`${seconds.toFixed(2)} s  ${event}`);
  }
}
