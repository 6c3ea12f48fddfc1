import { type KeyboardEvent, type ReactNode, useId, useState } from 'react';
import { TextField, type TextFieldProps } from './controls.tsx';

export type Choice = { key: string; content: ReactNode };

/** A text field with a list of choices below it. Enter takes the marked one; the arrow keys mark another. */
export const Combobox = ({
  label,
  value,
  choices,
  onType,
  onChoose,
  onLeave,
  ...input
}: Omit<TextFieldProps, 'onChange'> & {
  label: string;
  value: string;
  choices: readonly Choice[];
  onType: (text: string) => void;
  onChoose: (index: number) => void;
  /** The user typed and chose nothing. */
  onLeave: () => void;
}) => {
  const list = useId();
  const [active, setActive] = useState(0);
  const isOpen = choices.length > 0;
  const marked = Math.min(active, choices.length - 1);
  const choose = (index: number): void => {
    setActive(0);
    onChoose(index);
  };
  const press = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && isOpen) {
      event.preventDefault();
      setActive((marked + step + choices.length) % choices.length);
    }
    if (event.key === 'Enter' && isOpen) {
      // The form is not sent by the key that chooses.
      event.preventDefault();
      choose(marked);
    }
    if (event.key === 'Escape' && isOpen) {
      event.stopPropagation();
      onLeave();
    }
  };
  return (
    <div className="choosing">
      <TextField
        {...input}
        label={label}
        value={value}
        role="combobox"
        autoComplete="off"
        aria-autocomplete="list"
        aria-expanded={isOpen}
        aria-controls={isOpen ? list : undefined}
        aria-activedescendant={isOpen ? `${list}-${marked}` : undefined}
        onChange={(text) => {
          setActive(0);
          onType(text);
        }}
        onFocus={(event) => event.currentTarget.select()}
        onBlur={onLeave}
        onKeyDown={press}
      />
      {isOpen ? (
        <div role="listbox" id={list} aria-label={label} className="choices">
          {choices.map(({ key, content }, index) => (
            <div
              key={key}
              role="option"
              id={`${list}-${index}`}
              tabIndex={-1}
              aria-selected={index === marked}
              onMouseDown={(event) => {
                // The focus stays in the field.
                event.preventDefault();
                choose(index);
              }}
            >
              {content}
            </div>
          ))}
        </div>
      ) : null}
    </div>
  );
};
