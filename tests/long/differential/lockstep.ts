import { ALLOWED } from './allowed.ts';
import { differences, type Observation, observe } from './compare.ts';
import type { Frame } from './line.ts';
import type { Answer, Clock, Side } from './side.ts';

/** When each walk begins: any time will do, and the same one makes outputs comparable. */
export const BEGIN = { wall: Date.UTC(2030, 0, 1), monotonic: 10_000 };
/** The pause after which hubs are compared: deadlines are looked at every 250 ms. */
const SWEEP_MS = 300;
/** The bridge reacts this often while time passes: a hub waits 2 s for the end of a line that it closes. */
const STEP_MS = 1_500;

type Seen = { frames: Frame[][]; answers: Record<number, Answer> };

/** Both hubs differ. */
export class Difference extends Error {
  override name = 'Difference';
}

/**
 * Hubs that get the same things at the same time. Two hubs are compared with one another; one alone is compared with what
 * was recorded of another one, if anything was.
 */
export class Lockstep {
  readonly sides: readonly Side[];
  readonly clock: Clock = { ...BEGIN };
  /** What was seen of the first hub. */
  readonly record: Observation[] = [];
  readonly #recorded: readonly Observation[] | undefined;
  readonly #hear: (frame: Frame) => void;
  readonly #seen: Seen[];

  /** `hear` is told what the first hub says to its bridge. */
  constructor(sides: readonly Side[], hear: (frame: Frame) => void, recorded?: readonly Observation[]) {
    this.sides = sides;
    this.#hear = hear;
    this.#recorded = recorded;
    this.#seen = sides.map(() => ({ frames: [], answers: {} }));
  }

  get last(): Observation | undefined {
    return this.record.at(-1);
  }
  /** Whether the bridge is connected. */
  get isLinked(): boolean {
    return this.sides[0]?.lines.at(-1)?.isOpen === true;
  }

  each<T>(act: (side: Side, n: number) => Promise<T>): Promise<T[]> {
    return Promise.all(this.sides.map(act));
  }

  /** The newest frame of this type since the last comparison. */
  newest(type: string): Frame | undefined {
    return this.#seen[0]?.frames.at(-1)?.findLast((frame) => frame.type === type);
  }

  /** Starts the hubs some time after their end. */
  async start(afterMs = 0): Promise<void> {
    this.skip(afterMs);
    await this.each((side) => side.start(this.clock));
  }

  /** Time passed while the hubs were told of it otherwise, or did not run. */
  skip(ms: number): void {
    this.clock.wall += ms;
    this.clock.monotonic += ms;
  }

  /** Lets time pass in both; `isDeaf`: the bridge hangs meanwhile. */
  async pass(ms: number, isDeaf = false): Promise<void> {
    for (let left = ms; left > 0; left -= STEP_MS) {
      const step = Math.min(left, STEP_MS);
      await this.each((side) => side.pass(step, { wall: this.clock.wall, isDeaf }));
      this.skip(step);
    }
  }

  /** Resolves when both have done all that follows from what they were sent. */
  async settle(): Promise<void> {
    await this.each((side) => side.settle());
    this.collect();
  }

  /** Takes what has come from the hubs. */
  collect(): void {
    for (const [n, side] of this.sides.entries()) {
      const { frames, answers } = side.take();
      const seen = this.#seen[n];
      if (seen === undefined) continue;
      Object.assign(seen.answers, answers);
      for (const [line, more] of frames.entries()) {
        seen.frames[line] = [...(seen.frames[line] ?? []), ...more];
        if (n === 0) for (const frame of more) this.#hear(frame);
      }
    }
  }

  /** Compares all that callers and bridges see after the next sweep. @throws Difference */
  async compare(): Promise<void> {
    await this.pass(SWEEP_MS);
    this.collect();
    const [first, second] = await this.each(async (side, n) => {
      const seen = await observe(side, this.#seen[n] ?? { frames: [], answers: {} });
      return ALLOWED.reduce<Observation>((left, { without }) => without(left), seen);
    });
    for (const seen of this.#seen) Object.assign(seen, { frames: [], answers: {} });
    if (first === undefined) return;
    const recorded = this.#recorded?.[this.record.length];
    this.record.push(first);
    const found = recorded === undefined ? second && differences(first, second) : differences(recorded, first);
    if (found !== undefined && found.length > 0) throw new Difference(found.join('\n'));
  }
}
