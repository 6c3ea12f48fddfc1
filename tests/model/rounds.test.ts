import { describe, expect, it } from 'vitest';
import { exploreRounds, type RoundMutation } from './rounds.ts';

const ALL = { turns: 3, kills: 1, repeats: 1, voids: 1 };

describe('a command that waits', () => {
  it('is done at most once and truly reported in every state', () => {
    const { states, broken } = exploreRounds(ALL);
    expect(broken).toBeUndefined();
    expect(states).toBeGreaterThan(1_000);
  });

  it.each<[RoundMutation, RegExp]>([
    ['one id for all rounds', /refused for ever/],
    ['a round after a doubt', /twice|and it happened/],
    ['answers of earlier rounds count', /twice|and it happened/],
  ])('the model notices %s', (mutation, promise) => {
    expect(exploreRounds({ ...ALL, mutation }).broken?.what).toMatch(promise);
  });
});
