import { Foreign } from './text.tsx';

const MAX_SHOWN = 12;

/** What a stranger's object holds, as short lines. */
export const Values = ({ of }: { of: Record<string, unknown> }) => (
  <ul className="plain small">
    {Object.entries(of)
      .slice(0, MAX_SHOWN)
      .map(([key, value]) => (
        <li key={key}>
          <span className="dim">
            <Foreign>{key}</Foreign>
          </span>{' '}
          <Foreign>{typeof value === 'string' ? value : JSON.stringify(value)}</Foreign>
        </li>
      ))}
  </ul>
);
