import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createRoom, type Flight } from '../../../server/commands/room.ts';

const MOST = 16;
const at = (): number => performance.now();

/** A game that always has as much to do as there is room for. `takes`: how long a command takes that leaves now, ms. */
const play = (takes: (inFlight: number) => number, { seconds = 10, isShared = false } = {}): number[] => {
  const room = createRoom();
  const flights = new Map<Flight, number>();
  const sizes: number[] = [];
  for (const endsAt = at() + seconds * 1_000; at() < endsAt; vi.advanceTimersByTime(1)) {
    for (const [flight, landsAt] of flights) {
      if (landsAt > at()) continue;
      flights.delete(flight);
      room.landed(flight);
    }
    while (room.hasPlace(flights.keys(), MOST, isShared)) {
      const landsAt = at() + takes(flights.size);
      flights.set({ id: '', since: at(), isAlone: flights.size === 0 }, landsAt);
    }
    sizes.push(flights.size);
  }
  return sizes;
};

/** One command after the other. */
const oneByOne = (eachMs: number) => {
  let freeAt = 0;
  return (): number => {
    freeAt = Math.max(freeAt, at()) + eachMs;
    return freeAt - at();
  };
};
const median = (sizes: number[]): number => sizes.toSorted((a, b) => a - b)[Math.floor(sizes.length / 2)] ?? 0;

describe('the room of waiting commands on the way to a bridge', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('is small for a game that does one thing after the other', () => {
    const sizes = play(oneByOne(4));
    expect(Math.max(...sizes)).toBeLessThanOrEqual(4);
    expect(median(sizes)).toBeGreaterThanOrEqual(2);
  });

  it('grows to its bound for a game that waits for a database and does many things meanwhile', () => {
    const sizes = play(() => 40);
    expect(Math.max(...sizes)).toBe(MOST);
    expect(median(sizes)).toBeGreaterThanOrEqual(MOST - 2);
  });

  it('shrinks when such a game does one thing after the other', () => {
    const serial = oneByOne(10);
    const from = at();
    const sizes = play(() => (at() - from < 10_000 ? 40 : serial()), { seconds: 30 });
    expect(median(sizes.slice(20_000))).toBeLessThanOrEqual(8);
  });

  it('is one place beside single commands', () => {
    expect(Math.max(...play(() => 40, { isShared: true }))).toBe(1);
  });

  it('is not taken by commands that are held up', () => {
    let n = 0;
    const sizes = play(
      () => {
        n += 1;
        return n <= 3 ? 60_000 : 4;
      },
      { isShared: true },
    );
    expect(n).toBeGreaterThan(1_000);
    expect(Math.max(...sizes)).toBe(4);
  });
});
