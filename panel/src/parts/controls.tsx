import { type ComponentProps, type ReactNode, useId } from 'react';
import { Icon } from './icon.tsx';
import { plain } from './text.tsx';

/** A button; with a reason it is disabled, but can have the focus and announces the reason. */
export const Explained = ({
  whyNot,
  onClick,
  ...props
}: ComponentProps<typeof Button> & { whyNot: string | undefined; onClick: () => void }) => {
  const id = useId();
  if (whyNot === undefined) return <Button {...props} onClick={onClick} />;
  return (
    <span className="explained">
      <Button {...props} aria-disabled aria-describedby={id} />
      <span role="tooltip" id={id} className="small">
        {whyNot}
      </span>
    </span>
  );
};

type ButtonProps = ComponentProps<'button'> & {
  /** The one that a page or a dialog is for. */
  isMain?: boolean;
  /** It deletes something. */
  isFinal?: boolean;
  /** In a row, or beside a text. */
  isSmall?: boolean;
  /** Its action is on its way: it cannot be pressed again, and keeps the focus. */
  isBusy?: boolean;
};

/** A button of an action. */
export const Button = ({ isMain, isFinal, isSmall, isBusy = false, className, onClick, ...props }: ButtonProps) => (
  <button
    type="button"
    className={classes('button', isMain && 'primary', isFinal && 'final', isSmall && 'small', className)}
    {...(isBusy && { 'aria-busy': true, 'aria-disabled': true })}
    {...props}
    onClick={(event) => {
      if (isBusy) event.preventDefault();
      else onClick?.(event);
    }}
  />
);

const classes = (...names: (string | false | undefined)[]): string =>
  names.filter((name) => typeof name === 'string').join(' ');

type About = {
  label?: string | undefined;
  /** Below the label: what is typed. */
  description?: ReactNode;
  error?: ReactNode;
  className?: string | undefined;
};

/** The label and texts around a field, and the attributes that tie them together. */
const useField = ({ label, description, error, className }: About) => {
  const id = useId();
  const parts = { says: `${id}-says`, fault: `${id}-fault` };
  const told = [description !== undefined && parts.says, error !== undefined && parts.fault].filter(Boolean);
  return {
    attributes: {
      id,
      'aria-invalid': error !== undefined || undefined,
      'aria-describedby': told.length > 0 ? told.join(' ') : undefined,
    },
    around: (control: ReactNode) => (
      <div className={classes('field', className)}>
        {label === undefined ? null : <label htmlFor={id}>{label}</label>}
        {description === undefined ? null : <p id={parts.says}>{description}</p>}
        {control}
        {error === undefined ? null : (
          <p id={parts.fault} className="bad">
            {error}
          </p>
        )}
      </div>
    ),
  };
};

export type TextFieldProps = Omit<ComponentProps<'input'>, 'onChange'> & About & { onChange: (text: string) => void };

/** A text of one line. */
export const TextField = ({ label, description, error, className, onChange, ...input }: TextFieldProps) => {
  const { attributes, around } = useField({ label, description, error, className });
  return around(<input {...attributes} {...input} onChange={(event) => onChange(event.currentTarget.value)} />);
};

export type AreaFieldProps = Omit<ComponentProps<'textarea'>, 'onChange'> &
  About & { onChange: (text: string) => void };

/** A text of several lines. */
export const AreaField = ({ label, description, error, className, onChange, ...area }: AreaFieldProps) => {
  const { attributes, around } = useField({ label, description, error, className });
  return around(<textarea {...attributes} {...area} onChange={(event) => onChange(event.currentTarget.value)} />);
};

/** One of several values, each with its text. */
export const SelectField = <V extends string>({
  label,
  description,
  error,
  className,
  options,
  onChange,
  ...select
}: Omit<ComponentProps<'select'>, 'onChange' | 'value'> &
  About & {
    value: V;
    options: readonly (readonly [value: V, text: string])[];
    onChange: (value: V) => void;
  }) => {
  const { attributes, around } = useField({ label, description, error, className });
  const { value: chosen } = select;
  const isListed = options.some(([value]) => value === chosen);
  return around(
    <span className="select">
      {/* The values are those of the options. */}
      <select {...attributes} {...select} onChange={(event) => onChange(event.currentTarget.value as V)}>
        {/* The first option would look chosen. */}
        {isListed ? null : <option value={chosen}>{chosen === '' ? '–' : plain(chosen)}</option>}
        {options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
      <Icon name="down" />
    </span>,
  );
};

/** Yes or no. */
export const CheckField = ({
  label,
  onChange,
  ...input
}: Omit<ComponentProps<'input'>, 'onChange'> & { label?: string; onChange: (isChecked: boolean) => void }) => (
  <label className="check">
    <input {...input} type="checkbox" onChange={(event) => onChange(event.currentTarget.checked)} />
    {label}
  </label>
);

export type NoteInk = 'info' | 'good' | 'wait' | 'bad' | 'dim';

/** Something that a person should know, in the ink of its kind. */
export const Note = ({ ink = 'info', ...props }: ComponentProps<'div'> & { ink?: NoteInk }) => (
  <div className={`note ${ink}`} {...props} />
);
