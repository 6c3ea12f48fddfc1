import { inMs, percentile } from '../promises/report.ts';
import type { Stage, StageOptions } from './stage.ts';

/** An attack. `play` returns as text how much of it the hub admitted; the neighbour's waits are measured meanwhile. */
export type Attack = { name: string; options?: StageOptions; play: (stage: Stage) => Promise<string> };

export type Row = { name: string; quietMs: number; worstMs: number; medianMs: number; lost: number; admitted: string };

/** The aim: an attack delays no payment of another project by more than this, compared with a quiet hub. */
export const AIM_MS = 100;

const worst = (payments: readonly { ms: number }[]): number =>
  percentile(
    payments.map(({ ms }) => ms),
    1,
  );

export const rowOf = (
  name: string,
  stage: Stage,
  during: Awaited<ReturnType<Stage['payments']>>,
  admitted: string,
): Row => ({
  name,
  quietMs: worst(stage.quiet),
  worstMs: worst(during),
  medianMs: percentile(
    during.map(({ ms }) => ms),
    0.5,
  ),
  lost: during.filter(({ status }) => status !== 200).length,
  admitted,
});

export const HEAD = [
  '| attack | neighbour, quiet: worst | attacked: median | worst | not paid | what the attacker got |',
  '|---|--:|--:|--:|--:|---|',
];

export const lineOf = ({ name, quietMs, worstMs, medianMs, lost, admitted }: Row): string =>
  `| ${name} | ${inMs(quietMs)} | ${inMs(medianMs)} | ${inMs(worstMs)} | ${lost} | ${admitted} |`;
