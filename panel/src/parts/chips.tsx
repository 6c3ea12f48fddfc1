import type { ReactNode } from 'react';
import { useTexts } from '../i18n.ts';
import { Icon } from './icon.tsx';
import { Menu } from './menu.tsx';

const nameOf = (label: string, chosen: string | undefined): string =>
  chosen === undefined ? label : `${label}: ${chosen}`;

const Unset = ({ label, onUnset }: { label: string; onUnset: () => void }) => {
  const { t } = useTexts();
  return (
    <button type="button" className="unset" aria-label={t('filter.remove', { label })} onClick={onUnset}>
      <Icon name="close" />
    </button>
  );
};

/** A filter with a few values to choose from. `options`: each value with its text. */
export const ChoiceChip = ({
  label,
  value,
  options,
  unset,
  onChange,
}: {
  label: string;
  value: string | undefined;
  options: readonly (readonly [value: string, text: string])[];
  unset?: string;
  onChange: (value: string | undefined) => void;
}) => {
  const { t } = useTexts();
  const chosen = value === undefined ? undefined : (options.find(([each]) => each === value)?.[1] ?? value);
  return (
    <span className="choice" data-chosen={value !== undefined || undefined}>
      <span aria-hidden="true">{nameOf(label, chosen)}</span>
      {value === undefined ? <Icon name="down" /> : null}
      {/* The control of the platform lies over its own picture, so keys and phones work as everywhere. */}
      <select
        aria-label={label}
        value={value ?? ''}
        onChange={({ currentTarget }) => onChange(currentTarget.value === '' ? undefined : currentTarget.value)}
      >
        <option value="">{unset ?? t('common.all')}</option>
        {options.map(([each, text]) => (
          <option key={each} value={each}>
            {text}
          </option>
        ))}
      </select>
      {value === undefined ? null : <Unset label={label} onUnset={() => onChange(undefined)} />}
    </span>
  );
};

/** A filter whose value is typed, in a field that opens. */
export const FieldChip = ({
  label,
  value,
  onUnset,
  children,
}: {
  label: string;
  value: string | undefined;
  onUnset: () => void;
  children: ReactNode | (() => ReactNode);
}) => (
  <span className="choice-place">
    <Menu
      className="choice"
      role="dialog"
      popoverClass="menu filter-field"
      name={nameOf(label, value)}
      label={
        <>
          <span>{nameOf(label, value)}</span>
          {value === undefined ? <Icon name="down" /> : null}
        </>
      }
    >
      {children}
    </Menu>
    {value === undefined ? null : <Unset label={label} onUnset={onUnset} />}
  </span>
);

/** One of a few that always is chosen. */
export const Segments = <V extends string>({
  label,
  value,
  options,
  onChange,
}: {
  label: string;
  value: V;
  options: readonly (readonly [value: V, text: string])[];
  onChange: (value: V) => void;
}) => (
  <fieldset className="segments" aria-label={label}>
    {options.map(([each, text]) => (
      <button key={each} type="button" aria-pressed={each === value} onClick={() => onChange(each)}>
        {text}
      </button>
    ))}
  </fieldset>
);
