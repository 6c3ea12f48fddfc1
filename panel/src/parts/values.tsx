import type { ReactNode } from 'react';
import { Foreign, plain } from './text.tsx';

/** A name in words, its value, and the raw name, which is in the title. */
export type Pair = readonly [name: string, value: ReactNode, raw?: string];

/** Names and values in two columns; a value that is null or empty has no line. */
export const Pairs = ({ of }: { of: readonly Pair[] }) => (
  <dl className="pairs">
    {of
      .filter(([, value]) => value !== null && value !== undefined && value !== '')
      .map(([name, value, raw]) => (
        <div key={raw ?? name} className="pair" title={raw === undefined ? undefined : plain(raw)}>
          <dt>
            <bdi>{name}</bdi>
          </dt>
          <dd>{value}</dd>
        </div>
      ))}
  </dl>
);

const MAX_SHOWN = 64;
const MAX_DEPTH = 3;

/** A value in words as far as it has any: `label: Police, grade: 2`. */
export const textOf = (value: unknown, depth = 0): string => {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return value === null ? '–' : String(value);
  if (depth === MAX_DEPTH) return JSON.stringify(value);
  if (Array.isArray(value)) return value.map((each) => textOf(each, depth + 1)).join(', ');
  return Object.entries(value)
    .map(([key, each]) => `${key}: ${textOf(each, depth + 1)}`)
    .join(', ');
};

/** The content of an unknown object, as short lines. */
export const Values = ({ of }: { of: Record<string, unknown> }) => (
  <ul className="plain small">
    {Object.entries(of)
      .slice(0, MAX_SHOWN)
      .map(([key, value]) => (
        <li key={key}>
          <span className="dim">
            <Foreign>{key}</Foreign>
          </span>{' '}
          <Foreign>{textOf(value)}</Foreign>
        </li>
      ))}
  </ul>
);
