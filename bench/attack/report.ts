import { inMs, percentile } from '../promises/report.ts';
import type { Stage, StageOptions } from './stage.ts';

/**
 * An attack. `play` returns as text how much of it the hub admitted; the neighbour's waits are measured meanwhile. With
 * `isRepeated` it is played six times: the first one warms the hub, and the median of the others counts.
 */
export type Attack = {
  name: string;
  options?: StageOptions;
  isRepeated?: boolean;
  play: (stage: Stage, round: number) => Promise<string>;
};

export type Row = { name: string; quietMs: number; worstMs: number; medianMs: number; lost: number; admitted: string };

/** The aim: an attack delays no payment of another project by more than this, compared with a quiet hub. */
export const AIM_MS = 100;

const worst = (payments: readonly { ms: number }[]): number =>
  percentile(
    payments.map(({ ms }) => ms),
    1,
  );

/** `rounds`: the neighbour's payments while the attack was played, each time. */
export const rowOf = (
  name: string,
  stage: Stage,
  rounds: readonly Awaited<ReturnType<Stage['payments']>>[],
  admitted: string,
): Row => ({
  name,
  quietMs: worst(stage.quiet),
  worstMs: percentile(rounds.map(worst), 0.5),
  medianMs: percentile(
    rounds.flat().map(({ ms }) => ms),
    0.5,
  ),
  lost: rounds.flat().filter(({ status }) => status !== 200).length,
  admitted,
});

export const HEAD = [
  '| attack | neighbour, quiet: worst | attacked: median | worst | not paid | what the attacker got |',
  '|---|--:|--:|--:|--:|---|',
];

export const lineOf = ({ name, quietMs, worstMs, medianMs, lost, admitted }: Row): string =>
  `| ${name} | ${inMs(quietMs)} | ${inMs(medianMs)} | ${inMs(worstMs)} | ${lost} | ${admitted} |`;
