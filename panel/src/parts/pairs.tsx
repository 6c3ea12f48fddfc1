import type { ReactNode } from 'react';

/** Names and values in two columns; a value that is null or empty has no line. */
export const Pairs = ({ of }: { of: readonly (readonly [name: string, value: ReactNode])[] }) => (
  <dl className="pairs">
    {of
      .filter(([, value]) => value !== null && value !== undefined && value !== '')
      .map(([name, value]) => (
        <div key={name} className="pair">
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
  </dl>
);
