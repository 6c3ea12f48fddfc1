import { Foreign } from './text.tsx';

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
