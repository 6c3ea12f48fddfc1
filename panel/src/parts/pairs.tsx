import type { ReactNode } from 'react';
import { plain } from './text.tsx';

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
