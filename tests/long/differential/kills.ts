import type { Frame } from './line.ts';
import { BEGIN } from './lockstep.ts';
import type { Answer, Call, Side } from './side.ts';

const ANA = 'char1:ana';
const SWEEP_MS = 300;
/** After so many sweeps everything has ended that will: a deadline of 30 s passes in them. */
const SWEEPS = 130;

type Step = 'come' | 'pay' | 'pay later' | 'take back' | 'take over';

/** What a caller and bridges do, in order; `again` is what the caller repeats in the end until there is an outcome. */
export type Scenario = { name: string; steps: readonly Step[]; again: Call };

const payment = (key: string, more: object = {}): Call => ({
  method: 'POST',
  path: '/api/v2/bridge/main/money',
  json: { target: ANA, type: 'bank', amount: 100, action: 'add', ...more },
  headers: { 'Idempotency-Key': key },
});
const NOW = payment('now');
const LATER = payment('later', { deliver: 'when_online' });

export const SCENARIOS: readonly Scenario[] = [
  { name: 'a payment', steps: ['come', 'pay'], again: NOW },
  { name: 'a payment that waits', steps: ['pay later', 'come'], again: LATER },
  { name: 'a void', steps: ['pay later', 'take back', 'come'], again: LATER },
  { name: 'a takeover', steps: ['come', 'pay', 'take over'], again: NOW },
];

/** A game server that carries out each command once and keeps its journal. It answers what one hub sends it. */
class Economy {
  /** The commands that were carried out. */
  readonly effects: string[] = [];
  readonly #side: Side;
  readonly #journal = new Map<string, { result: object; isAcked: boolean }>();
  #instance = 1;
  #isHere = false;

  constructor(side: Side) {
    this.#side = side;
  }

  /** Connects as the same process, or as another one. */
  async connect({ isOther = false } = {}): Promise<void> {
    if (isOther) this.#instance += 1;
    await this.#side.connect(
      {
        type: 'hello',
        protocol: 1,
        instance: `instance-${this.#instance}`,
        software: { name: 'differential', version: '1.0.0' },
        commands: ['money@1'],
        accounts: ['bank'],
        journal: { class: 'atomic', id: 'journal-1', sequence: this.#journal.size },
      },
      { wall: BEGIN.wall, isQuiet: false },
    );
    const owed = [...this.#journal.values()].flatMap(({ result, isAcked }) => (isAcked ? [] : [result]));
    await this.#side.say(-1, [...owed, this.#snapshot()]);
  }

  /** The player comes. */
  async come(): Promise<void> {
    this.#isHere = true;
    await this.#side.say(-1, [this.#snapshot()]);
  }

  /** Answers what has come. */
  async work(): Promise<void> {
    for (const [line, frames] of this.#side.take().frames.entries()) {
      for (const frame of frames) {
        const answer = this.#answerTo(frame);
        if (answer !== undefined) await this.#side.say(line, [answer]);
      }
    }
  }

  #answerTo(frame: Frame): object | undefined {
    if (frame.type === 'ack') {
      for (const id of frame['ids'] as string[]) Object.assign(this.#journal.get(id) ?? {}, { isAcked: true });
    }
    if (frame.type !== 'command' && frame.type !== 'void') return undefined;
    const id = String(frame['id']);
    const known = this.#journal.get(id);
    if (known !== undefined) return known.result;
    const isPaid = frame.type === 'command';
    if (isPaid) this.effects.push(id);
    const done = { status: 'done', data: { account: 'bank', before: 0, after: 100 } };
    const outcome = isPaid ? done : { status: 'voided' };
    const result = { type: 'result', id, ...outcome, sequence: this.#journal.size + 1 };
    this.#journal.set(id, { result, isAcked: false });
    return result;
  }

  #snapshot(): object {
    const player = { identifier: ANA, name: 'Ana', online: this.#isHere, identifiers: [], accounts: { bank: 0 } };
    return { type: 'players.snapshot', revision: 1, part: 0, last: true, players: [player] };
  }
}

/** How a scenario ended for its caller and in the game, and whether the hub died in it. */
export type Ending = { answer: object; effects: number; hasDied: boolean };

/** Plays one scenario over a hub that dies at one boundary and is started again; boundary 0: it lives. */
export class Play {
  readonly #side: Side;
  readonly #game: Economy;
  readonly #clock = { ...BEGIN };
  #asked = 0;
  #hasDied = false;

  constructor(side: Side) {
    this.#side = side;
    this.#game = new Economy(side);
  }

  async run({ steps, again }: Scenario, boundary: number): Promise<Ending> {
    await this.#side.start(this.#clock);
    await this.#game.connect();
    await this.#side.arm(boundary);
    for (const step of steps) {
      await this.#step(step);
      await this.#sweep();
    }
    let answer = await this.#insist(again);
    for (let n = 0; n < SWEEPS && answer.status === 202; n += 1) {
      await this.#sweep();
      answer = await this.#insist(again);
    }
    const { status, code, executed } = answer.body;
    return {
      answer: { http: answer.status, status, code, executed },
      effects: this.#game.effects.length,
      hasDied: this.#hasDied,
    };
  }

  async #step(step: Step): Promise<void> {
    switch (step) {
      case 'come':
        return this.#game.come();
      case 'pay':
        await this.#ask(NOW);
        return this.#game.work();
      case 'pay later':
        return void (await this.#insist(LATER));
      case 'take back': {
        const { id } = (await this.#insist(LATER)).body;
        return void (await this.#insist({ method: 'POST', path: `/api/v2/commands/${id}/void` }));
      }
      case 'take over':
        return this.#game.connect({ isOther: true });
      default:
        return step satisfies never;
    }
  }

  async #ask(call: Call): Promise<number> {
    this.#asked += 1;
    await this.#side.begin(this.#asked, call);
    await this.#side.settle();
    return this.#asked;
  }

  /** As a caller who repeats a request until the hub answers. */
  async #insist(call: Call): Promise<Exclude<Answer, 'cut'>> {
    for (let tries = 0; tries < 10; tries += 1) {
      const number = await this.#ask(call);
      for (let n = 0; n < SWEEPS && this.#side.answerOf(number) === undefined; n += 1) await this.#sweep();
      const answer = this.#side.answerOf(number);
      if (answer !== undefined && answer !== 'cut' && answer.status !== 503) return answer;
      await this.#sweep();
    }
    throw new Error(`no answer to ${call.method} ${call.path}`);
  }

  /** Time passes, the bridge works, and a hub that has died is started again. */
  async #sweep(): Promise<void> {
    await this.#side.pass(SWEEP_MS, { wall: this.#clock.wall, isDeaf: false });
    this.#clock.wall += SWEEP_MS;
    this.#clock.monotonic += SWEEP_MS;
    await this.#game.work();
    if (this.#side.isRunning) return;
    this.#hasDied = true;
    await this.#side.kill();
    await this.#side.start(this.#clock);
    await this.#game.connect();
  }
}
